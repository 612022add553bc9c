#include "hw/machine_file.h"

#include <gtest/gtest.h>

#include <string>

#include "hw/fields.h"

namespace trainyard::hw {
namespace {

Result<Machine> parse(const std::string& text) { return parse_machine(text, "my.toml"); }

// A file with base trn2 and these lines after it.
Result<Machine> changed(const std::string& lines) { return parse("base = \"trn2\"\n" + lines); }

std::string refusal(const Result<Machine>& machine) {
  return machine ? "accepted" : machine.status().str();
}

TEST(MachineFile, ABaseAloneIsThatMachine) {
  const auto machine = parse("base = \"trn3\"\n");
  ASSERT_TRUE(machine) << refusal(machine);
  EXPECT_EQ(*machine, *find_target("trn3"));
}

TEST(MachineFile, AChangedNumberIsAssumedAndNamesTheFile) {
  const auto machine = changed("name = \"quick\"\n[core.pe]\nmm_floor = 32\n");
  ASSERT_TRUE(machine) << refusal(machine);
  EXPECT_EQ(machine->name, "quick");
  EXPECT_EQ(machine->core.pe.mm_floor, (Fact<Cycles>{Cycles{32}, Trust::Assumed, "user:my.toml"}));
  EXPECT_EQ(machine->core.pe.mm_extra, kNeuronCoreV3.pe.mm_extra);
}

TEST(MachineFile, ARepeatedNumberKeepsItsSource) {
  const auto machine = changed("[core.sbuf]\npartition_bytes = 229376\n");
  ASSERT_TRUE(machine) << refusal(machine);
  EXPECT_EQ(machine->core, kNeuronCoreV3);
}

TEST(MachineFile, EveryTypeOfNumberCanBeChanged) {
  const auto machine = changed(
      "lnc = 2\n[chip]\ncc_cores = 20\n[core]\ndma.dispatch_load_ns = 500\n"
      "dve.unary_fp32 = 0.75\npe.throttle = false\nact.latency_copy = 100\n");
  ASSERT_TRUE(machine) << refusal(machine);
  EXPECT_EQ(machine->lnc, 2);
  EXPECT_EQ(machine->chip.cc_cores.value, 20);
  EXPECT_EQ(machine->core.dma.dispatch_load_ns.value, 500.0);
  EXPECT_EQ(machine->core.dve.unary_fp32.value, 0.75);
  EXPECT_FALSE(machine->core.pe.throttle.value);
  EXPECT_EQ(machine->core.act.latency_copy.value, Cycles{100});
}

TEST(MachineFile, ChangedClocksGiveNewPeriods) {
  const auto machine = changed("[core.clock]\nvector_hz = 1.0e9\n");
  ASSERT_TRUE(machine) << refusal(machine);
  EXPECT_EQ(machine->core.tick_hz, 12'000'000'000);  // the least that 2.4, 1.0 and 1.2 GHz divide
  EXPECT_EQ(machine->core.period(Engine::Tensor).value * 2'400'000'000, machine->core.tick_hz);
  EXPECT_EQ(machine->core.period(Engine::Vector).value * 1'000'000'000, machine->core.tick_hz);
  EXPECT_EQ(machine->core.period(Engine::Scalar).value * 1'200'000'000, machine->core.tick_hz);
}

TEST(MachineFile, TwiceTheSbufMovesTheAddressMap) {
  const auto machine = changed("[core.sbuf]\npartition_bytes = 458752\n");
  ASSERT_TRUE(machine) << refusal(machine);
  EXPECT_EQ(machine->core.sbuf_usable_bytes(), 458752 - 16384 - 8);
  EXPECT_EQ(machine->core.sbuf.pitch_bytes,
            (Fact<int64_t>{512 * KiB, Trust::Assumed, "user:my.toml"}));
  EXPECT_EQ(machine->core.psum.window_base.value, 128 * 512 * KiB);
}

TEST(MachineFile, TheExampleIsATrainium2WithTwiceTheSbuf) {
  const auto machine = load_machine("examples/machines/wide_sbuf.toml");
  ASSERT_TRUE(machine) << refusal(machine);
  EXPECT_EQ(machine->name, "trn2-wide-sbuf");
  EXPECT_EQ(machine->core.sbuf.partition_bytes.value, 2 * kNeuronCoreV3.sbuf.partition_bytes.value);
}

TEST(MachineFile, TextThatIsNotTomlIsRefusedWithItsLine) {
  const auto machine = changed("[core.pe\n");
  EXPECT_EQ(machine.status().code(), "TY-HW-002");
  EXPECT_EQ(machine.status().place().line, 2);
  EXPECT_NE(machine.status().message().find("not TOML"), std::string::npos);
}

TEST(MachineFile, AKeyOfStrangeSignsIsRefusedWithItsLine) {
  EXPECT_EQ(changed("[|net]\nx = 1\n").status().code(), "TY-HW-002");
  EXPECT_EQ(changed("[|net]\nx = 1\n").status().place().line, 2);
}

TEST(MachineFile, BytesThatAreNoTextAreRefused) {
  EXPECT_EQ(parse("base = \"\xff\xfe\"").status().code(), "TY-HW-002");
  EXPECT_EQ(parse(std::string("\0\0\0", 3)).status().code(), "TY-HW-002");
}

TEST(MachineFile, TablesNestedWithoutEndAreRefused) {
  std::string keys = "x";
  for (int i = 0; i < 100'000; ++i) keys += ".x";
  EXPECT_EQ(changed("[" + keys + "]\ny = 1\n").status().code(), "TY-HW-002");
  EXPECT_EQ(changed(keys + " = 1\n").status().code(), "TY-HW-002");
  EXPECT_EQ(changed("x = " + std::string(100'000, '[') + "\n").status().code(), "TY-HW-002");
}

TEST(MachineFile, LettersBeyondAsciiBelongInQuotesAndComments) {
  EXPECT_EQ(refusal(changed("gr\u00f6\u00dfe = 1\n")),
            "my.toml:2  TY-HW-002  only ASCII may stand outside quotes and comments");
  EXPECT_EQ(refusal(changed("name = \"\"\"\nx\"\"\" \u00f6\n")),
            "my.toml:2  TY-HW-002  a machine file has no texts of several lines");
  for (const char* quotes : {"\"\"", "''"}) {
    const std::string word = fmt::format("nics = 2{}trn\u0207{}\n", quotes[0], quotes[1]);
    EXPECT_TRUE(refusal(changed(word)).starts_with("my.toml:2:8  TY-HW-002  not TOML: "))
        << refusal(changed(word));
  }
  const auto machine = parse(
      "\xEF\xBB\xBF"
      "base = \"trn2\" # gr\u00f6\u00dfer\nname = \"gro\u00df \\\" '\"\n");
  ASSERT_TRUE(machine) << refusal(machine);
  EXPECT_EQ(machine->name, "gro\u00df \" '");
  const auto unknown = parse("\xEF\xBB\xBF[\"\u00f6\"]\n");
  EXPECT_TRUE(refusal(unknown).starts_with("my.toml  TY-HW-002  no base")) << refusal(unknown);
  EXPECT_EQ(*parse(machine_to_toml(*machine)), *machine);
}

TEST(MachineFile, AFileWithoutABaseIsRefused) {
  EXPECT_EQ(refusal(parse("name = \"x\"\n")),
            "my.toml  TY-HW-002  no base; start the file with a line like: base = \"trn2\"");
}

TEST(MachineFile, ABaseOrNameThatIsNoTextIsRefused) {
  EXPECT_EQ(refusal(parse("base = 2\n")), "my.toml:1:8  TY-HW-002  base must be a text in quotes");
  EXPECT_EQ(refusal(changed("name = 7\n")),
            "my.toml:2:8  TY-HW-002  name must be a text in quotes");
}

TEST(MachineFile, AnUnknownBaseIsRefusedWithTheNearestName) {
  EXPECT_EQ(
      refusal(parse("base = \"trn-2\"\n")),
      "my.toml:1:8  TY-HW-001  there is no target 'trn-2' (did you mean 'trn2'?); targets are "
      "trn1, inf2, trn2, trn3, and the instances of 'trainyard ls --list'");
}

TEST(MachineFile, AnUnknownKeyIsRefusedWithTheNearestKey) {
  EXPECT_EQ(refusal(changed("[core.pe]\nmm_flor = 32\n")),
            "my.toml:3:11  TY-HW-003  there is no key 'core.pe.mm_flor' (did you mean "
            "'core.pe.mm_floor'?); 'trainyard machine' lists all keys");
  EXPECT_EQ(refusal(changed("[pe]\nmm_floor = 32\n")),
            "my.toml:3:12  TY-HW-003  there is no key 'pe.mm_floor' (did you mean "
            "'core.pe.mm_floor'?); 'trainyard machine' lists all keys");
  EXPECT_EQ(refusal(changed("zzz = 1\n")),
            "my.toml:2:7  TY-HW-003  there is no key 'zzz'; 'trainyard machine' lists all keys");
}

TEST(MachineFile, AWrongTypeIsRefused) {
  EXPECT_EQ(refusal(changed("[core.pe]\nrows = \"many\"\n")),
            "my.toml:3:8  TY-HW-004  core.pe.rows = 'many': must be a whole number");
  EXPECT_EQ(refusal(changed("[core.pe]\nrows = 12.5\n")),
            "my.toml:3:8  TY-HW-004  core.pe.rows = 12.5: must be a whole number");
  EXPECT_EQ(refusal(changed("[core.pe]\nthrottle = 1\n")),
            "my.toml:3:12  TY-HW-004  core.pe.throttle = 1: must be true or false");
  EXPECT_EQ(refusal(changed("[core.sem]\nhandoff_ns = true\n")),
            "my.toml:3:14  TY-HW-004  core.sem.handoff_ns = true: must be a number");
  EXPECT_EQ(refusal(changed("[core.sem]\nhandoff_ns = [1, 2]\n")),
            "my.toml:3:14  TY-HW-004  core.sem.handoff_ns = [ 1, 2 ]: must be a number");
  EXPECT_EQ(refusal(changed("lnc = 1.5\n")),
            "my.toml:2:7  TY-HW-004  lnc = 1.5: must be a whole number");
}

TEST(MachineFile, ANonsenseValueIsRefusedWithTheAllowedRange) {
  EXPECT_EQ(refusal(changed("[core.pe]\nrows = -4\n")),
            "my.toml:3:8  TY-HW-005  core.pe.rows = -4: must be from 1 to 1024 rows");
  EXPECT_EQ(refusal(changed("[core.dma]\nengines = 0\n")),
            "my.toml:3:11  TY-HW-005  core.dma.engines = 0: must be from 1 to 16 engines");
  EXPECT_EQ(refusal(changed("[core.sem]\nhandoff_ns = -1.0\n")),
            "my.toml:3:14  TY-HW-005  core.sem.handoff_ns = -1.0: must be from 0 to 1000000 ns");
  EXPECT_EQ(refusal(changed("[core.sem]\nhandoff_ns = nan\n")),
            "my.toml:3:14  TY-HW-005  core.sem.handoff_ns = nan: must be from 0 to 1000000 ns");
  EXPECT_EQ(refusal(changed("[core.clock]\ntensor_hz = 9223372036854775807\n")),
            "my.toml:3:13  TY-HW-005  core.clock.tensor_hz = 9223372036854775807: must be from "
            "1000000 to 100000000000 Hz");
  EXPECT_EQ(refusal(changed("lnc = 3\n")),
            "my.toml:2:7  TY-HW-005  lnc = 3: must be from 1 to 2 cores on trn2 (chip.lnc_max)");
}

TEST(MachineFile, NumbersThatContradictEachOtherAreRefused) {
  EXPECT_EQ(refusal(changed("[chip]\ncores = 16\n")),
            "my.toml  TY-HW-006  chip.hbm_stacks * core.hbm.cores_per_stack = 8 must equal "
            "chip.cores = 16; change one of the two");
  EXPECT_EQ(refusal(changed("[core.pe]\nrows = 256\n")),
            "my.toml  TY-HW-006  core.pe.rows = 256 must be at most core.limits.partitions = 128; "
            "change one of the two");
  EXPECT_EQ(
      refusal(changed("[core.psum]\nbanks = 7\n")),
      "my.toml  TY-HW-006  core.psum.banks = 7 must divide core.psum.partition_bytes = 16384; "
      "change one of the two");
  EXPECT_EQ(
      refusal(changed("[core.psum]\nbanks = 16\n")),
      "my.toml  TY-HW-006  core.limits.moving_free = 512 must be at most fp32 elements of PSUM "
      "that one matmul may write = 256; change one of the two");
  EXPECT_EQ(refusal(changed("[core.sbuf]\npitch_bytes = 131072\n")),
            "my.toml  TY-HW-006  core.sbuf.partition_bytes = 229376 must be at most "
            "core.sbuf.pitch_bytes = 131072; change one of the two");
  EXPECT_EQ(refusal(changed("[core.dma]\nsustained_bytes_per_ns = 30\n")),
            "my.toml  TY-HW-006  core.dma.sustained_bytes_per_ns = 30 must be at most "
            "core.dma.link_bytes_per_ns = 27.2; change one of the two");
  EXPECT_EQ(refusal(changed("[core.seq]\nkernel_overhead_ns = 100\n")),
            "my.toml  TY-HW-006  core.seq.kernel_lead_ns = 7120 must be at most "
            "core.seq.kernel_overhead_ns = 100; change one of the two");
}

TEST(MachineFile, ClocksWithoutACommonTickAreRefused) {
  EXPECT_EQ(refusal(changed("[core.clock]\ntensor_hz = 2400000001\n")),
            "my.toml  TY-HW-007  core.clock: 2400000001, 960000000, 1200000000, 1200000000, "
            "1200000000 Hz have no common tick below 10^12 Hz; choose clocks with a larger common "
            "divisor, such as multiples of 10 MHz");
}

TEST(MachineFile, AMissingFileIsRefused) {
  EXPECT_EQ(
      refusal(load_machine("no/such/machine.toml")),
      "TY-HW-008  cannot read the machine file 'no/such/machine.toml'; check its name and its "
      "rights");
  EXPECT_EQ(load_machine(".").status().code(), "TY-HW-008");
}

TEST(MachineFile, ADumpLoadsBackToAnEqualMachine) {
  for (const std::string& target : target_names()) {
    const Machine machine = *find_target(target);
    const auto again = parse(machine_to_toml(machine));
    ASSERT_TRUE(again) << refusal(again);
    EXPECT_EQ(*again, machine) << target;
  }
}

// Every field in turn takes another value that is legal on its own; whatever settles must survive.
TEST(MachineFile, ADumpOfAChangedMachineLoadsBackToAnEqualMachine) {
  int survived = 0;
  for (const CoreField& field : core_fields()) {
    const double value = field.get(kNeuronCoreV3).value;
    const bool whole = field.kind != FieldKind::Real;
    const double other = value == field.low ? field.high : whole ? field.low : value * 0.7;
    const std::string text = field.kind == FieldKind::Flag ? (other != 0 ? "true" : "false")
                             : whole ? fmt::format("{}", static_cast<int64_t>(other))
                                     : fmt::format("{}", other);
    const auto machine = changed(fmt::format("name = \"a \\\"b\\\"\"\n{} = {}\n", field.key, text));
    if (!machine) {
      EXPECT_TRUE(machine.status().code() == "TY-HW-006" || machine.status().code() == "TY-HW-007")
          << refusal(machine);
      continue;
    }
    ++survived;
    EXPECT_EQ(field.get(machine->core).source, "user:my.toml") << field.key;
    const auto again = parse(machine_to_toml(*machine));
    ASSERT_TRUE(again) << refusal(again);
    EXPECT_EQ(*again, *machine) << field.key;
  }
  EXPECT_GT(survived, 200);
}

// sim has arrays for sixteen of each.
TEST(MachineFile, RefusesMoreDmaEnginesOrQueuesThanTheSimulatorHas) {
  EXPECT_TRUE(changed("[core.dma]\nengines = 8\nqueues = 16\n").ok());
  EXPECT_FALSE(changed("[core.dma]\nengines = 17\n").ok());
  EXPECT_FALSE(changed("[core.dma]\nqueues = 32\n").ok());
}

}  // namespace
}  // namespace trainyard::hw
