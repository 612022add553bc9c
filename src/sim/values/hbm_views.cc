#include "sim/values/hbm_views.h"

#include <algorithm>
#include <numeric>

namespace trainyard::sim {
namespace {

using isa::Access;
using isa::Enclosure;

// A dim of the load: where it moves in the tile and in HBM, in elements. The partition moves by
// kPartition, which no free dim does.
struct LoadDim {
  int64_t tile_step = 0;
  int64_t count = 1;
  int64_t hbm_step = 0;
};
constexpr int64_t kPartition = int64_t{1} << 60;

// The dims of both sides of a transfer as one list; nothing if they have no common refinement.
std::optional<std::vector<LoadDim>> joined_dims(const Access& tile, const Access& hbm) {
  std::vector<isa::Dim> to = {{kPartition, tile.partitions}};
  to.insert(to.end(), tile.dims.begin(), tile.dims.end());
  std::vector<isa::Dim> from = hbm.dims;
  std::vector<LoadDim> out;
  while (!to.empty() && !from.empty()) {
    isa::Dim &t = to.back(), &f = from.back();
    const int64_t common = std::gcd(t.count, f.count);
    if (common == 1 && t.count > 1 && f.count > 1) return std::nullopt;
    if (common > 1) {
      // Partitions are one dim: the pitch of the view.
      if (t.step == kPartition && common != t.count) return std::nullopt;
      out.push_back({t.step, common, f.step});
      t = {t.step == kPartition ? kPartition : t.step * common, t.count / common};
      f = {f.step * common, f.count / common};
    }
    if (t.count == 1) to.pop_back();
    if (f.count == 1) from.pop_back();
  }
  return out;
}

class Finder {
 public:
  Finder(const isa::Program& program, const std::vector<Home>& homes, const Uses& uses)
      : program_(program), homes_(homes), uses_(uses) {}

  std::optional<HbmView> find(isa::TensorId tile) const {
    const isa::DmaCopy* load = load_of(tile);
    if (load == nullptr) return std::nullopt;
    const isa::InstId id = write_of(tile)->inst;
    // The contents last for an iteration of the tile's own block, or of a block further inside
    // that holds all of its uses.
    const std::vector<Enclosure>& outer = uses_.structure.around_tensor(tile);
    size_t deepest = uses_.structure.around(id).size();
    for (const Use& u : uses_.of[tile]) {
      deepest = std::min<size_t>(deepest, isa::Structure::shared(uses_.structure.around(id),
                                                                 uses_.structure.around(u.inst)));
    }
    for (size_t depth = outer.size(); depth <= deepest; ++depth) {
      std::optional<HbmView> view = view_at(tile, load->dst, load->src, id, depth);
      if (view && reads_fit(tile, *view, id, depth)) return view;
    }
    return std::nullopt;
  }

  // A tile that one transfer stores, all of it: its instructions write HBM at once.
  std::optional<HbmView> find_stored(isa::TensorId tile) const {
    const isa::Tensor& t = program_.tensors[tile];
    if (t.memory != isa::Memory::Sbuf || t.view || uses_.has_views[tile]) return std::nullopt;
    const Use* stored = nullptr;
    for (const Use& u : uses_.of[tile]) {
      const auto* dma = std::get_if<isa::DmaCopy>(&program_.insts[u.inst].op);
      if (dma == nullptr) continue;
      if (stored != nullptr || u.access != &dma->src) return std::nullopt;
      stored = &u;
    }
    if (stored == nullptr) return std::nullopt;
    const auto& store = std::get<isa::DmaCopy>(program_.insts[stored->inst].op);
    if (!is_plain(t, store.src, store.dst) || store.src_index || store.dst_index) {
      return std::nullopt;
    }
    const size_t depth = uses_.structure.around_tensor(tile).size();
    if (uses_.structure.around(stored->inst).size() != depth) return std::nullopt;
    std::optional<HbmView> view = view_at(tile, store.src, store.dst, stored->inst, depth);
    if (!view || !writes_fit(tile, *view, stored->inst)) return std::nullopt;
    view->is_store = true;
    return view;
  }

 private:
  // Of a transfer between the whole of a tile and HBM: nothing to compute, nothing unknown.
  bool is_plain(const isa::Tensor& t, const Access& tile, const Access& hbm) const {
    return !tile.is_dynamic() && !hbm.is_dynamic() && tile.dtype == hbm.dtype &&
           tile.dtype == t.dtype && !program_.tensors[hbm.tensor].on_chip() &&
           tile.partition == isa::Affine(0) && tile.partitions == t.partitions();
  }

