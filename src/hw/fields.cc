#include "hw/fields.h"

#include <fmt/format.h>

#include "base/check.h"
#include "hw/field_access.h"

namespace trainyard::hw {
namespace {

constexpr CoreField kCoreFields[] = {
#define TY_GROUP(group, Type, meaning)
#define TY_FIELD(group, field, T, unit, low, high, meaning)     \
  {#group,                                                      \
   #field,                                                      \
   "core." #group "." #field,                                   \
   unit,                                                        \
   meaning,                                                     \
   kind_of<T>(),                                                \
   low,                                                         \
   high,                                                        \
   [](const CoreSpec& spec) { return view(spec.group.field); }, \
   [](CoreSpec& spec, const FactView& v) { assign(spec.group.field, v); }},
#define TY_GROUP_END(group, Type)
#include "hw/core_fields.inc"
#undef TY_GROUP
#undef TY_FIELD
#undef TY_GROUP_END
};

constexpr FieldGroup kCoreGroups[] = {
#define TY_GROUP(group, Type, meaning) {#group, meaning},
#define TY_FIELD(group, field, T, unit, low, high, meaning)
#define TY_GROUP_END(group, Type)
#include "hw/core_fields.inc"
#undef TY_GROUP
#undef TY_FIELD
#undef TY_GROUP_END
};

constexpr ChipField kChipFields[] = {
#define TY_FIELD(group, field, T, unit, low, high, meaning) \
  {#group,                                                  \
   #field,                                                  \
   #group "." #field,                                       \
   unit,                                                    \
   meaning,                                                 \
   kind_of<T>(),                                            \
   low,                                                     \
   high,                                                    \
   [](const ChipSpec& spec) { return view(spec.field); },   \
   [](ChipSpec& spec, const FactView& v) { assign(spec.field, v); }},
#include "hw/chip_fields.inc"
#undef TY_FIELD
};

}  // namespace

std::string value_text(double value, FieldKind kind) {
  switch (kind) {
    case FieldKind::Flag:
      return value != 0 ? "true" : "false";
    case FieldKind::Integer:
    case FieldKind::Cycles:
      return fmt::format("{}", static_cast<int64_t>(value));
    case FieldKind::Real:
      return fmt::format("{}", value);  // the shortest that reads back exactly
  }
  TY_CHECK(false);
}

std::span<const CoreField> core_fields() { return kCoreFields; }
std::span<const FieldGroup> core_groups() { return kCoreGroups; }
std::span<const ChipField> chip_fields() { return kChipFields; }

}  // namespace trainyard::hw
