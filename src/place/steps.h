#pragma once
// The steps of placement, in the order in which place.cc calls them.
#include <vector>

#include "base/status.h"
#include "hw/core_spec.h"
#include "isa/program.h"
#include "isa/structure.h"
#include "place/place.h"
#include "place/uses.h"

namespace trainyard::place {

// Gives every instruction an engine, every transfer a queue and a trigger engine.
//
// Needs:  nothing. Keeps:  what the author pinned; the bits (only same_bits_engines are chosen
// from).
Status choose_engines(isa::Program& program, const Uses& uses, const hw::CoreSpec& core,
                      const Options& options);

// The stage of each instruction in the loop that was split, and that loop (-1: none). A tensor of
// that loop needs a slot for each stage between its first writer and its last reader, and one more.
struct Stages {
  std::vector<int> stage;
  std::vector<isa::LoopId> loop;
};

// Splits the instructions of `repeat`s into stages, so that an engine does not wait for another one
// that waits for it: what comes first in a chain is issued some iterations ahead.
//
// Needs:  engines. Keeps:  an `ahead` that the author gave; then the whole loop stays as it is.
Stages choose_ahead(isa::Program& program, const Uses& uses, const hw::CoreSpec& core,
                    const Options& options, Report& report);

// Gives every tensor slots and an address in its memory.
//
// Needs:  engines, stages. Refuses with the table of what is live at the peak.
Status allocate(isa::Program& program, const Uses& uses, const Stages& stages,
                const hw::CoreSpec& core, const Options& options, Report& report);

// Finds who must wait for whom so that every schedule computes what the body says.
//
// Needs:  all of the above. Keeps:  the first given[i] edges of instruction i, which the author
// wrote.
void add_edges(isa::Program& program, const Uses& uses, const std::vector<size_t>& given,
               Report& report);

// Deletes edges that are implied by others in every instance.
//
// Needs:  edges. A program too long to walk keeps them all.
void drop_implied_edges(isa::Program& program, const isa::Structure& structure,
                        const std::vector<size_t>& given, Report& report);

}  // namespace trainyard::place
