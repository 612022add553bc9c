#pragma once
// Runs a collective on data, send by send, as its schedule says. The proof that a schedule is
// right; also what several simulated cores exchange.
#include <cstddef>
#include <span>
#include <vector>

#include "cluster/net/program.h"
#include "numerics/dtype.h"

namespace trainyard::cluster {

using Buffer = std::vector<std::byte>;

// What ReduceScatter and AllReduce make of the ranks' elements.
enum class Reduction : uint8_t { Sum, Min, Max };

// The output buffer of every rank for the input buffers of all. Sizes: AllGather C to n*C,
// ReduceScatter n*C to C, the others B to B. SendRecv and Permute give ranks without a sender an
// empty buffer.
//
// Reductions are made as the DMA engines make them: in fp32, rounded to `dtype` whenever they are
// written. A send that reads what its source does not hold is a bug of the schedule and stops the
// program. TY-NET-005: buffers of different sizes, or that cannot be divided over the ranks.
Result<std::vector<Buffer>> execute(const Program& program, numerics::Dtype dtype,
                                    std::span<const Buffer> inputs,
                                    Reduction reduction = Reduction::Sum);

}  // namespace trainyard::cluster
