#include "sim/values/products.h"

#include <algorithm>

#include "sim/values/walk.h"

namespace trainyard::sim {
namespace {

bool depends_on(const OperandRef& operand, isa::LoopId loop) {
  return std::any_of(operand.terms.begin(), operand.terms.end(), [&](const isa::Term& t) {
    return t.variable == isa::Variable{isa::Variable::Kind::Counter, loop};
  });
}

bool writes_directly(const BodyPlan& plan, const MatmulStep& step) {
  ExecContext context;
  context.convert = plan.options.convert;
  return step.can_nest(context);
}

// repeat k { mm }
bool make_product(const BodyPlan& plan, Node& node) {
  if (node.kind != Node::Kind::Repeat || node.body.size() != 1) return false;
  const Node& only = node.body.front();
  if (only.kind != Node::Kind::Step || !only.step->bounds.empty()) return false;
  const auto* mm = dynamic_cast<const MatmulStep*>(only.step.get());
  if (mm == nullptr || !writes_directly(plan, *mm) || depends_on(mm->dst(), node.id)) return false;
  if (!mm->stationary().has_slots_of(node.id) || !mm->moving().has_slots_of(node.id)) return false;
  node.kind = Node::Kind::Product;
  node.matmul = mm;
  return true;
}

// Tensors that the nodes write, or declare anew.
void collect_changes(const BodyPlan& plan, const std::vector<Node>& nodes,
                     std::vector<isa::TensorId>& out) {
  for (const Node& n : nodes) {
    if (n.kind == Node::Kind::Tensor) out.push_back(n.id);
    if (n.kind == Node::Kind::Step) {
      isa::each_access(plan.program.insts[n.id].op,
                       [&](std::string_view, const isa::Access& a, isa::Role role) {
                         if (role != isa::Role::Read) out.push_back(plan.homes[a.tensor].root);
                       });
    }
    collect_changes(plan, n.body, out);
    collect_changes(plan, n.other, out);
  }
}

// repeat m { tensors; product into one of them; rest }, where the rest leaves the operands alone.
bool make_batch(const BodyPlan& plan, Node& node) {
  if (node.kind != Node::Kind::Repeat) return false;
  const auto first = std::find_if(node.body.begin(), node.body.end(),
                                  [](const Node& n) { return n.kind != Node::Kind::Tensor; });
  if (first == node.body.end() || first->kind != Node::Kind::Product) return false;
  const MatmulStep& mm = *first->matmul;
  const bool own_tile =
      std::any_of(node.body.begin(), first, [&](const Node& n) { return n.id == mm.dst().root; });
  if (!own_tile || mm.accumulate() != isa::Accumulate::FirstWrite) return false;
  if (depends_on(mm.dst(), node.id)) return false;
  if (!plan.program.loops[first->id].count.is_constant()) return false;
  const bool by_stationary = mm.stationary().depends_on(node.id);
  if (by_stationary == mm.moving().depends_on(node.id)) return false;
  const PackedOperand& moves = by_stationary ? mm.stationary() : mm.moving();
  const PackedOperand& stays = by_stationary ? mm.moving() : mm.stationary();
  const isa::LoopId k = first->id;
  if (!moves.has_slots_of(node.id) || !moves.has_slots_of(k) || !stays.has_slots_of(k))
    return false;
  std::vector<isa::TensorId> changed;
  collect_changes(plan, node.body, changed);
  for (const PackedOperand* o : {&moves, &stays}) {
    for (const isa::TensorId t : {o->at().root, o->tile_tensor()}) {
      if (std::find(changed.begin(), changed.end(), t) != changed.end()) return false;
    }
  }
  const auto rest = first + 1;
  node.other.assign(std::make_move_iterator(node.body.begin()), std::make_move_iterator(rest));
  node.body.erase(node.body.begin(), rest);
  node.kind = Node::Kind::Batch;
  node.matmul = &mm;
  return true;
}

}  // namespace

void find_products(const BodyPlan& plan, std::vector<Node>& nodes,
                   std::vector<std::string>& remarks) {
  for (Node& node : nodes) {
    find_products(plan, node.body, remarks);
    find_products(plan, node.other, remarks);
    if (make_product(plan, node)) {
      remarks.push_back(fmt::format("{}: one product over {}",
                                    plan.program.insts[node.body.front().id].label,
                                    plan.program.loops[node.id].name));
    } else if (make_batch(plan, node)) {
      remarks.push_back(fmt::format("{}: products of several iterations at once",
                                    plan.program.loops[node.id].name));
    }
  }
}

namespace {

// PSUM tiles of a batch: enough to keep a moving tile in use, few enough for the cache.
constexpr int64_t kBatch = 8;

}  // namespace

Walker::Flow Walker::batch(const Node& n) {
  const int64_t count = plan_.program.loops[n.id].count.value(lane_.counters.data());
  const int64_t workers = team_ != nullptr ? team_->parallel.workers : 1;
  const int64_t size = std::clamp<int64_t>(count / workers, 1, kBatch);
  if (const int64_t parts = (count + size - 1) / size; should_share(n, parts)) {
    return share(n, parts, [&n, size, count](Walker& w, int64_t part) {
      return w.batch_part(n, part * size, std::min(size, count - part * size));
    });
  }
  for (int64_t first = 0; first < count; first += kBatch) {
    const Flow flow = batch_part(n, first, std::min(kBatch, count - first));
    if (flow == Flow::Stop) return flow;
  }
  lane_.counters[n.id] = 0;
  return Flow::Next;
}

Walker::Flow Walker::batch_part(const Node& n, int64_t first, int64_t count) {
  const MatmulStep& mm = *n.matmul;
  const Node& product = n.other.back();
  const int64_t depth = plan_.program.loops[product.id].count.constant;
  const isa::TensorId psum = mm.dst().root;
  const int64_t bytes = plan_.homes[psum].bytes;
  lane_.batch.reserve(bytes * kBatch);
  const bool by_stationary = mm.stationary().depends_on(n.id);
  // Outermost k, then the iterations, as a nest wants them.
  std::vector<PackedStationary> stationary;
  std::vector<PackedMoving> moving;
  std::vector<PsumTile> dst;
  int64_t& iteration = lane_.counters[n.id];
  int64_t& k = lane_.counters[product.id];
  for (k = 0; k < depth; ++k) {
    for (int64_t i = 0; i < count; ++i) {
      iteration = first + i;
      if (by_stationary || i == 0)
        stationary.push_back(mm.stationary().get<GemmSide::Stationary>(lane_));
      if (!by_stationary || i == 0) moving.push_back(mm.moving().get<GemmSide::Moving>(lane_));
    }
  }
  k = 0;
  for (int64_t i = 0; i < count; ++i) {
    lane_.base[psum] = lane_.batch.data() + i * bytes;
    dst.push_back(mm.tile(lane_));
  }
  const auto tiles = static_cast<size_t>(count);
  matmul_nest({.m_tiles = by_stationary ? tiles : 1,
               .n_tiles = by_stationary ? 1 : tiles,
               .k_tiles = static_cast<size_t>(depth),
               .stationary = stationary,
               .moving = moving,
               .dst = dst,
               .first = PsumWrite::Overwrite},
              mm.unit());
  lane_.executed += depth * count;
  std::vector<uint8_t> written;
  for (int64_t i = 0; i < count; ++i) {
    iteration = first + i;
    for (const Node& t : n.other) {
      if (t.kind == Node::Kind::Tensor && t.id != psum) tensor(t.id);
    }
    lane_.base[psum] = lane_.batch.data() + i * bytes;
    lane_.psum[psum].clear();
    mm.visit(lane_, written);
    const Flow flow = block(n.body);
    if (flow == Flow::Stop) return flow;
  }
  return Flow::Next;
}

}  // namespace trainyard::sim
