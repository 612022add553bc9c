#include "isa/cost_dma.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "isa/cost/math.h"
#include "isa/engines.h"

namespace trainyard::isa {
namespace {

// Elements that follow each other in memory and in the order of the pattern. An indirect side
// begins anew at every row.
int64_t run_elements(const Access& access, bool indirect) {
  const size_t first = indirect ? 1 : 0;
  int64_t run = 1;
  for (size_t i = access.dims.size(); i-- > first;) {
    if (access.dims[i].count == 1) continue;
    if (access.dims[i].step != run) break;
    run *= access.dims[i].count;
  }
  return run;
}

// Cuts [begin, end) at every multiple of `a` and of `b`; calls piece(length, how many).
template <class F>
void each_piece(int64_t begin, int64_t end, int64_t a, int64_t b, F&& piece) {
  const int64_t small = std::min(a, b), large = std::max(a, b);
  if (large % small != 0) {
    for (int64_t at = begin; at < end;) {
      const int64_t next = std::min({(at / a + 1) * a, (at / b + 1) * b, end});
      piece(next - at, int64_t{1});
      at = next;
    }
    return;
  }
  const int64_t aligned = std::min(end, ceil_divide(begin, small) * small);
  if (aligned > begin) piece(aligned - begin, int64_t{1});
  const int64_t whole = (end - aligned) / small;
  if (whole > 0) piece(small, whole);
  const int64_t rest = (end - aligned) % small;
  if (rest > 0) piece(rest, int64_t{1});
}

// The transfer as a plain copy between two patterns.
struct Copy {
  const Access* dst = nullptr;
  const Access* src = nullptr;
  bool dst_indirect = false, src_indirect = false;
  int64_t packet = 0;       // HBM to HBM: bytes that one engine takes at a time
  double share = 1;         // of the copy rate
  bool by_element = false;  // one descriptor per element
  bool by_row = false;      // one descriptor per destination row, whatever the source looks like
};

class Shaper {
 public:
  Shaper(const Program& program, const Inst& inst, const CostModel& model)
      : program_(program), core_(model.core), dma_(model.core.dma) {
    shape_.dge = resolve_dge(program, inst, core_);
    shape_.engines.resize(fact_(dma_.engines));
    busy_millionths_.resize(shape_.engines.size());
    sustained_ = millionths(fact_(dma_.sustained_bytes_per_ns));
    small_row_bytes_ = fact_(dma_.small_row_bytes);
    small_row_ = millionths(fact_(dma_.small_row_bytes_per_ns));
    floor_ = millionths(fact_(dma_.descriptor_floor_ns));
  }

  DmaShape copy(const DmaCopy& i) {
    Copy c{&i.dst, &i.src, i.dst_index.has_value(), i.src_index.has_value()};
    c.packet = fact_(dma_.packet_bytes);
    if (i.dst.dtype != i.src.dtype) c.share = fact_(dma_.cast_rate);
    return run(c);
  }

  DmaShape transpose(const DmaTranspose& i) {
    Copy c{&i.dst, &i.src};
    c.share = fact_(is_hbm(i.src) ? dma_.transpose_hbm_rate : dma_.transpose_sbuf_rate);
    c.by_element = c.share == 0;
    c.by_row = !c.by_element;
    if (c.by_element) c.share = 1;
    return run(c);
  }

  DmaShape sendrecv(const SendRecv& i) {
    DmaShape shape = run({&i.dst, &i.src});
    shape.dispatch = ns(dma_.sendrecv_ns);
    shape.lag = shape.notify = Ticks{};
    shape.trust = fact_.trust();
    return shape;
  }

  DmaShape collective(const Collective& i) {
    const bool gathers = i.dst.elements() > i.src.elements();
    Copy c{gathers ? &i.dst : &i.src, gathers ? &i.dst : &i.src};
    c.packet = fact_(dma_.collective_packet_bytes);
    DmaShape shape = run(c);
    shape.hbm_read_bytes = bytes_of(i.src);
    shape.hbm_write_bytes = bytes_of(i.dst);
    return shape;
  }

 private:
  bool is_hbm(const Access& a) const { return program_.tensors[a.tensor].memory == Memory::Hbm; }
  static int64_t bytes_of(const Access& a) { return a.elements() * numerics::size_of(a.dtype); }
  Ticks ns(const hw::Fact<double>& t) { return hw::ticks_from_ns(core_, fact_(t)); }

