#include "cluster/training/json_fields.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/nearest.h"

namespace trainyard::cluster {
namespace {

// A value as an error shows it: short.
std::string shown(const nlohmann::json& value) {
  std::string text = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (text.size() > 40) text = text.substr(0, 37) + "...";
  return text;
}

std::vector<std::string> keys(const nlohmann::json& object) {
  std::vector<std::string> names;
  for (const auto& item : object.items()) names.push_back(item.key());
  return names;
}

}  // namespace

void JsonFields::fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
}

const nlohmann::json* JsonFields::find(std::initializer_list<const char*> names) const {
  for (const char* name : names) {
    const auto found = object_.find(name);
    if (found != object_.end() && !found->is_null()) return &*found;
  }
  return nullptr;
}

int64_t JsonFields::number(const char* name, const nlohmann::json& value, int64_t low,
                           int64_t high) {
  const double number = value.is_number() ? value.get<double>() : std::nan("");
  if (number == std::floor(number) && number >= static_cast<double>(low) &&
      number <= static_cast<double>(high)) {
    return static_cast<int64_t>(number);
  }
  fail(error("TY-CLU-204", "{}: {} = {}: a whole number from {} to {} is needed", where_, name,
             shown(value), low, high));
  return low;
}

int64_t JsonFields::need(std::initializer_list<const char*> names, int64_t low, int64_t high) {
  if (const nlohmann::json* value = find(names)) return number(*names.begin(), *value, low, high);
  fail(error("TY-CLU-203", "{}: the key '{}' is missing{}; add it", where_, *names.begin(),
             did_you_mean(*names.begin(), keys(object_))));
  return low;
}

int64_t JsonFields::get(std::initializer_list<const char*> names, int64_t otherwise, int64_t low,
                        int64_t high) {
  const nlohmann::json* value = find(names);
  return value == nullptr ? otherwise : number(*names.begin(), *value, low, high);
}

bool JsonFields::flag(const char* name, bool otherwise) {
  const nlohmann::json* value = find({name});
  if (value == nullptr) return otherwise;
  if (value->is_boolean()) return value->get<bool>();
  fail(error("TY-CLU-204", "{}: {} = {}: true or false is needed", where_, name, shown(*value)));
  return otherwise;
}

std::string JsonFields::text(const char* name, const char* otherwise) {
  const nlohmann::json* value = find({name});
  if (value == nullptr) return otherwise;
  if (value->is_string()) return value->get<std::string>();
  fail(error("TY-CLU-204", "{}: {} = {}: a text is needed", where_, name, shown(*value)));
  return otherwise;
}

void JsonFields::refuse(std::initializer_list<const char*> names, std::string_view because) {
  for (const char* name : names) {
    const nlohmann::json* value = find({name});
    if (value == nullptr) continue;
    const bool idle = (value->is_boolean() && !value->get<bool>()) ||
                      (value->is_number() && std::abs(value->get<double>()) <= 1) ||
                      (value->is_array() && value->empty());
    if (idle) continue;
    fail(error("TY-CLU-206", "{}: {} = {}: {}; remove the key to plan without it", where_, name,
               shown(*value), because));
  }
}

void JsonFields::only(std::initializer_list<const char*> names) {
  const std::vector<std::string> known(names.begin(), names.end());
  for (const auto& item : object_.items()) {
    if (std::ranges::find(known, item.key()) != known.end()) continue;
    fail(error("TY-CLU-207", "{}: there is no key '{}'{}", where_, item.key(),
               did_you_mean(item.key(), known)));
  }
}

}  // namespace trainyard::cluster
