#include "pjrt/named_values.h"

namespace trainyard::pjrt {

PJRT_NamedValue& NamedValues::entry(std::string name, PJRT_NamedValue_Type type) {
  const std::string& kept = texts_.emplace_back(std::move(name));
  PJRT_NamedValue& value = values_.emplace_back();
  value.struct_size = sizeof(PJRT_NamedValue);
  value.name = kept.c_str();
  value.name_size = kept.size();
  value.type = type;
  value.value_size = 1;
  return value;
}

void NamedValues::add(std::string name, std::string text) {
  PJRT_NamedValue& value = entry(std::move(name), PJRT_NamedValue_Type_String);
  const std::string& kept = texts_.emplace_back(std::move(text));
  value.string_value = kept.c_str();
  value.value_size = kept.size();
}

void NamedValues::add(std::string name, int64_t number) {
  entry(std::move(name), PJRT_NamedValue_Type_Int64).int64_value = number;
}

void NamedValues::add(std::string name, std::vector<int64_t> list) {
  PJRT_NamedValue& value = entry(std::move(name), PJRT_NamedValue_Type_Int64List);
  const std::vector<int64_t>& kept = lists_.emplace_back(std::move(list));
  value.int64_array_value = kept.data();
  value.value_size = kept.size();
}

void NamedValues::add(std::string name, float number) {
  entry(std::move(name), PJRT_NamedValue_Type_Float).float_value = number;
}

std::string find_text(std::span<const PJRT_NamedValue> options, std::string_view name) {
  for (const PJRT_NamedValue& option : options) {
    if (option.type == PJRT_NamedValue_Type_String &&
        std::string_view(option.name, option.name_size) == name) {
      return {option.string_value, option.value_size};
    }
  }
  return "";
}

}  // namespace trainyard::pjrt