  int64_t first_partition(const Access& a) const {
    const Tensor* tensor = &program_.tensors[a.tensor];
    TensorId id = a.tensor;
    while (tensor->view) {
      id = tensor->view->base;
      tensor = &program_.tensors[id];
    }
    const auto& places = program_.placement.tensors;
    const int64_t placed = static_cast<size_t>(id) < places.size() ? places[id].partition : 0;
    return placed + a.partition.constant;
  }

  DmaShape run(const Copy& c) {
    const bool from_hbm = is_hbm(*c.src), to_hbm = is_hbm(*c.dst);
    shape_.direction = from_hbm ? (to_hbm ? Direction::HbmToHbm : Direction::Load)
                                : (to_hbm ? Direction::Store : Direction::SbufToSbuf);
    if (from_hbm) shape_.hbm_read_bytes = bytes_of(*c.src);
    if (to_hbm) shape_.hbm_write_bytes = bytes_of(*c.dst);
    shape_.bytes = std::max(bytes_of(*c.src), bytes_of(*c.dst));
    rate_ = static_cast<int64_t>(Wide{sustained_} * millionths(c.share) / kMillion);
    if (shape_.direction == Direction::HbmToHbm) {
      deal_packets(c);
    } else {
      deal_rows(c, to_hbm ? *c.src : *c.dst);
    }
    finish();
    return shape_;
  }

  // Engine e serves its own block of partitions.
  void deal_rows(const Copy& c, const Access& rows) {
    const int64_t per_engine =
        fact_(core_.limits.partitions) / static_cast<int64_t>(shape_.engines.size());
    const int64_t row = rows.free_elements();
    const int64_t element = element_bytes(c);
    const int64_t cut_dst = c.by_element ? 1 : run_length(*c.dst, c.dst_indirect);
    const int64_t cut_src = c.by_row ? cut_dst : run_length(*c.src, c.src_indirect);
    const int64_t first = first_partition(rows);
    for (int64_t p = 0; p < rows.partitions; ++p) {
      const auto last = static_cast<int64_t>(shape_.engines.size()) - 1;
      const int64_t engine = std::clamp<int64_t>((first + p) / per_engine, 0, last);
      each_piece(p * row, (p + 1) * row, cut_dst, cut_src,
                 [&](int64_t n, int64_t times) { add(engine, n * element, times); });
    }
  }

  void deal_packets(const Copy& c) {
    const int64_t element = element_bytes(c);
    const int64_t packet = std::max<int64_t>(1, c.packet / element);
    const auto engines = static_cast<int64_t>(shape_.engines.size());
    int64_t next = 0;
    const auto deal = [&](int64_t bytes, int64_t times) {
      for (int64_t e = 0; e < engines; ++e) {
        const int64_t share = times / engines + (e < times % engines ? 1 : 0);
        if (share > 0) add((next + e) % engines, bytes, share);
      }
      next = (next + times) % engines;
    };
    const int64_t total = c.dst->elements();
    each_piece(0, total, run_length(*c.dst, c.dst_indirect), run_length(*c.src, c.src_indirect),
               [&](int64_t n, int64_t times) {
                 const int64_t whole = n / packet, rest = n % packet;
                 if (whole > 0) deal(packet * element, whole * times);
                 if (rest > 0) deal(rest * element, times);
               });
  }

  static int64_t element_bytes(const Copy& c) {
    return std::max(numerics::size_of(c.dst->dtype), numerics::size_of(c.src->dtype));
  }
  static int64_t run_length(const Access& a, bool indirect) {
    return std::max<int64_t>(1, run_elements(a, indirect));
  }

