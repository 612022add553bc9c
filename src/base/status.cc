#include "base/status.h"

namespace trainyard {

std::string SourcePlace::str() const {
  if (!known()) return file;
  if (column <= 0) return fmt::format("{}:{}", file, line);
  return fmt::format("{}:{}:{}", file, line, column);
}

Status Status::at(const SourcePlace& place) const {
  if (ok() || place_.known()) return *this;
  return Status(code_, message_, place);
}

std::string Status::str() const {
  if (ok()) return "ok";
  const std::string where = place_.str();
  if (where.empty()) return fmt::format("{}  {}", code_, message_);
  return fmt::format("{}  {}  {}", where, code_, message_);
}

}  // namespace trainyard
