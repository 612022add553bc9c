#include "hw/systems/system_override.h"

#include "base/nearest.h"
#include "hw/systems/system_fields.h"

namespace trainyard::hw {
namespace {

std::vector<std::string> all_keys() {
  std::vector<std::string> keys;
  for (const AcceleratorField& field : accelerator_fields()) keys.emplace_back(field.key);
  for (const InstanceField& field : instance_fields()) keys.emplace_back(field.key);
  for (const KnobField& field : knob_fields()) keys.emplace_back(field.key);
  return keys;
}

bool set_by_user(std::string_view source) { return source.starts_with("user:"); }

// `to` follows the device if the user changed the device and not `to` itself.
template <class T, class From>
void follow(Fact<T>& to, T value, const Fact<From>& changed) {
  if (set_by_user(changed.source) && !set_by_user(to.source) && to.value != value) {
    to = {value, Trust::Assumed, changed.source};
  }
}

void follow_device(AcceleratorSpec& to, const Machine& device) {
  const auto& hbm = device.core.hbm;
  const Fact<int64_t>& stacks = device.chip.hbm_stacks;
  const int64_t bytes = stacks.value * hbm.stack_bytes.value;
  const double rate = static_cast<double>(stacks.value) * hbm.stack_bytes_per_ns.value;
  follow(to.cores, device.chip.cores.value, device.chip.cores);
  follow(to.hbm_bytes, bytes, stacks);
  follow(to.hbm_bytes, bytes, hbm.stack_bytes);
  follow(to.hbm_bytes_per_ns, rate, stacks);
  follow(to.hbm_bytes_per_ns, rate, hbm.stack_bytes_per_ns);
}

Status contradiction(std::string_view left, int64_t a, std::string_view relation,
                     std::string_view right, int64_t b) {
  return error("TY-HW-006", "{} = {} must {} {} = {}; change one of the two", left, a, relation,
               right, b);
}

Status check_torus(const InstanceSpec& instance) {
  const int64_t chips = instance.chips.value;
  const int64_t x = instance.torus_x.value, y = instance.torus_y.value, z = instance.torus_z.value;
  if (x * y * z != chips) {
    return contradiction("instance.torus_x * torus_y * torus_z", x * y * z, "equal",
                         "instance.chips", chips);
  }
  if (z > 1 && instance.link_far_bytes_per_ns.value <= 0) {
    return error("TY-HW-006",
                 "instance.link_far_bytes_per_ns = 0 must be above 0 while instance.torus_z = {}",
                 z);
  }
  return {};
}

Status check_sleds(const InstanceSpec& instance) {
  const int64_t sled = instance.sled_chips.value, group = instance.switch_chips.value;
  if (sled < 1 || group % sled != 0) {
    return contradiction("instance.sled_chips", sled, "divide", "instance.switch_chips", group);
  }
  if (2 * group != instance.chips.value) {
    return contradiction("instance.switch_chips * 2", 2 * group, "equal", "instance.chips",
                         instance.chips.value);
  }
  if (instance.link_sled_bytes_per_ns.value <= 0 || instance.link_group_bytes_per_ns.value <= 0 ||
      instance.link_rack_bytes_per_ns.value <= 0) {
    return error("TY-HW-006",
                 "instance.link_sled_bytes_per_ns, link_group_bytes_per_ns and "
                 "link_rack_bytes_per_ns must be above 0 on sleds");
  }
  return {};
}

Status check_shape(const InstanceSpec& instance) {
  const int64_t chips = instance.chips.value;
  switch (instance.shape) {
    case Shape::Single:
      return chips == 1 ? Status()
                        : contradiction("instance.chips", chips, "equal",
                                        "the chips of an instance without links", 1);
    case Shape::Sleds:
      return check_sleds(instance);
    case Shape::Torus:
      TY_TRY(check_torus(instance));
      break;
    case Shape::Chain:
    case Shape::Ring:
    case Shape::Switch:
    case Shape::FullMesh:
      break;
  }
  if (instance.link_bytes_per_ns.value > 0) return {};
  return error("TY-HW-006", "instance.link_bytes_per_ns = 0 must be above 0 on a {} of {} chips",
               name(instance.shape), chips);
}

}  // namespace

Status override_field(System& system, std::string_view key, const Given& given,
                      std::string_view origin) {
  if (const auto* field = find_field(accelerator_fields(), key))
    return override_value(*field, system.accelerator, given, origin);
  if (const auto* field = find_field(instance_fields(), key))
    return override_value(*field, system.instance, given, origin);
  if (const auto* field = find_field(knob_fields(), key))
    return override_value(*field, system.knobs, given, origin);
  return error("TY-HW-003", "there is no key '{}'{}; 'trainyard machine {}' lists all keys", key,
               did_you_mean(key, all_keys()), system.instance.name);
}

Status settle(System& system) {
  if (system.device) follow_device(system.accelerator, *system.device);
  const AcceleratorSpec& chip = system.accelerator;
  const int64_t lnc = chip.lnc_default.value;
  if (lnc > chip.lnc_max.value) {
    return contradiction("accelerator.lnc_default", lnc, "be at most", "accelerator.lnc_max",
                         chip.lnc_max.value);
  }
  if (chip.cores.value % lnc != 0) {
    return contradiction("accelerator.lnc_default", lnc, "divide", "accelerator.cores",
                         chip.cores.value);
  }
  return check_shape(system.instance);
}

}  // namespace trainyard::hw
