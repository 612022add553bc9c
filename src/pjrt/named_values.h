#pragma once
// Lists of names and values as the interface wants them.
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "pjrt/c_api/types.h"

namespace trainyard::pjrt {

// Owns what its entries point to. Grows only; entries stay where they are once `span` is called.
class NamedValues {
 public:
  NamedValues() = default;
  NamedValues(NamedValues&&) = default;
  NamedValues& operator=(NamedValues&&) = default;

  void add(std::string name, std::string value);
  void add(std::string name, int64_t value);
  void add(std::string name, std::vector<int64_t> value);
  void add(std::string name, float value);
  std::span<const PJRT_NamedValue> span() const { return values_; }
  bool empty() const { return values_.empty(); }

 private:
  PJRT_NamedValue& entry(std::string name, PJRT_NamedValue_Type type);

  std::deque<std::string> texts_;
  std::deque<std::vector<int64_t>> lists_;
  std::vector<PJRT_NamedValue> values_;
};

// The text of a string option called `name`; empty if there is none.
std::string find_text(std::span<const PJRT_NamedValue> options, std::string_view name);

}  // namespace trainyard::pjrt
