#include "isa/gpsimd/ops.h"

#include "isa/gpsimd/types.h"

namespace trainyard::isa::gpsimd {
namespace {

struct Row {
  std::string_view name;
  Form form;
};
constexpr Row kRows[] = {
#define TY_GPSIMD_OP(code, name, form) {name, Form::form},
#include "isa/gpsimd/ops.inc"
#undef TY_GPSIMD_OP
};
static_assert(sizeof(kRows) / sizeof(Row) == kCodeCount);

constexpr std::string_view kTypes[] = {"i1",  "s8",  "s16", "s32",  "s64", "u8", "u16",
                                       "u32", "u64", "f16", "bf16", "f32", "f64"};
static_assert(sizeof(kTypes) / sizeof(std::string_view) == kTypeCount);

}  // namespace

std::string_view name(Code code) { return kRows[static_cast<int>(code)].name; }
Form form(Code code) { return kRows[static_cast<int>(code)].form; }

std::optional<Code> parse_code(std::string_view text) {
  for (int i = 0; i < kCodeCount; ++i) {
    if (kRows[i].name == text) return static_cast<Code>(i);
  }
  return std::nullopt;
}

std::string_view name(Type type) { return kTypes[static_cast<int>(type)]; }

std::optional<Type> parse_type(std::string_view text) {
  for (int i = 0; i < kTypeCount; ++i) {
    if (kTypes[i] == text) return static_cast<Type>(i);
  }
  return std::nullopt;
}

bool is_elementwise(Code code) { return form(code) <= Form::Bitcast; }

int arity(Form form) {
  switch (form) {
    case Form::Constant:
    case Form::Iota:
      return 0;
    case Form::Unary:
    case Form::Math:
    case Form::Test:
    case Form::Convert:
    case Form::Bitcast:
    case Form::Broadcast:
    case Form::If:
      return 1;
    case Form::Binary:
    case Form::Math2:
    case Form::Compare:
    case Form::Shuffle:
    case Form::Compress:
    case Form::Reduce:
    case Form::Scan:
    case Form::Store:
    case Form::Scatter:
      return 2;
    case Form::Select:
    case Form::Fma:
      return 3;
    default:
      return -1;
  }
}

}  // namespace trainyard::isa::gpsimd
