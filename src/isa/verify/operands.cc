// Rules for tensor operands: where they may lie and which patterns the ports can walk.
#include <algorithm>
#include <numeric>

#include "isa/operands.h"
#include "isa/ranges.h"
#include "isa/verify/rules.h"

namespace trainyard::isa {
namespace {

// The array reads SBUF and writes PSUM; GpSimd does not reach PSUM. [nki-trn1]
Status verify_reach(const Subject& s, const Named& operand, Role role) {
  const Memory memory = s.memory(operand.access);
  const auto refuse = [&](std::string_view wanted, std::string_view fix) {
    return s.refuse("TY-ISA-121", "{} ({}) is in {}, but the {} engine {} {} only; {}",
                    operand.name, s.tensor(operand.access).name, name(memory), hw::name(s.engine),
                    role == Role::Read ? "reads" : "writes", wanted, fix);
  };
  if (memory == Memory::Hbm) {
    return refuse("on-chip memory", "move it with dma_copy");
  }
  switch (s.engine) {
    case Engine::Tensor:
      if (role == Role::Read && memory != Memory::Sbuf) {
        return refuse("sbuf", "copy it to sbuf with tensor_copy first");
      }
      if (role != Role::Read && memory != Memory::Psum) {
        return refuse("psum", "let it write to psum and copy from there with tensor_copy");
      }
      return {};
    case Engine::Gpsimd:
      if (memory == Memory::Psum) return refuse("sbuf", "copy through sbuf with tensor_copy");
      return {};
    case Engine::Vector:
    case Engine::Scalar:
    case Engine::Sync:
      return {};
  }
  return {};
}

Status verify_partitions(const Subject& s, const Named& operand) {
  const int64_t most = s.core.limits.partitions.value;
  const int64_t n = operand.access.partitions;
  if (n >= 1 && n <= most) return {};
  return s.refuse("TY-ISA-122", "{} covers {} partitions, it must be 1 to {}; {}", operand.name, n,
                  most, "put what is beyond on the free axis, or use several instructions");
}

// Start partitions of engine operands lie on a granule that grows with the count. [nki-trn1]
Status verify_start(const Subject& s, const Named& operand) {
  const int64_t n = operand.access.partitions;
  const int64_t all = s.core.limits.partitions.value;
  const int64_t quadrant = s.core.limits.quadrant.value;
  const int64_t granule = n > all / 2 ? all : n > quadrant ? all / 2 : quadrant;
  const Affine start = start_partition(s.program, operand.access);
  if (start.has_register()) return {};  // checked when it runs
  int64_t off = start.constant % granule;
  for (const Term& t : start.terms) {
    if (off == 0) off = t.coefficient % granule;
  }
  if (off == 0) return {};
  return s.refuse("TY-ISA-123",
                  "{} begins at partition {}{}, but {} partitions may begin at {} only; move the "
                  "tensor to such a partition, or copy with dma_copy, which has no such rule",
                  operand.name, start.constant,
                  start.terms.empty() ? "" : " plus a multiple of a counter", n,
                  granule == all       ? std::string("0")
                  : granule == all / 2 ? fmt::format("0 and {}", all / 2)
                                       : fmt::format("multiples of {}", quadrant));
}

bool fits(const std::vector<Dim>& dims, const hw::CoreSpec& core) {
  const auto& limits = core.limits;
  return static_cast<int64_t>(dims.size()) <= limits.pattern_dims.value &&
         std::all_of(dims.begin(), dims.end(), [&](const Dim& d) {
           return d.count <= limits.pattern_count_max.value &&
                  d.step >= limits.pattern_step_min.value &&
                  d.step <= limits.pattern_step_max.value;
         });
}

std::string text(const std::vector<Dim>& dims) {
  std::string out;
  for (const Dim& d : dims) {
    out += fmt::format("{}{}x step {}", out.empty() ? "" : ", ", d.count, d.step);
  }
  return out;
}

// The pattern as written, or merged, must fit the fields of the instruction. [nki-trn1]
Status verify_pattern(const Subject& s, const Named& operand) {
  const auto& limits = s.core.limits;
  std::vector<Dim> written = operand.access.dims;
  std::erase_if(written, [](const Dim& d) { return d.count == 1; });
  const std::vector<Dim> merged = coalesced(written);
  if (!fits(written, s.core) && !fits(merged, s.core)) {
    return s.refuse("TY-ISA-124",
                    "the pattern of {} ({}) has more than {} dims, a count above {} or a step "
                    "outside {} to {} elements; use several instructions",
                    operand.name, text(merged), limits.pattern_dims.value,
                    limits.pattern_count_max.value, limits.pattern_step_min.value,
                    limits.pattern_step_max.value);
  }
  const bool psum = s.psum(operand.access);
  const int64_t most = psum ? limits.psum_elements.value : limits.sbuf_elements.value;
  const int64_t n = operand.access.free_elements();
  const int64_t size = psum ? numerics::size_of(operand.access.dtype) : 1;
  const int64_t unit = psum ? numerics::size_of(Dtype::F32) : 1;
  if (n * size <= most * unit) return {};
  return s.refuse("TY-ISA-124", "{} has {} elements per partition, at most {} in {}; split it",
                  operand.name, n, most * unit / size, name(s.memory(operand.access)));
}

Status verify_type(const Subject& s, const Named& operand) {
  if (operand.access.dtype != Dtype::F8E4M3FN || s.core.has.e4m3fn.value) return {};
  return s.refuse("TY-ISA-131",
                  "{} is f8e4m3fn, which {} does not have; use f8e4m3 (largest value 240), or "
                  "convert on the host",
                  operand.name, s.core.name);
}

bool is_transfer_or_control(const Instruction& op) {
  return is_dma(op) || std::holds_alternative<GpsimdCall>(op) ||
         std::holds_alternative<RegisterLoad>(op) ||
         std::holds_alternative<RegisterStore>(op);
}

}  // namespace

TensorId root_of(const Program& program, TensorId id) {
  while (program.tensors[id].view) id = program.tensors[id].view->base;
  return id;
}

const TensorPlace& place_of_root(const Program& program, TensorId id) {
  static const TensorPlace kNowhere;
  const auto root = static_cast<size_t>(root_of(program, id));
  return root < program.placement.tensors.size() ? program.placement.tensors[root] : kNowhere;
}

Affine start_partition(const Program& program, const Access& access) {
  return access.partition + Affine(place_of_root(program, access.tensor).partition);
}

std::vector<Dim> coalesced(const std::vector<Dim>& dims) {
  std::vector<Dim> out;
  for (const Dim& d : dims) {
    if (d.count == 1) continue;
    if (!out.empty() && out.back().step == d.step * d.count) {
      out.back() = {d.step, out.back().count * d.count};
    } else {
      out.push_back(d);
    }
  }
  return out;
}

Status verify_bounds(const Subject& s, const Named& operand) {
  const Access& a = operand.access;
  const Tensor& tensor = s.tensor(a);
  const auto range = [&](const Affine& affine, auto inside) -> std::optional<Interval> {
    static const std::vector<Enclosure> kNone;
    if (s.around == nullptr && !affine.is_constant()) return std::nullopt;
    const auto& around = s.around != nullptr ? *s.around : kNone;
    const Interval quick = bounds(s.program, affine, around);
    return inside(quick) ? quick : exact_bounds(s.program, affine, around);
  };
  if (tensor.on_chip() && !a.partition.has_register()) {
    const auto inside = [&](const Interval& p) {
      return p.low >= 0 && p.high + a.partitions <= tensor.partitions();
    };
    const auto p = range(a.partition, inside);
    if (p && !inside(*p)) {
      return s.refuse("TY-ISA-125",
                      "{} reaches partitions {} to {} of {}, which has {}; fix the slice or the "
                      "loop bound",
                      operand.name, p->low, p->high + a.partitions - 1, tensor.name,
                      tensor.partitions());
    }
  }
  if (a.offset.has_register()) return {};
  const Hull h = hull(a);
  const int64_t size = tensor.free_bytes() / numerics::size_of(a.dtype);
  const auto inside = [&](const Interval& o) {
    return o.low + h.begin >= 0 && o.high + h.end <= size;
  };
  const auto o = range(a.offset, inside);
  if (!o || inside(*o)) return {};
  return s.refuse("TY-ISA-125",
                  "{} reaches elements {} to {} of {}, which has {} {}{}; fix the slice or the "
                  "loop bound",
                  operand.name, o->low + h.begin, o->high + h.end - 1, tensor.name, size,
                  numerics::name(a.dtype), tensor.on_chip() ? " per partition" : "");
}

Status verify_operands(const Subject& s) {
  const bool datapath = !is_transfer_or_control(s.inst.op);
  Status found;
  each_access(s.inst.op, [&](std::string_view n, const Access& a, Role role) {
    const Named operand{n, a};
    const auto check = [&](auto rule) {
      if (found.ok()) found = rule();
    };
    if (datapath) {
      check([&] { return verify_reach(s, operand, role); });
      check([&] { return verify_partitions(s, operand); });
      check([&] { return verify_start(s, operand); });
      check([&] { return verify_pattern(s, operand); });
      check([&] { return verify_type(s, operand); });
    } else if (s.tensor(a).on_chip()) {
      check([&] { return verify_partitions(s, operand); });
    }
  });
  return found;
}

Status same_partitions(const Subject& s, const Named& a, const Named& b) {
  if (a.access.partitions == b.access.partitions) return {};
  return s.refuse("TY-ISA-127", "{} covers {} partitions and {} covers {}; make them equal", a.name,
                  a.access.partitions, b.name, b.access.partitions);
}

Status same_shape(const Subject& s, const Named& a, const Named& b) {
  TY_TRY(same_partitions(s, a, b));
  const int64_t n = a.access.free_elements(), m = b.access.free_elements();
  if (n == m) return {};
  return s.refuse("TY-ISA-127",
                  "{} has {} elements per partition and {} has {}; make them equal (a step of 0 "
                  "repeats an element)",
                  a.name, n, b.name, m);
}

Status elements_are(const Subject& s, const Named& a, int64_t elements, std::string_view why) {
  if (a.access.free_elements() == elements) return {};
  return s.refuse("TY-ISA-127", "{} has {} elements per partition, it must have {}: {}", a.name,
                  a.access.free_elements(), elements, why);
}

Status not_both_psum(const Subject& s, const Named& a, const Named& b) {
  if (!s.psum(a.access) || !s.psum(b.access)) return {};
  return s.refuse("TY-ISA-126",
                  "{} and {} are both in psum, but the vector engine reads at most one of its two "
                  "inputs from there; copy one of them to sbuf with tensor_copy",
                  a.name, b.name);
}

Status column(const Subject& s, const Named& a, const Access& like) {
  if (a.access.partitions == like.partitions && a.access.free_elements() == 1) return {};
  return s.refuse("TY-ISA-128",
                  "{} is {} x {}, it must be a number or have one element on each of the {} "
                  "partitions",
                  a.name, a.access.partitions, a.access.free_elements(), like.partitions);
}

Status column_or_number(const Subject& s, std::string_view name, const Operand& operand,
                        const Access& like) {
  const Access* tile = std::get_if<Access>(&operand);
  return tile == nullptr ? Status() : column(s, {name, *tile}, like);
}

Status type_is(const Subject& s, const Named& a, std::initializer_list<Dtype> allowed) {
  if (std::find(allowed.begin(), allowed.end(), a.access.dtype) != allowed.end()) return {};
  std::vector<std::string_view> names;
  for (const Dtype d : allowed) names.push_back(numerics::name(d));
  return s.refuse("TY-ISA-129", "{} is {}, it must be {}; convert it with tensor_copy", a.name,
                  numerics::name(a.access.dtype), fmt::join(names, ", "));
}

Status same_type(const Subject& s, const Named& a, const Named& b) {
  if (a.access.dtype == b.access.dtype) return {};
  return s.refuse("TY-ISA-129", "{} is {} and {} is {}, but {} does not convert; make them equal",
                  a.name, numerics::name(a.access.dtype), b.name, numerics::name(b.access.dtype),
                  name(s.inst.op));
}

}  // namespace trainyard::isa
