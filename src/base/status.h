#pragma once
// Errors as values. A Status that is not ok carries a stable code (TY-<AREA>-<NNN>, one page each
// in docs/errors/), the place in the user's file where there is one, and a message that holds the
// values and one remedy. Our own bugs are not a Status: they are TY_CHECK (base/check.h).
#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace trainyard {

// A place in a text that a user wrote. Lines and columns count from 1; 0 means unknown.
struct SourcePlace {
  std::string file;
  int line = 0;
  int column = 0;

  bool known() const { return line > 0; }
  std::string str() const;  // "softmax.tya:12:5", or the file alone
  friend bool operator==(const SourcePlace&, const SourcePlace&) = default;
};

class [[nodiscard]] Status {
 public:
  Status() = default;  // ok
  Status(std::string_view code, std::string message, SourcePlace place = {})
      : code_(code), message_(std::move(message)), place_(std::move(place)) {}

  bool ok() const { return code_.empty(); }
  explicit operator bool() const { return ok(); }
  const std::string& code() const { return code_; }
  const std::string& message() const { return message_; }
  const SourcePlace& place() const { return place_; }

  // The same error, told to lie at `place` unless it already says where.
  Status at(const SourcePlace& place) const;
  // "softmax.tya:12:5  TY-ISA-014  message"
  std::string str() const;

 private:
  std::string code_;
  std::string message_;
  SourcePlace place_;
};

// error("TY-ISA-014", "moving tile is {} wide, at most {}", 600, 512)
template <class... Args>
Status error(std::string_view code, fmt::format_string<Args...> text, Args&&... args) {
  return Status(code, fmt::format(text, std::forward<Args>(args)...));
}

// A value or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) { TY_CHECK(!status_.ok()); }

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Status& status() const { return status_; }
  T& value() & {
    TY_CHECK(ok());
    return *value_;
  }
  const T& value() const& {
    TY_CHECK(ok());
    return *value_;
  }
  T&& value() && {
    TY_CHECK(ok());
    return std::move(*value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::optional<T> value_;
  Status status_;
};

// Leaves the function with the error, if there is one.
#define TY_TRY(expression)                                                               \
  do {                                                                                   \
    if (::trainyard::Status ty_status = (expression); !ty_status.ok()) return ty_status; \
  } while (false)

}  // namespace trainyard