  // Nobody else touches the HBM tensor while the tile lives; nobody writes the tile once it is
  // stored; every use can be found in HBM as a pattern, and elements of HBM are all different.
  bool writes_fit(isa::TensorId tile, const HbmView& view, isa::InstId store) const {
    const std::vector<Enclosure>& block = uses_.structure.around_tensor(tile);
    for (const Use& u : uses_.of[homes_[view.tensor].root]) {
      if (u.inst != store && is_inside(uses_.structure.around(u.inst), block)) return false;
    }
    if (view.partition_step == 0 && program_.tensors[tile].partitions() > 1) return false;
    for (const int64_t step : view.steps) {
      if (step <= 0) return false;
    }
    return std::all_of(uses_.of[tile].begin(), uses_.of[tile].end(), [&](const Use& u) {
      const bool late = uses_.structure.order(u.inst) > uses_.structure.order(store);
      if (late && u.role != isa::Role::Read) return false;
      // Loops further in may want a copy of the tile for each worker.
      if (uses_.structure.around(u.inst).size() != block.size()) return false;
      const isa::Instruction& op = program_.insts[u.inst].op;
      return !std::holds_alternative<isa::DmaTranspose>(op) &&
             !std::holds_alternative<isa::GpsimdCall>(op) &&
             u.access->dtype == program_.tensors[tile].dtype && !u.access->is_dynamic() &&
             view_operand(program_, homes_, view, *u.access, uses_.structure.around(u.inst));
    });
  }

  // The one write of a tile.
  const Use* write_of(isa::TensorId tile) const {
    const Use* write = nullptr;
    for (const Use& u : uses_.of[tile]) {
      if (u.role == isa::Role::Read) continue;
      if (write != nullptr) return nullptr;
      write = &u;
    }
    return write;
  }

  // The load that fills the tile, if it is of the right kind.
  const isa::DmaCopy* load_of(isa::TensorId tile) const {
    const isa::Tensor& t = program_.tensors[tile];
    if (t.memory != isa::Memory::Sbuf || t.view || uses_.has_views[tile]) return nullptr;
    const Use* write = write_of(tile);
    if (write == nullptr) return nullptr;
    const auto* load = std::get_if<isa::DmaCopy>(&program_.insts[write->inst].op);
    if (load == nullptr || load->src_index || load->dst_index) return nullptr;
    return is_plain(t, load->dst, load->src) ? load : nullptr;
  }

  // Loops of the transfer inside `depth` enclosures become axes. `on_chip` is its side in the tile.
  std::optional<HbmView> view_at(isa::TensorId tile, const Access& on_chip, const Access& hbm,
                                 isa::InstId id, size_t depth) const {
    std::optional<std::vector<LoadDim>> dims = joined_dims(on_chip, hbm);
    if (!dims) return std::nullopt;
    HbmView view{.tensor = hbm.tensor, .load = id, .depth = depth, .offset = hbm.offset};
    const std::vector<Enclosure>& around = uses_.structure.around(id);
    isa::Affine start = on_chip.offset;
    for (size_t i = depth; i < around.size(); ++i) {
      if (around[i].kind != Enclosure::Kind::Loop) return std::nullopt;
      const isa::Loop& loop = program_.loops[around[i].id];
      if (loop.kind != isa::Loop::Kind::Repeat || !loop.count.is_constant()) return std::nullopt;
      const isa::Variable counter{isa::Variable::Kind::Counter, around[i].id};
      const int64_t tile_step = start.coefficient(counter),
                    hbm_step = view.offset.coefficient(counter);
      dims->push_back({tile_step, loop.count.constant, hbm_step});
      start += isa::Affine::counter(counter.id, -tile_step);
      view.offset += isa::Affine::counter(counter.id, -hbm_step);
    }
    if (!(start == isa::Affine(0))) return std::nullopt;
    return lay_out(std::move(view), std::move(*dims), program_.tensors[tile]);
  }

