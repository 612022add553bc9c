#include "sim/values/matmul_step.h"

namespace trainyard::sim {
namespace {

GemmUnit unit_of(const Compiler& c, const isa::Matmul& i) {
  return choose_unit(i.stationary.dtype, i.moving.dtype,
                     c.options.strict ? GemmOrder::Strict : GemmOrder::Default);
}

}  // namespace

MatmulStep::MatmulStep(const Compiler& c, const isa::Matmul& i)
    : dst_(c.operand(i.dst)),
      unit_(unit_of(c, i)),
      stationary_(c, i.stationary, i.perf_mode == isa::PerfMode::DoubleRow, layout_of(unit_),
                  GemmSide::Stationary),
      moving_(c, i.moving, i.perf_mode == isa::PerfMode::DoubleRow, layout_of(unit_),
              GemmSide::Moving),
      accumulate_(i.accumulate),
      psum_bytes_(c.homes[i.dst.tensor].bytes) {}

bool MatmulStep::can_nest(const ExecContext& context) const {
  return accumulate_ != isa::Accumulate::Overwrite && context.writes_direct(dst_.pattern) &&
         is_psum_tile(dst_.pattern);
}

PsumState MatmulStep::visit(Lane& lane, std::vector<uint8_t>& written) const {
  const PsumState state =
      lane.psum[dst_.root].visit(dst_.pattern, dst_.offset(lane), psum_bytes_, written);
  switch (accumulate_) {
    case isa::Accumulate::Overwrite:
      return PsumState::Fresh;
    case isa::Accumulate::Add:
      return PsumState::Written;
    case isa::Accumulate::FirstWrite:
      return state;
  }
  return state;
}

PsumTile MatmulStep::tile(const Lane& lane) const {
  return {reinterpret_cast<float*>(dst_.data(lane)),
          static_cast<size_t>(dst_.pattern.pitch) / sizeof(float)};
}

void MatmulStep::run(Lane& lane) const {
  std::vector<uint8_t> written;
  const MatmulWork work{stationary_.get<GemmSide::Stationary>(lane),
                        moving_.get<GemmSide::Moving>(lane), unit_};
  const PsumState state = visit(lane, written);
  matmul(work, dst_.view(lane), state, written.data(), lane.exec);
}

void run_product(const MatmulStep& step, isa::LoopId k, int64_t count, Lane& lane) {
  if (count <= 0) return;
  std::vector<uint8_t> written;
  std::vector<PackedStationary> stationary;
  std::vector<PackedMoving> moving;
  int64_t& counter = lane.counters[k];
  counter = 0;
  const PsumState state = step.visit(lane, written);
  for (counter = 0; counter < count; ++counter) {
    stationary.push_back(step.stationary().get<GemmSide::Stationary>(lane));
    moving.push_back(step.moving().get<GemmSide::Moving>(lane));
  }
  counter = 0;
  if (state == PsumState::Mixed) {
    // Element by element: the first instruction decides, the others add.
    for (int64_t i = 0; i < count; ++i) {
      matmul({stationary[i], moving[i], step.unit()}, step.dst().view(lane),
             i == 0 ? PsumState::Mixed : PsumState::Written, written.data(), lane.exec);
    }
    return;
  }
  const PsumTile dst = step.tile(lane);
  const MatmulNest nest{
      .m_tiles = 1,
      .n_tiles = 1,
      .k_tiles = static_cast<size_t>(count),
      .stationary = stationary,
      .moving = moving,
      .dst = {&dst, 1},
      .first = state == PsumState::Fresh ? PsumWrite::Overwrite : PsumWrite::Accumulate};
  matmul_nest(nest, step.unit());
}

}  // namespace trainyard::sim
