// Tensors and loops of the body.
#include <algorithm>
#include <limits>

#include "isa/ranges.h"
#include "isa/subscript.h"
#include "isa/verify/rules.h"

namespace trainyard::isa {
namespace {

constexpr int64_t kMaxIterations = int64_t{1} << 40;

template <class... Args>
Status refuse(const Program& program, const Tensor& tensor, std::string_view code,
              fmt::format_string<Args...> text, Args&&... args) {
  return Status(
      code,
      fmt::format("tensor '{}': {}", tensor.name, fmt::format(text, std::forward<Args>(args)...)),
      place_of(program, tensor.source));
}

template <class... Args>
Status refuse(const Program& program, const Loop& loop, std::string_view code,
              fmt::format_string<Args...> text, Args&&... args) {
  return Status(code,
                fmt::format("{} '{}': {}", loop.kind == Loop::Kind::Repeat ? "repeat" : "loop",
                            loop.name, fmt::format(text, std::forward<Args>(args)...)),
                place_of(program, loop.source));
}

Status verify_view(const Program& program, const Tensor& t) {
  const Tensor& base = program.tensors[t.view->base];
  if (t.memory != base.memory) {
    return refuse(program, t, "TY-ISA-113",
                  "it is in {}, but a view of '{}', which is in {}; declare both in one memory",
                  name(t.memory), base.name, name(base.memory));
  }
  if (t.partitions() > base.partitions()) {
    return refuse(program, t, "TY-ISA-113",
                  "it has {} partitions, but '{}' has {}; a view has no more than its base",
                  t.partitions(), base.name, base.partitions());
  }
  const int64_t offset = t.view->offset;
  if (offset < 0 || offset > base.free_bytes() || t.free_bytes() > base.free_bytes() - offset) {
    return refuse(program, t, "TY-ISA-113",
                  "it takes bytes {} to {} of '{}', which has {}; make the view smaller or begin "
                  "it earlier",
                  offset, offset + t.free_bytes() - 1, base.name, base.free_bytes());
  }
  if (offset % numerics::size_of(t.dtype) == 0) return {};
  return refuse(program, t, "TY-ISA-113",
                "it begins at byte {}, which is no multiple of its {} "
                "bytes per element",
                offset, numerics::size_of(t.dtype));
}

Status verify_trips(const Program& program, const Loop& l) {
  const auto wrong = [](std::optional<int64_t> low, std::optional<int64_t> high) {
    return (low && *low < 0) || (high && *high < 0) || (low && high && *low > *high);
  };
  const Trips& t = l.trips;
  if (!wrong(t.min, t.expected) && !wrong(t.expected, t.max) && !wrong(t.min, t.max)) return {};
  return refuse(program, l, "TY-ISA-104", "its trips are not 0 <= min <= expected <= max");
}

Status verify_counted(const Program& program, const Loop& l) {
  if (l.step < 1 || l.step > std::numeric_limits<int32_t>::max()) {
    return refuse(program, l, "TY-ISA-104", "its step is {}, it must be a positive 32-bit number",
                  l.step);
  }
  for (const RegisterOperand* o : {&l.from, &l.to}) {
    const int64_t* n = std::get_if<int64_t>(o);
    if (n != nullptr &&
        (*n < std::numeric_limits<int32_t>::min() || *n > std::numeric_limits<int32_t>::max())) {
      return refuse(program, l, "TY-ISA-104",
                    "its bound {} does not fit a register; keep it within 32 bits", *n);
    }
  }
  return {};
}

}  // namespace

Status verify_shape(const Program& program, TensorId id) {
  const Tensor& t = program.tensors[id];
  const size_t least = t.on_chip() ? 2 : 0;
  if (t.shape.size() < least || t.shape.size() > kMaxAxes) {
    return refuse(program, t, "TY-ISA-110", "it has {} axes, in {} it must have {} to {}{}",
                  t.shape.size(), name(t.memory), least, kMaxAxes,
                  t.on_chip() ? " (partitions first; write [128,1] for a column)" : "");
  }
  int64_t elements = 1;
  for (const int64_t n : t.shape) {
    if (n < 1 || n > kMaxExtent / elements) {
      return refuse(program, t, "TY-ISA-110",
                    "the shape [{}] is empty or too large; every axis has from 1 element on, all "
                    "together at most 2^48",
                    fmt::join(t.shape, ","));
    }
    elements *= n;
  }
  return {};
}

Status verify_tensor(const Program& program, TensorId id, const hw::CoreSpec& core) {
  const Tensor& t = program.tensors[id];
  if (t.io != Io::None && (t.on_chip() || t.view)) {
    return refuse(program, t, "TY-ISA-112",
                  "it is {}, but only hbm tensors of their own can be "
                  "bound by the caller; copy to or from one",
                  name(t.io));
  }
  if (t.on_chip() && t.partitions() > core.limits.partitions.value) {
    return refuse(program, t, "TY-ISA-111",
                  "it has {} partitions, {} has {}; put what is beyond on a free axis",
                  t.partitions(), name(t.memory), core.limits.partitions.value);
  }
  const int64_t room = t.memory == Memory::Psum   ? core.psum.partition_bytes.value
                       : t.memory == Memory::Sbuf ? core.sbuf_usable_bytes()
                                                  : core.hbm.stack_bytes.value;
  if (t.free_bytes() > room) {
    return refuse(program, t, "TY-ISA-111", "it takes {} bytes{}, {} of {} has {}; {}",
                  t.free_bytes(), t.on_chip() ? " per partition" : "", name(t.memory), core.name,
                  room,
                  t.on_chip() ? "use smaller tiles"
                              : "split it over several programs or cores, or store a smaller type");
  }
  return t.view ? verify_view(program, t) : Status();
}

Status verify_loop(const Program& program, const Structure& structure, LoopId id) {
  const Loop& l = program.loops[id];
  if (l.kind == Loop::Kind::Repeat) {
    const Interval n = bounds(program, l.count, structure.around_loop(id));
    if (!terms_fit(program, l.count, structure.around_loop(id))) {
      return refuse(program, l, "TY-ISA-103",
                    "a term of its count leaves 54 bits; use smaller numbers");
    }
    // A count that falls below 0 for some counters runs no iteration there, as in a triangle; one
    // that is never 0 or more was not meant.
    const auto exact = exact_bounds(program, l.count, structure.around_loop(id));
    if (exact && exact->high < 0) {
      return refuse(program, l, "TY-ISA-103", "it repeats {} times; give a count from 0 on",
                    exact->high);
    }
    if (n.high <= kMaxIterations) return {};
    return refuse(program, l, "TY-ISA-103", "it may repeat {} times, at most {}; split it", n.high,
                  kMaxIterations);
  }
  TY_TRY(verify_trips(program, l));
  if (l.kind == Loop::Kind::Counted) return verify_counted(program, l);
  const auto exits = std::count_if(l.body.begin(), l.body.end(), [](const Statement& s) {
    return s.kind == Statement::Kind::ExitUnless;
  });
  if (exits == 1) return {};
  return refuse(program, l, "TY-ISA-104",
                "it has {} exit_unless at its top level, a loop without bounds has exactly 1",
                exits);
}

}  // namespace trainyard::isa
