#include "tools/nccom_check.h"

#include <algorithm>
#include <cstring>

#include "cluster/net/execute.h"

namespace trainyard::tools {
namespace {

using cluster::Op;
using Values = std::vector<float>;

// Enough to give every channel something.
constexpr size_t kElements = 8;
constexpr int64_t kMaxRanks = 1024;

// Small whole numbers, so that sums are exact in any order.
std::vector<Values> make_inputs(size_t ranks, size_t elements, bool ones) {
  std::vector<Values> inputs(ranks, Values(elements, 1.0F));
  for (size_t r = 0; r < ranks && !ones; ++r) {
    for (size_t i = 0; i < elements; ++i) inputs[r][i] = static_cast<float>((7 * i + 3 * r) % 5);
  }
  return inputs;
}

void append(Values& to, const Values& from, size_t part, size_t parts) {
  const size_t count = from.size() / parts;
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(part * count),
            from.begin() + static_cast<std::ptrdiff_t>((part + 1) * count));
}

// What rank `rank` should have; in a Permute it hears from `source[rank]`, if from anybody.
Values expected(Op op, const std::vector<Values>& in, size_t rank,
                const std::vector<int32_t>& source) {
  const size_t n = in.size();
  Values sum(in.front().size()), out;
  switch (op) {
    case Op::AllReduce:
    case Op::ReduceScatter:
      for (const Values& values : in) {
        for (size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
      }
      if (op == Op::AllReduce) return sum;
      append(out, sum, rank, n);
      return out;
    case Op::AllGather:
      for (const Values& values : in) append(out, values, 0, 1);
      return out;
    case Op::AllToAll:
      for (const Values& values : in) append(out, values, rank, n);
      return out;
    case Op::Broadcast:
      return in.front();
    case Op::SendRecv:
      return rank == 1 ? in.front() : Values();
    case Op::Permute:
      return source[rank] < 0 ? Values() : in[static_cast<size_t>(source[rank])];
  }
  return out;
}

}  // namespace

Status check_on_data(const NccomJob& job, const std::string& kind) {
  if (kind != "random" && kind != "all_ones") {
    return error("TY-NET-009", "check '{}': must be random or all_ones", kind);
  }
  const int64_t n = job.group.ranks();
  if (n > kMaxRanks) {
    return error("TY-NET-009", "--check runs at most {} ranks, these are {}", kMaxRanks, n);
  }
  const auto selection =
      cluster::select_algorithm(job.group, {job.op, job.sizes.front(), job.choice});
  if (!selection) return selection.status();
  const auto program = cluster::make_program(job.group.layout(), job.op, *selection);
  if (!program) return program.status();
  const bool cut = job.op == Op::ReduceScatter || job.op == Op::AllToAll;
  const auto ranks = static_cast<size_t>(n);
  const auto inputs = make_inputs(ranks, kElements * (cut ? ranks : 1), kind == "all_ones");
  std::vector<cluster::Buffer> buffers;
  for (const Values& values : inputs) {
    std::memcpy(buffers.emplace_back(4 * values.size()).data(), values.data(), 4 * values.size());
  }
  const auto outputs = cluster::execute(*program, numerics::Dtype::F32, buffers);
  if (!outputs) return outputs.status();
  std::vector<int32_t> source(ranks, -1);
  for (int32_t r = 0; job.op == Op::Permute && n > 1 && r < n; ++r) {
    const int32_t to = cluster::permute_target(program->parts[0].stages[0].schedule, r);
    if (to >= 0) source[static_cast<size_t>(to)] = r;
  }
  for (size_t r = 0; r < ranks && n > 1; ++r) {
    const Values right = expected(job.op, inputs, r, source);
    const cluster::Buffer& got = (*outputs)[r];
    TY_CHECK(got.size() == 4 * right.size());
    TY_CHECK(right.empty() || std::memcmp(got.data(), right.data(), got.size()) == 0);
  }
  return {};
}

}  // namespace trainyard::tools