  // `times` descriptors of `bytes` each on one engine. Time is summed in millionths of a tick.
  void add(int64_t engine, int64_t bytes, int64_t times) {
    DmaShape::EngineLoad& load = shape_.engines[engine];
    load.descriptors += times;
    load.bytes += bytes * times;
    const bool small = small_row_bytes_ > 0 && bytes <= small_row_bytes_;
    const int64_t rate = small ? std::min(rate_, small_row_) : rate_;
    const bool at_floor = Wide{bytes} * kMillion * kMillion < Wide{floor_} * rate;
    const int64_t time = at_floor
                             ? ceil_divide_wide(Wide{times} * floor_ * core_.tick_hz, 1'000'000'000)
                             : ceil_divide_wide(Wide{times} * bytes * core_.tick_hz * 1'000, rate);
    busy_millionths_[engine] += time;
  }

  void finish() {
    int64_t used = 0;
    for (size_t e = 0; e < shape_.engines.size(); ++e) {
      DmaShape::EngineLoad& load = shape_.engines[e];
      load.payload = Ticks{ceil_divide(busy_millionths_[e], kMillion)};
      shape_.payload = std::max(shape_.payload, load.payload);
      shape_.descriptors += load.descriptors;
      used += load.descriptors > 0 ? 1 : 0;
    }
    const bool store = shape_.direction == Direction::Store;
    shape_.gap = ns(dma_.transfer_gap_ns);
    shape_.dispatch = ns(store ? dma_.dispatch_store_ns : dma_.dispatch_load_ns);
    shape_.notify = ns(store ? dma_.notify_store_ns : dma_.notify_load_ns);
    shape_.lag = lag(used, store);
    generate();
    shape_.trust = fact_.trust();
  }

  // The engines start one after the other, and together they run a little slower or faster than one
  // alone. An engine that has the transfer for itself shows neither. [voyager-3p]
  Ticks lag(int64_t used, bool store) {
    const Ticks stagger = ns(store ? dma_.stagger_store_ns : dma_.stagger_load_ns);
    const int64_t slope = millionths(fact_(store ? dma_.slope_store : dma_.slope_load));
    const Wide all =
        Wide{stagger.value} * kMillion + Wide{shape_.payload.value} * (slope - kMillion);
    const auto others = static_cast<int64_t>(shape_.engines.size()) - 1;
    if (all <= 0 || used <= 1 || others == 0) return Ticks{};
    return Ticks{static_cast<int64_t>(all * (used - 1) / (Wide{kMillion} * others))};
  }

  void generate() {
    shape_.trigger = ns(dma_.issue_static_ns);
    switch (shape_.dge) {
      case DgeMode::Swdge: {
        const int64_t more =
            std::max<int64_t>(0, shape_.descriptors - fact_(dma_.issue_swdge_free_descriptors));
        const Ticks extra = hw::ticks_from_ns(
            core_, static_cast<double>(more) * fact_(dma_.issue_swdge_descriptor_ns));
        shape_.generate = ns(dma_.issue_swdge_ns) + extra;
        shape_.trigger = shape_.generate;  // it is microcode of the triggering engine
        shape_.dispatch += extra;
        return;
      }
      case DgeMode::Hwdge:
        shape_.generate = ns(dma_.issue_hwdge_ns);
        return;
      case DgeMode::Static:
      case DgeMode::Unknown:
        shape_.ring_bytes = shape_.descriptors * fact_(dma_.descriptor_bytes);
        return;
    }
  }

  const Program& program_;
  const hw::CoreSpec& core_;
  const hw::CoreSpec::Dma& dma_;
  FactReader fact_;
  DmaShape shape_;
  std::vector<int64_t> busy_millionths_;
  // In millionths: bytes per ns of one engine, and ns.
  int64_t sustained_ = 0, rate_ = 0, small_row_ = 0, floor_ = 0;
  int64_t small_row_bytes_ = 0;
};

}  // namespace

std::string_view name(Direction direction) {
  constexpr std::array<std::string_view, 4> kNames = {"load", "store", "hbm_to_hbm",
                                                      "sbuf_to_sbuf"};
  return kNames[static_cast<size_t>(direction)];
}

DmaShape dma_shape(const Program& program, const Inst& inst, const CostModel& model) {
  Shaper shaper(program, inst, model);
  if (const auto* i = std::get_if<DmaCopy>(&inst.op)) return shaper.copy(*i);
  if (const auto* i = std::get_if<DmaTranspose>(&inst.op)) return shaper.transpose(*i);
  if (const auto* i = std::get_if<SendRecv>(&inst.op)) return shaper.sendrecv(*i);
  const auto* i = std::get_if<Collective>(&inst.op);
  TY_CHECK(i != nullptr);
  return shaper.collective(*i);
}

}  // namespace trainyard::isa
