#pragma once
// Reading a JSON object key by key, with errors that name key, value and remedy.
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace trainyard::cluster {

// Remembers the first error; values read after it are zeros. Check status() at the end.
class JsonFields {
 public:
  JsonFields(const nlohmann::json& object, std::string where)
      : object_(object), where_(std::move(where)) {}

  // The first of `names` that is there, as a whole number from `low` to `high`. TY-CLU-203 if none
  // is, TY-CLU-204 if it is no such number.
  int64_t need(std::initializer_list<const char*> names, int64_t low = 1,
               int64_t high = 10'000'000'000);
  int64_t get(std::initializer_list<const char*> names, int64_t otherwise, int64_t low = 0,
              int64_t high = 10'000'000'000);
  bool flag(const char* name, bool otherwise);
  std::string text(const char* name, const char* otherwise);

  // TY-CLU-206 if one of them is there with a value other than null, false, 0 or 1.
  void refuse(std::initializer_list<const char*> names, std::string_view because);
  // TY-CLU-207 if there is a key that is not among `names`.
  void only(std::initializer_list<const char*> names);

  void fail(Status status);
  const Status& status() const { return status_; }

 private:
  const nlohmann::json* find(std::initializer_list<const char*> names) const;
  int64_t number(const char* name, const nlohmann::json& value, int64_t low, int64_t high);

  const nlohmann::json& object_;
  std::string where_;
  Status status_;
};

}  // namespace trainyard::cluster
