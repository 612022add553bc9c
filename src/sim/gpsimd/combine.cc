#include "sim/gpsimd/combine.h"

#include <array>
#include <cstring>

namespace trainyard::sim::gpsimd {

using namespace isa::gpsimd;

LaneFunction::LaneFunction(const Function& function)
    : function_(function),
      rooms_(function.values.size()),
      where_(function.values.size()),
      staged_(function.blocks[0].results.size()) {
  for (const Op& op : function.blocks[0].ops) {
    Step step{.op = lane_op(function, op), .out = op.out[0]};
    for (size_t i = 0; i < op.in.size(); ++i) step.in[i] = op.in[i];
    rooms_[step.out].resize(kMostLanes);
    where_[step.out] = rooms_[step.out].data();
    if (op.code == Code::Constant) {
      apply(step.op, nullptr, nullptr, nullptr, rooms_[step.out].data(), kMostLanes);
    } else {
      steps_.push_back(step);
    }
  }
}

void LaneFunction::run(std::span<const void* const> params, std::span<void* const> results,
                       int64_t n) {
  const Block& body = function_.blocks[0];
  for (size_t i = 0; i < params.size(); ++i) where_[body.params[i]] = params[i];
  // The functions may be moved, so rooms are looked up, not remembered.
  for (const Step& s : steps_) {
    where_[s.out] = rooms_[s.out].data();
    apply(s.op, where_[s.in[0]], where_[s.in[1]], where_[s.in[2]], rooms_[s.out].data(), n);
  }
  std::array<const void*, 64> from_few;
  std::vector<const void*> from_many(results.size() > from_few.size() ? results.size() : 0);
  const void** from = from_many.empty() ? from_few.data() : from_many.data();
  for (size_t i = 0; i < results.size(); ++i) {
    const ValueId v = body.results[i];
    from[i] = rooms_[v].empty() ? where_[v] : rooms_[v].data();
    if (!rooms_[v].empty()) continue;
    // A param may lie where another result goes.
    staged_[i].resize(kMostLanes);
    std::memcpy(staged_[i].data(), from[i], n * size_of(function_.values[v].type));
    from[i] = staged_[i].data();
  }
  for (size_t i = 0; i < results.size(); ++i) {
    std::memcpy(results[i], from[i], n * size_of(function_.values[body.results[i]].type));
  }
}

Folder::Folder(const Program& program, const Fold& fold, std::vector<Type> types)
    : types_(std::move(types)) {
  if (fold.kind == Fold::Kind::Function) {
    functions_.emplace_back(program.functions[fold.function]);
  } else {
    op_ = {.code = code_of(fold.kind).value_or(Code::Add), .in = types_[0], .out = types_[0]};
  }
}

void Folder::lanes(std::span<void* const> acc, std::span<const void* const> x, int64_t n) {
  if (!is_function()) return apply(op_, acc[0], x[0], nullptr, acc[0], n);
  std::vector<const void*> params(acc.begin(), acc.end());
  params.insert(params.end(), x.begin(), x.end());
  functions_[0].run(params, acc, n);
}

void Folder::line(void* acc, const Line& line, int64_t n) {
  if (!is_function()) return fold_line(op_.code, op_.in, acc, line, n);
  const int64_t size = size_of(types_[0]);
  const auto* x = static_cast<const std::byte*>(line.x);
  auto* y = static_cast<std::byte*>(line.y);
  for (int64_t i = 0; i < n; ++i) {
    if (y != nullptr && line.exclusive) std::memcpy(y + i * size, acc, size);
    const void* const params[] = {acc, x + i * size};
    functions_[0].run(params, {&acc, 1}, 1);
    if (y != nullptr && !line.exclusive) std::memcpy(y + i * size, acc, size);
  }
}

}  // namespace trainyard::sim::gpsimd
