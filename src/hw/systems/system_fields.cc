#include "hw/systems/system_fields.h"

#include "hw/field_access.h"

namespace trainyard::hw {
namespace {

constexpr AcceleratorField kAcceleratorFields[] = {
#define TY_FIELD(group, field, T, unit, low, high, meaning)      \
  {#group,                                                       \
   #field,                                                       \
   #group "." #field,                                            \
   unit,                                                         \
   meaning,                                                      \
   kind_of<T>(),                                                 \
   low,                                                          \
   high,                                                         \
   [](const AcceleratorSpec& spec) { return view(spec.field); }, \
   [](AcceleratorSpec& spec, const FactView& v) { assign(spec.field, v); }},
#include "hw/systems/accelerator_fields.inc"
#undef TY_FIELD
};

constexpr InstanceField kInstanceFields[] = {
#define TY_FIELD(group, field, T, unit, low, high, meaning)   \
  {#group,                                                    \
   #field,                                                    \
   #group "." #field,                                         \
   unit,                                                      \
   meaning,                                                   \
   kind_of<T>(),                                              \
   low,                                                       \
   high,                                                      \
   [](const InstanceSpec& spec) { return view(spec.field); }, \
   [](InstanceSpec& spec, const FactView& v) { assign(spec.field, v); }},
#include "hw/systems/instance_fields.inc"
#undef TY_FIELD
};

constexpr KnobField kKnobFields[] = {
#define TY_GROUP(group, Type, meaning)
#define TY_KNOB(group, field, T, unit, low, high, likely_low, likely_high, meaning) \
  {#group,                                                                          \
   #field,                                                                          \
   #group "." #field,                                                               \
   unit,                                                                            \
   meaning,                                                                         \
   kind_of<T>(),                                                                    \
   low,                                                                             \
   high,                                                                            \
   [](const Knobs& knobs) { return view(knobs.group.field); },                      \
   [](Knobs& knobs, const FactView& v) { assign(knobs.group.field, v); }},
#define TY_GROUP_END(group, Type)
#include "hw/systems/knob_fields.inc"
#undef TY_GROUP
#undef TY_KNOB
#undef TY_GROUP_END
};

constexpr FieldGroup kKnobGroups[] = {
#define TY_GROUP(group, Type, meaning) {#group, meaning},
#define TY_KNOB(group, field, T, unit, low, high, likely_low, likely_high, meaning)
#define TY_GROUP_END(group, Type)
#include "hw/systems/knob_fields.inc"
#undef TY_GROUP
#undef TY_KNOB
#undef TY_GROUP_END
};

}  // namespace

std::span<const AcceleratorField> accelerator_fields() { return kAcceleratorFields; }
std::span<const InstanceField> instance_fields() { return kInstanceFields; }
std::span<const KnobField> knob_fields() { return kKnobFields; }
std::span<const FieldGroup> knob_groups() { return kKnobGroups; }

bool is_system_key(std::string_view key) {
  if (key.starts_with("accelerator.") || key.starts_with("instance.")) return true;
  return std::ranges::any_of(kKnobGroups, [&](const FieldGroup& group) {
    return key.starts_with(group.name) && key.substr(group.name.size()).starts_with(".");
  });
}

}  // namespace trainyard::hw
