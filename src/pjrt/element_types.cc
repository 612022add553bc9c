#include "pjrt/element_types.h"

#include <array>

namespace trainyard::pjrt {
namespace {

using compiler::ElementType;

struct Row {
  PJRT_Buffer_Type theirs;
  ElementType ours;
};

constexpr std::array kRows = {
    Row{PJRT_Buffer_Type_PRED, ElementType::I1},
    Row{PJRT_Buffer_Type_S2, ElementType::I2},
    Row{PJRT_Buffer_Type_S4, ElementType::I4},
    Row{PJRT_Buffer_Type_S8, ElementType::I8},
    Row{PJRT_Buffer_Type_S16, ElementType::I16},
    Row{PJRT_Buffer_Type_S32, ElementType::I32},
    Row{PJRT_Buffer_Type_S64, ElementType::I64},
    Row{PJRT_Buffer_Type_U2, ElementType::U2},
    Row{PJRT_Buffer_Type_U4, ElementType::U4},
    Row{PJRT_Buffer_Type_U8, ElementType::U8},
    Row{PJRT_Buffer_Type_U16, ElementType::U16},
    Row{PJRT_Buffer_Type_U32, ElementType::U32},
    Row{PJRT_Buffer_Type_U64, ElementType::U64},
    Row{PJRT_Buffer_Type_F4E2M1FN, ElementType::F4E2M1FN},
    Row{PJRT_Buffer_Type_F6E2M3FN, ElementType::F6E2M3FN},
    Row{PJRT_Buffer_Type_F6E3M2FN, ElementType::F6E3M2FN},
    Row{PJRT_Buffer_Type_F8E3M4, ElementType::F8E3M4},
    Row{PJRT_Buffer_Type_F8E4M3, ElementType::F8E4M3},
    Row{PJRT_Buffer_Type_F8E4M3FN, ElementType::F8E4M3FN},
    Row{PJRT_Buffer_Type_F8E4M3FNUZ, ElementType::F8E4M3FNUZ},
    Row{PJRT_Buffer_Type_F8E4M3B11FNUZ, ElementType::F8E4M3B11FNUZ},
    Row{PJRT_Buffer_Type_F8E5M2, ElementType::F8E5M2},
    Row{PJRT_Buffer_Type_F8E5M2FNUZ, ElementType::F8E5M2FNUZ},
    Row{PJRT_Buffer_Type_F8E8M0FNU, ElementType::F8E8M0FNU},
    Row{PJRT_Buffer_Type_BF16, ElementType::BF16},
    Row{PJRT_Buffer_Type_F16, ElementType::F16},
    Row{PJRT_Buffer_Type_F32, ElementType::F32},
    Row{PJRT_Buffer_Type_F64, ElementType::F64},
    Row{PJRT_Buffer_Type_C64, ElementType::Complex64},
    Row{PJRT_Buffer_Type_C128, ElementType::Complex128},
};

}  // namespace

std::optional<ElementType> element_type(PJRT_Buffer_Type type) {
  for (const Row& row : kRows) {
    if (row.theirs == type) return row.ours;
  }
  return std::nullopt;
}

PJRT_Buffer_Type buffer_type(ElementType type) {
  for (const Row& row : kRows) {
    if (row.ours == type) return row.theirs;
  }
  return PJRT_Buffer_Type_INVALID;
}

}  // namespace trainyard::pjrt
