#include "hw/machine_file.h"

#include <optional>
#include <sstream>

#include "hw/override.h"
#include "hw/systems/system_fields.h"
#include "hw/systems/system_override.h"
#include "hw/toml_file.h"

namespace trainyard::hw {
namespace {

constexpr std::string_view kKind = "machine file";
constexpr std::string_view kCode = "TY-HW-002";

// What a file describes: a chip, or a system with a chip unless its maker is another one.
struct Description {
  std::optional<Machine> device;
  std::optional<System> system;
};

// What a node holds, as override_field wants it. `text` must outlive the result.
Given given(const toml::node& node, std::string_view text) {
  if (const auto* integer = node.as_integer()) {
    return {Given::Kind::Integer, static_cast<double>(integer->get()), text};
  }
  if (const auto* real = node.as_floating_point()) return {Given::Kind::Real, real->get(), text};
  if (const auto* flag = node.as_boolean())
    return {Given::Kind::Flag, flag->get() ? 1.0 : 0.0, text};
  return {.text = text};
}

Status set_one(Description& into, const std::string& key, const Given& value,
               std::string_view file) {
  if (is_system_key(key)) {
    if (into.system) return override_field(*into.system, key, value, file);
    return error("TY-HW-003",
                 "the key '{}' needs an instance as base; start the file with a line like: base = "
                 "\"trn2.48xlarge\"",
                 key);
  }
  if (into.device) return override_field(*into.device, key, value, file);
  return error("TY-HW-003", "there is no key '{}' on {}: its cores are not in the catalogue", key,
               into.system->name);
}

Status set(Description& into, const std::string& key, const toml::node& node,
           std::string_view file) {
  std::ostringstream text;
  node.visit([&](const auto& n) { text << n; });
  return set_one(into, key, given(node, text.str()), file).at(place_in(file, node.source()));
}

// Sets every number of `table`, whose own key is `prefix`.
Status set_all(Description& into, const toml::table& table, const std::string& prefix,
               std::string_view file) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + std::string(name.str());
    if (key == "base" || key == "name" || key == "lnc") continue;
    const toml::table* inner = node.as_table();
    TY_TRY(inner ? set_all(into, *inner, key + ".", file) : set(into, key, node, file));
  }
  return {};
}

// The text under `key`, or nothing if the key is absent; TY-HW-002 if it is no text.
Result<std::optional<std::string>> text_of(const toml::table& table, std::string_view key,
                                           std::string_view file) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::optional<std::string>();
  if (const auto* text = node->as_string()) return std::optional<std::string>(text->get());
  return error("TY-HW-002", "{} must be a text in quotes", key).at(place_in(file, node->source()));
}

// The base of the file under its new name, before any number is changed.
Result<Description> base_of(const toml::table& table, std::string_view file) {
  auto base = text_of(table, "base", file);
  if (!base) return base.status();
  if (!*base) {
    return error("TY-HW-002", "no base; start the file with a line like: base = \"trn2\"")
        .at({std::string(file), 0, 0});
  }
  auto name = text_of(table, "name", file);
  if (!name) return name.status();
  Description result;
  if (auto system = find_system(**base)) {
    result.device = system->device;
    result.system = std::move(*system);
  } else {
    auto device = find_target(**base);
    if (!device) return device.status().at(place_in(file, table.get("base")->source()));
    result.device = std::move(*device);
  }
  if (*name && result.device) result.device->name = **name;
  if (*name && result.system) result.system->name = **name;
  return result;
}

Result<Description> describe(std::string_view text, std::string_view file) {
  auto table = parse_toml(text, file, kKind, kCode);
  if (!table) return table.status();
  auto result = base_of(*table, file);
  if (!result) return result;
  TY_TRY(set_all(*result, *table, "", file));
  // Last, because its range depends on chip.lnc_max.
  if (const toml::node* lnc = table->get("lnc")) TY_TRY(set(*result, "lnc", *lnc, file));
  const SourcePlace whole{std::string(file), 0, 0};
  if (result->device) TY_TRY(settle(*result->device).at(whole));
  if (result->system) {
    result->system->device = result->device;
    TY_TRY(settle(*result->system).at(whole));
  }
  return result;
}

}  // namespace

Result<Machine> parse_machine(std::string_view text, std::string_view file) {
  auto described = describe(text, file);
  if (!described) return described.status();
  if (described->device) return std::move(*described->device);
  return error("TY-HW-010", "{} has no chip that the device simulator knows; use it for clusters",
               described->system->name)
      .at({std::string(file), 0, 0});
}

Result<System> parse_system(std::string_view text, std::string_view file) {
  auto described = describe(text, file);
  if (!described) return described.status();
  if (described->system) return std::move(*described->system);
  return error("TY-HW-009",
               "the base '{}' is a chip, not an instance; start the file with a line like: base = "
               "\"trn2.48xlarge\"",
               described->device->chip.name)
      .at({std::string(file), 0, 0});
}

Result<Machine> load_machine(const std::string& path) {
  const auto text = read_toml_file(path, kKind);
  if (!text) return text.status();
  return parse_machine(*text, path);
}

Result<System> load_system(const std::string& path) {
  const auto text = read_toml_file(path, kKind);
  if (!text) return text.status();
  return parse_system(*text, path);
}

}  // namespace trainyard::hw
