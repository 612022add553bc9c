#include "isa/verify.h"

#include "isa/engines.h"
#include "isa/operands.h"
#include "isa/ranges.h"
#include "isa/subscript.h"
#include "isa/verify/rules.h"

namespace trainyard::isa {
namespace {

// An indirect side of a gather or scatter: the leading dim is checked when it runs.
Access without_rows(Access a) {
  if (!a.dims.empty()) a.dims.erase(a.dims.begin());
  return a;
}

Status verify_all_bounds(const Subject& s) {
  const auto* copy = std::get_if<DmaCopy>(&s.inst.op);
  Status found;
  each_access(s.inst.op, [&](std::string_view n, const Access& a, Role) {
    if (!found.ok()) return;
    const bool indirect = copy != nullptr && ((&a == &copy->src && copy->src_index) ||
                                              (&a == &copy->dst && copy->dst_index));
    found = indirect ? verify_bounds(s, {n, without_rows(a)}) : verify_bounds(s, {n, a});
  });
  return found;
}

// Hardware keeps the counter of a counted loop to itself. [nki-guide]
Status verify_frozen_counters(const Subject& s) {
  RegisterId written = -1;
  if (const auto* i = std::get_if<RegisterMove>(&s.inst.op)) written = i->dst.id;
  if (const auto* i = std::get_if<RegisterAlu>(&s.inst.op)) written = i->dst.id;
  if (const auto* i = std::get_if<RegisterLoad>(&s.inst.op)) written = i->dst.id;
  if (written < 0 || s.around == nullptr) return {};
  for (const Enclosure& e : *s.around) {
    if (e.kind != Enclosure::Kind::Loop) continue;
    const Loop& loop = s.program.loops[e.id];
    if (loop.kind != Loop::Kind::Counted || loop.counter != written) continue;
    return s.refuse("TY-ISA-105",
                    "it writes {}, the counter of loop {} around it; use another register",
                    s.program.registers[written], loop.name);
  }
  return {};
}

// Terms so large that sums of them could overflow.
Status verify_magnitude(const Subject& s) {
  if (s.around == nullptr) return {};
  bool fit = true;
  each_access(s.inst.op, [&](std::string_view, const Access& a, Role) {
    fit &=
        terms_fit(s.program, a.offset, *s.around) && terms_fit(s.program, a.partition, *s.around);
  });
  if (const auto* i = std::get_if<Iota>(&s.inst.op)) {
    fit &= terms_fit(s.program, i->offset, *s.around);
  }
  if (const auto* i = std::get_if<AffineSelect>(&s.inst.op)) {
    fit &= terms_fit(s.program, i->offset, *s.around);
  }
  return fit ? Status()
             : s.refuse("TY-ISA-103", "a term of an address leaves 54 bits; use smaller numbers");
}

Status verify_inst(const Subject& s) {
  Status extent;
  each_access(s.inst.op, [&](std::string_view, const Access& a, Role) {
    if (extent.ok()) extent = check_extent(a).at(place_of(s.program, s.inst.source));
  });
  TY_TRY(extent);
  TY_TRY(verify_magnitude(s));
  TY_TRY(verify_operands(s));
  TY_TRY(std::visit([&](const auto& i) { return verify_op(s, i); }, s.inst.op));
  TY_TRY(verify_engine(s));
  TY_TRY(verify_all_bounds(s));
  return verify_frozen_counters(s);
}

// Collects reasons up to a number.
class Reasons {
 public:
  explicit Reasons(size_t most) : most_(most) {}
  bool full() const { return found_.size() >= most_; }
  bool none() const { return found_.empty(); }
  void add(Status status) {
    if (!status.ok() && !full()) found_.push_back(std::move(status));
  }
  std::vector<Status> take() { return std::move(found_); }

 private:
  size_t most_;
  std::vector<Status> found_;
};

std::vector<Status> reasons(const Program& program, const hw::CoreSpec& core, size_t most) {
  Reasons found(most);
  for (Status& s : verify_structure(program, core)) found.add(std::move(s));
  if (!found.none()) return found.take();
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    found.add(verify_shape(program, static_cast<TensorId>(i)));
  }
  if (!found.none()) return found.take();
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    found.add(verify_tensor(program, static_cast<TensorId>(i), core));
  }
  if (!found.none()) return found.take();

  found.add(verify_gpsimd_programs(program, core));
  if (!found.none()) return found.take();

  const Structure structure(program);
  for (size_t i = 0; i < program.loops.size(); ++i) {
    found.add(verify_loop(program, structure, static_cast<LoopId>(i)));
  }
  if (!found.none()) return found.take();  // bounds would mean nothing
  for (size_t i = 0; i < program.placement.tensors.size(); ++i) {
    found.add(verify_tensor_place(program, static_cast<TensorId>(i), core));
  }
  if (!found.none()) return found.take();
  const bool placed = !program.placement.insts.empty();
  for (const InstId id : structure.in_order()) {
    if (found.full()) break;
    const Inst& inst = program.insts[id];
    // The body's engine: a placement that moves the instruction is judged on its own.
    const Engine engine = resolve_engine(program, inst, core);
    Status status = verify_inst({program, inst, core, engine, &structure.around(id)});
    if (status.ok() && placed) status = verify_inst_place(program, structure, id, core);
    found.add(std::move(status));
  }
  if (found.none()) found.add(verify_queues(program));
  return found.take();
}

}  // namespace

Status verify(const Program& program, const hw::CoreSpec& core) {
  const std::vector<Status> found = reasons(program, core, 1);
  return found.empty() ? Status() : found.front();
}

std::vector<Status> verify_all(const Program& program, const hw::CoreSpec& core) {
  constexpr size_t kMost = 1000;  // nobody reads more
  return reasons(program, core, kMost);
}

Status verify(const Program& program, const Inst& inst, const hw::CoreSpec& core) {
  return verify_inst({program, inst, core, resolve_engine(program, inst, core), nullptr});
}

}  // namespace trainyard::isa
