#include "hw/units.h"

namespace trainyard::hw {
namespace {

using Words = std::string_view;

constexpr Words kTensorAliases[] = {"pe", "tensore", "tensor engine"};
constexpr Words kTensorGroups[] = {"pe"};
constexpr Words kTensorText[] = {
    "A systolic array of 128 rows and 128 columns that computes dst[M, N] += stationary[K, M]^T . "
    "moving[K, N]. K lies on the partitions of both inputs, so the stationary tile is multiplied "
    "transposed without ever being transposed. Inputs come from SBUF, results go to PSUM: never to "
    "SBUF, and PSUM cannot be an input.",
    "A matmul has two halves. LoadStationary puts the stationary tile into the array, four columns "
    "per cycle; the next tile loads behind the running matmul. MultiplyMoving then streams the "
    "moving tile, one column per cycle. The least interval is the floor mm_floor, so narrow moving "
    "tiles waste the array. K does not change the time: unused rows idle.",
    "16-bit types, tf32 and fp8 take one pass, fp32 takes four. fp8 double-row (v3 on) reads two "
    "values per row and cycle and doubles the work; MX formats (v4) do four multiplications per "
    "cell. A transpose is a matmul by the identity; from v3 on a mode passes the bits through "
    "unchanged, so that NaN and infinity survive.",
    "The array can be cut into row and column tiles that run side by side. Issue stays in program "
    "order, so a kernel must alternate between tiles to overlap them.",
    "Trainium2 and 3 ramp their power: after idle time the array runs at half rate for about three "
    "microseconds, and falls back when its use drops below half. Isolated matmuls therefore take "
    "twice their time.",
};

constexpr Words kVectorAliases[] = {"dve", "vectore", "vector engine"};
constexpr Words kVectorGroups[] = {"dve"};
constexpr Words kVectorText[] = {
    "128 lanes, one per partition, with two tensor inputs and one output in SBUF or PSUM; both "
    "inputs in PSUM is not possible. It computes in fp32 whatever the types of its operands; "
    "conversions on the way in and out are free. So 32-bit integer arithmetic is not exact here "
    "beyond 2^24: the gpsimd engine does that.",
    "Time depends on the elements per partition, not on the number of partitions: a [1, 512] "
    "operand costs as much as a [128, 512] one. v2 streams one element per cycle. From v3 on there "
    "are faster modes, chosen by the hardware: 16-bit data in SBUF up to four per cycle if it is "
    "contiguous, and less with PSUM or fp32.",
    "An operand whose innermost step is above 16 bytes is read at half rate. No instruction takes "
    "less than min_interval, so instructions on a few elements are overhead.",
    "The lanes come in four quadrants of 32. Inside a quadrant the engine transposes 32 x 32 "
    "blocks "
    "and shuffles partitions. Some instructions keep an accumulator per lane between them; its "
    "content is undefined after any instruction that was told to leave it idle.",
};

constexpr Words kScalarAliases[] = {"act", "scalare", "scalar engine"};
constexpr Words kScalarGroups[] = {"act"};
constexpr Words kScalarText[] = {
    "128 lanes that compute func(in * scale + bias) for one tensor input, with scale and bias as "
    "immediates or one value per partition. It reads and writes SBUF and PSUM and computes in "
    "fp32. "
    "A running sum of the outputs per partition is free; reading it out is a short instruction.",
    "Functions are tables of piece-wise polynomials. One set of tables is resident; a function of "
    "another set first loads its table, which takes longer than most instructions. At the start of "
    "a kernel none is resident. Group activations by function.",
    "Time is one cycle per element of a partition; v4 copies 16-bit and fp8 data at two per cycle. "
    "The engine can also trigger DMA through a hardware descriptor generator, from v3 on.",
};

constexpr Words kGpsimdAliases[] = {"pool", "gpsimde", "gpsimd engine"};
constexpr Words kGpsimdGroups[] = {"pool", "call"};
constexpr Words kGpsimdText[] = {
    "Eight programmable vector processors of 512 bits, each wired to sixteen consecutive "
    "partitions "
    "of SBUF. They have no access to PSUM. They do what the fixed engines cannot: exact integers "
    "of "
    "8, 16 and 32 bits, iota, affine_select, gathers, top-k, custom C++ operators, and software "
    "generation of DMA descriptors.",
    "Every instruction pays a start of about 150 cycles and then some cycles per element. Only a "
    "few "
    "of these costs are published; the others are assumptions of the right order, each a knob.",
    "On v2 the vector and gpsimd engines exclude each other on SBUF. Later they share a bus: while "
    "a "
    "vector instruction runs in a fast mode, gpsimd waits. From v3 on each processor has a DMA "
    "engine of its own.",
    "gpsimd_call runs a program of strips (Trainyard's own form; the real engine runs compiled "
    "C++). "
    "Its costs are in the group call: every operation costs issue + ceil(bytes / 512) * w cycles, "
    "with w by kind of operation. They are assumed, with a band from low_factor to high_factor.",
};

constexpr Words kSyncAliases[] = {"sp", "seq", "synce", "sync engine", "sequencer", "sequencers"};
constexpr Words kSyncGroups[] = {"seq"};
constexpr Words kSyncText[] = {
    "A sequencer without a datapath. It waits for semaphores, computes on registers, branches and "
    "triggers DMA. The four other engines have the same sequencer in front of their datapath, so "
    "there are five instruction streams per core. Each runs in order; nothing but semaphores "
    "orders "
    "them against each other.",
    "An instruction is either control, which the sequencer executes, or datapath. Sizes and "
    "addresses of a datapath instruction may come from registers. Then it takes at least "
    "dynamic_address_floor cycles, so loops with computed addresses are slow on small tiles.",
    "Registers are private: a loop counter exists on each engine that runs the loop. The cost of a "
    "control instruction is not published; ours is an assumption that fits profiles.",
    "A launch costs kernel_overhead_ns on the device, before and after the instructions.",
};

constexpr Words kSemaphoreAliases[] = {"sem", "semaphore"};
constexpr Words kSemaphoreGroups[] = {"sem"};
constexpr Words kSemaphoreText[] = {
    "Counters that order the streams. An instruction may wait until a counter has reached a value, "
    "and increments one when it completes. DMA engines increment by writing four bytes, and other "
    "cores and chips can write too. The data of a write arrives before its semaphore.",
    "From the completion on one engine to the start of a waiter on another takes handoff_ns. A "
    "transfer is complete when all sixteen DMA engines have said so, even those that moved "
    "nothing. "
    "The number of semaphores is not published.",
};

constexpr Words kDmaAliases[] = {"dma engine", "dma engines", "dge", "swdge", "hwdge"};
constexpr Words kDmaGroups[] = {"dma"};
constexpr Words kDmaText[] = {
    "Sixteen engines per core move data between HBM, SBUF, the host and other chips; PSUM is out "
    "of "
    "reach. Engine j serves partitions 8j to 8j+7, whatever the shape: a tile of four partitions "
    "uses one engine. A transfer uses one of sixteen queues on all engines. Within a queue "
    "transfers "
    "are in order; queues take turns after each packet, and v4 adds priorities.",
    "One descriptor is one contiguous run of bytes. It takes at least descriptor_floor_ns, so runs "
    "below about 128 bytes are bound by descriptors, not by bytes. Around the payload lie the "
    "issue, "
    "the dispatch to the first byte and the notification: 1.1 to 1.4 microseconds together. Rows "
    "of "
    "2 KiB per partition and more hide them.",
    "Descriptors are made beforehand (static rings, cheap to trigger but kept in HBM), by the "
    "gpsimd "
    "engine (swdge, which also gathers and scatters by index), or from v3 on by hardware blocks "
    "that "
    "the sync and scalar engines command (hwdge).",
    "DMA converts types and adds up sources on the way. From v3 on it transposes 2-byte and 4-byte "
    "elements; v2 needs one descriptor per element for that. Links are faster than what engines "
    "sustain; the model uses the sustained rate.",
};

constexpr Words kSbufAliases[] = {"state buffer"};
constexpr Words kSbufGroups[] = {"sbuf"};
constexpr Words kSbufText[] = {
    "The working memory of a core: 128 partitions of 192, 224 or 256 KiB. It is not a cache; the "
    "program places and moves everything. The first axis of a tile is its partition; the others "
    "lie "
    "inside the partition.",
    "Operands touch contiguous partitions. More than 64 must start at 0; 33 to 64 at 0 or 64; up "
    "to "
    "32 at 0, 32, 64 or 96. Source and destination may start at different legal partitions.",
    "A kernel does not get all of it: each partition keeps 16 KiB for descriptors of dynamic DMA "
    "and "
    "8 bytes for the system. Addresses step by 256 KiB per partition on every generation, even "
    "where "
    "fewer bytes exist.",
};

constexpr Words kPsumAliases[] = {"partial sum", "accumulator"};
constexpr Words kPsumGroups[] = {"psum"};
constexpr Words kPsumText[] = {
    "The accumulator memory behind the array: 128 partitions of 16 KiB in eight banks of 2 KiB, "
    "512 "
    "fp32 values each. Only the tensor engine adds into it, in fp32. The vector and scalar engines "
    "read and write it as plain memory; gpsimd and DMA cannot reach it.",
    "Up to eight accumulation groups may be open, one per bank. The first matmul of a group "
    "overwrites, later ones add. Before v4 one matmul stays inside one bank, which is why a moving "
    "tile has at most 512 columns; v4 may span banks and may accumulate in bf16.",
    "On v2 the vector and scalar engines exclude each other on PSUM. Later they do so only on the "
    "same bank. One field report says that interleaved groups in one bank corrupt each other; the "
    "check for it is a switch, off by default.",
};

constexpr Words kHbmAliases[] = {"dram", "device memory"};
constexpr Words kHbmGroups[] = {"hbm"};
constexpr Words kHbmText[] = {
    "The device memory, in stacks. Trainium2 and 3 have four stacks for eight cores, so two cores "
    "share the bandwidth of one; on Trainium1 and Inferentia2 each core has its own. Only DMA "
    "reaches it; instructions and static descriptor rings live in it too.",
    "Logical cores of two (LNC 2) join the two cores of a stack. With LNC 1 each may use the whole "
    "stack, and one can push the other out of memory.",
    "It is modelled as pure bandwidth, reads and writes together: banks, rows and refresh are not "
    "public. Pages disagree about the bandwidth by some per cent; docs/sources.md says how we "
    "chose.",
};

constexpr Words kClockAliases[] = {"clock", "tick", "ticks"};
constexpr Words kClockGroups[] = {"clock"};
constexpr Words kClockText[] = {
    "Each engine has its own clock. The simulator counts time in ticks, the longest step of at "
    "most "
    "a quarter of a nanosecond in which every engine has a whole period: 5.6 GHz on v2, 4.8 GHz on "
    "v3 and v4. So times of different engines compare as integers.",
    "A machine file that changes a clock gets a new tick. Clocks without a common tick below 10^12 "
    "Hz are refused (TY-HW-007).",
};

constexpr Words kLimitAliases[] = {"limit", "tile size", "tile_size"};
constexpr Words kLimitGroups[] = {"limits"};
constexpr Words kLimitText[] = {
    "The largest shapes that one instruction takes. A larger operation is several instructions; "
    "where a program exceeds a limit the error names the split that works.",
};

constexpr Words kFeatureAliases[] = {"has", "feature"};
constexpr Words kFeatureGroups[] = {"has"};
constexpr Words kFeatureText[] = {
    "What a generation has and an older one lacks. A machine file may switch any of them, for "
    "example to ask what a Trainium2 with bf16 accumulation would do.",
};

constexpr Words kProgramAliases[] = {"code", "ring"};
constexpr Words kProgramGroups[] = {"program"};
constexpr Words kProgramText[] = {
    "A repeat means its unrolling and costs instruction memory for each executed instance. Above "
    "code_max_bytes it becomes a loop with branches. Static transfers keep their descriptors in "
    "HBM; "
    "above ring_max_bytes they are generated at run time instead. Both are reported, and both "
    "limits "
    "are our own.",
};

constexpr Words kNumericsAliases[] = {"rounding"};
constexpr Words kNumericsGroups[] = {"numerics"};
constexpr Words kNumericsText[] = {
    "Choices of value that the public documents leave open, as switches. Rounding is to the "
    "nearest "
    "even unless an instruction asks for stochastic rounding.",
};

constexpr Unit kUnits[] = {
    {"tensor", "Tensor engine (PE)", kTensorAliases, kTensorGroups, kTensorText},
    {"vector", "Vector engine (DVE)", kVectorAliases, kVectorGroups, kVectorText},
    {"scalar", "Scalar engine (ACT)", kScalarAliases, kScalarGroups, kScalarText},
    {"gpsimd", "GpSimd engine (POOL)", kGpsimdAliases, kGpsimdGroups, kGpsimdText},
    {"sync", "Sync engine (SP) and sequencers", kSyncAliases, kSyncGroups, kSyncText},
    {"semaphores", "Semaphores", kSemaphoreAliases, kSemaphoreGroups, kSemaphoreText},
    {"dma", "DMA engines", kDmaAliases, kDmaGroups, kDmaText},
    {"sbuf", "SBUF, the state buffer", kSbufAliases, kSbufGroups, kSbufText},
    {"psum", "PSUM, the partial-sum buffer", kPsumAliases, kPsumGroups, kPsumText},
    {"hbm", "HBM, the device memory", kHbmAliases, kHbmGroups, kHbmText},
    {"clocks", "Clocks and ticks", kClockAliases, kClockGroups, kClockText},
    {"limits", "Limits of one instruction", kLimitAliases, kLimitGroups, kLimitText},
    {"features", "Features by generation", kFeatureAliases, kFeatureGroups, kFeatureText},
    {"program", "Limits of a program", kProgramAliases, kProgramGroups, kProgramText},
    {"numerics", "Open choices of value", kNumericsAliases, kNumericsGroups, kNumericsText},
};

}  // namespace

std::span<const Unit> units() { return kUnits; }

}  // namespace trainyard::hw