  // The dims must cover the tile, each element once.
  static std::optional<HbmView> lay_out(HbmView view, std::vector<LoadDim> dims,
                                        const isa::Tensor& tile) {
    std::erase_if(dims, [](const LoadDim& d) { return d.count == 1; });
    std::sort(dims.begin(), dims.end(),
              [](const LoadDim& a, const LoadDim& b) { return a.tile_step > b.tile_step; });
    int64_t covered = 1;
    for (auto d = dims.rbegin(); d != dims.rend(); ++d) {
      if (d->tile_step == kPartition) {
        view.partition_step = d->hbm_step;
        continue;
      }
      if (d->tile_step != covered) return std::nullopt;
      covered *= d->count;
      // Neighbours of one axis that are neighbours in HBM too are one axis.
      const bool joins =
          !view.axes.empty() && d->hbm_step == view.steps.front() * view.axes.front().count;
      if (joins) {
        view.axes.front().count *= d->count;
      } else {
        view.axes.insert(view.axes.begin(), {d->tile_step, d->count});
        view.steps.insert(view.steps.begin(), d->hbm_step);
      }
    }
    if (covered != tile.free_elements()) return std::nullopt;
    if (view.axes.empty()) {
      view.axes.push_back({1, 1});
      view.steps.push_back(1);
    }
    return view.steps.back() == 1 ? std::optional(std::move(view)) : std::nullopt;
  }

  bool reads_fit(isa::TensorId tile, const HbmView& view, isa::InstId load, size_t depth) const {
    const std::vector<Enclosure>& around = uses_.structure.around(load);
    const std::vector<Enclosure> block(around.begin(),
                                       around.begin() + static_cast<int64_t>(depth));
    for (const Use& u : uses_.of[homes_[view.tensor].root]) {
      const bool writes = u.role != isa::Role::Read;
      if (writes && is_inside(uses_.structure.around(u.inst), block)) return false;
    }
    // Contents that last longer than the tile's own block: older ones must not be seen any more.
    const bool older = depth > uses_.structure.around_tensor(tile).size();
    return std::all_of(uses_.of[tile].begin(), uses_.of[tile].end(), [&](const Use& u) {
      if (u.role != isa::Role::Read) return true;
      const int shared = isa::Structure::shared(uses_.structure.around(u.inst), around);
      if (older && shared > static_cast<int>(depth)) return false;
      return !std::holds_alternative<isa::DmaTranspose>(program_.insts[u.inst].op) &&
             u.access->dtype == program_.tensors[tile].dtype && !u.access->is_dynamic() &&
             uses_.structure.order(u.inst) > uses_.structure.order(load) &&
             view_operand(program_, homes_, view, *u.access, uses_.structure.around(u.inst));
    });
  }

  const isa::Program& program_;
  const std::vector<Home>& homes_;
  const Uses& uses_;
};

}  // namespace

std::vector<std::optional<HbmView>> find_hbm_views(const isa::Program& program,
                                                   const std::vector<Home>& homes,
                                                   const Uses& uses) {
  const Finder finder(program, homes, uses);
  std::vector<std::optional<HbmView>> views(program.tensors.size());
  for (size_t id = 0; id < views.size(); ++id) {
    const auto tile = static_cast<isa::TensorId>(id);
    views[id] = finder.find(tile);
    if (!views[id]) views[id] = finder.find_stored(tile);
  }
  return views;
}

std::optional<OperandRef> view_operand(const isa::Program& program, const std::vector<Home>& homes,
                                       const HbmView& view, const isa::Access& access,
                                       const std::vector<isa::Enclosure>& around) {
  const std::optional<AxisAccess> split =
      split_access(program, around, access.offset, access.dims, view.axes);
  if (!split) return std::nullopt;
  const int64_t size = numerics::size_of(access.dtype);
  isa::Affine elements = view.offset + access.partition * view.partition_step;
  for (size_t i = 0; i < view.axes.size(); ++i) elements += split->at[i] * view.steps[i];
  const isa::Affine bytes = elements * size;
  std::vector<Stride> dims;
  for (const AxisDim& d : split->dims)
    dims.push_back({d.axis < 0 ? 0 : d.step * view.steps[d.axis] * size, d.count});
  const Home& home = homes[view.tensor];
  return OperandRef{.root = home.root,
                    .constant = bytes.constant + home.offset,
                    .terms = bytes.terms,
                    .pattern = make_pattern(access.dtype, access.partitions,
                                            view.partition_step * size, std::move(dims))};
}

}  // namespace trainyard::sim
