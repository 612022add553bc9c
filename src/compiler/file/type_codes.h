#pragma once
// Codes of the element types in executable files; see isa/binary/codes.h for the rules. Types that
// no array of a caller can have are not here.
#include "compiler/ir/types.h"
#include "isa/binary/codes.h"

namespace trainyard::isa::binary {

template <>
inline constexpr std::array kCodes<compiler::ElementType> = {compiler::ElementType::I1,
                                                             compiler::ElementType::I2,
                                                             compiler::ElementType::I4,
                                                             compiler::ElementType::I8,
                                                             compiler::ElementType::I16,
                                                             compiler::ElementType::I32,
                                                             compiler::ElementType::I64,
                                                             compiler::ElementType::U2,
                                                             compiler::ElementType::U4,
                                                             compiler::ElementType::U8,
                                                             compiler::ElementType::U16,
                                                             compiler::ElementType::U32,
                                                             compiler::ElementType::U64,
                                                             compiler::ElementType::F4E2M1FN,
                                                             compiler::ElementType::F6E2M3FN,
                                                             compiler::ElementType::F6E3M2FN,
                                                             compiler::ElementType::F8E3M4,
                                                             compiler::ElementType::F8E4M3,
                                                             compiler::ElementType::F8E4M3FN,
                                                             compiler::ElementType::F8E4M3FNUZ,
                                                             compiler::ElementType::F8E4M3B11FNUZ,
                                                             compiler::ElementType::F8E5M2,
                                                             compiler::ElementType::F8E5M2FNUZ,
                                                             compiler::ElementType::F8E8M0FNU,
                                                             compiler::ElementType::BF16,
                                                             compiler::ElementType::F16,
                                                             compiler::ElementType::TF32,
                                                             compiler::ElementType::F32,
                                                             compiler::ElementType::F64,
                                                             compiler::ElementType::Complex64,
                                                             compiler::ElementType::Complex128};
template <>
inline constexpr std::string_view kWhat<compiler::ElementType> = "element type of arrays";

}  // namespace trainyard::isa::binary
