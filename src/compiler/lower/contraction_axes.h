#pragma once
// Axes of a contraction: which of them walk as one, and how they are cut into tiles.
#include "compiler/lower/contraction.h"

namespace trainyard::compiler {

using ContractionStep = int64_t ContractionAxis::*;  // &ContractionAxis::lhs and so on

// Takes out axes of one element.
void drop_single(Contraction& contraction);

// Neighbours that all of `tensors` walk as one axis become one. Slowest first.
ContractionAxes merged(const ContractionAxes& axes, const std::vector<ContractionStep>& tensors);

// The pattern of one tensor over `axes`.
std::vector<isa::Dim> dims_of(const ContractionAxes& axes, ContractionStep step);

int64_t elements(const ContractionAxes& axes);

// Whether a tensor has neighbours in memory along one of `axes`.
bool has_contiguous(const ContractionAxes& axes, ContractionStep step);

// Axes of one group: loops around, the axis that is cut into tiles, and what a unit of it holds.
struct AxesCut {
  ContractionAxes around;
  ContractionAxis lead;
  ContractionAxes inner;
  Extent extent() const { return {lead.count, elements(inner)}; }
  Walk walk(ContractionStep step) const { return {lead.*step, dims_of(inner, step)}; }
};

// `axes` slowest first. The longest fast part that fits `most` elements becomes the unit.
AxesCut cut(const ContractionAxes& axes, int64_t most);

}  // namespace trainyard::compiler
