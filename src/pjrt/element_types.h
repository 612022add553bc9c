#pragma once
// PJRT's names for element types and ours.
#include <optional>

#include "compiler/ir/types.h"
#include "pjrt/c_api/types.h"

namespace trainyard::pjrt {

// Nothing for types that have no array: tokens, the invalid type, single bits.
std::optional<compiler::ElementType> element_type(PJRT_Buffer_Type type);
// Invalid for types that cannot leave a program.
PJRT_Buffer_Type buffer_type(compiler::ElementType type);

}  // namespace trainyard::pjrt
