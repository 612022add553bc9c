#include "pjrt/compile_options.h"

#include <bit>
#include <functional>

namespace trainyard::pjrt {
namespace {

// One field of a message: a number, or bytes.
struct Field {
  uint32_t number = 0;
  uint64_t value = 0;      // varint, fixed 64 or fixed 32
  std::string_view bytes;  // length-delimited
  bool is_bytes = false;
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}
  bool at_end() const { return position_ == bytes_.size(); }

  bool varint(uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64 && !at_end(); shift += 7) {
      const auto byte = static_cast<uint8_t>(bytes_[position_++]);
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }

  bool next(Field& field) {
    uint64_t tag = 0;
    if (!varint(tag)) return false;
    field = {.number = static_cast<uint32_t>(tag >> 3)};
    switch (tag & 7) {
      case 0:
        return varint(field.value);
      case 1:
        return fixed(8, field.value);
      case 2:
        field.is_bytes = true;
        return varint(field.value) && take(field.value, field.bytes);
      case 5:
        return fixed(4, field.value);
      default:
        return false;  // groups are not written any more
    }
  }

 private:
  bool take(uint64_t size, std::string_view& out) {
    if (size > bytes_.size() - position_) return false;
    out = bytes_.substr(position_, size);
    position_ += size;
    return true;
  }
  bool fixed(size_t size, uint64_t& value) {
    std::string_view raw;
    if (!take(size, raw)) return false;
    value = 0;
    for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<uint8_t>(raw[i]);
    return true;
  }

  std::string_view bytes_;
  size_t position_ = 0;
};

using Visitor = std::function<Status(const Field&)>;

Status read_message(std::string_view bytes, std::string_view what, const Visitor& visit) {
  WireReader reader(bytes);
  while (!reader.at_end()) {
    Field field;
    if (!reader.next(field)) {
      return error("TY-PJRT-004", "the compile options are damaged: {} ends inside a field.", what);
    }
    TY_TRY(visit(field));
  }
  return {};
}

// ComputationDevice: 1 repeated int64, packed or not.
Status read_devices(std::string_view bytes, CompileOptions& options) {
  return read_message(bytes, "computation device", [&](const Field& field) -> Status {
    if (field.number != 1) return {};
    if (!field.is_bytes) {
      options.device_ids.push_back(static_cast<int64_t>(field.value));
      return {};
    }
    WireReader packed(field.bytes);
    while (!packed.at_end()) {
      uint64_t id = 0;
      if (!packed.varint(id)) return error("TY-PJRT-004", "the compile options are damaged.");
      options.device_ids.push_back(static_cast<int64_t>(id));
    }
    return {};
  });
}

Status read_build_options(std::string_view bytes, CompileOptions& options) {
  return read_message(bytes, "build options", [&](const Field& field) -> Status {
    if (field.number == 4) options.replicas = static_cast<int64_t>(field.value);
    if (field.number == 5) options.partitions = static_cast<int64_t>(field.value);
    if (field.number != 9) return {};
    options.device_assignment = field.bytes;
    return read_message(field.bytes, "device assignment", [&](const Field& inner) -> Status {
      return inner.number == 3 ? read_devices(inner.bytes, options) : Status();
    });
  });
}

// OptionOverride: 1 string, 2 bool, 3 int64, 4 double.
std::string override_text(const Field& field) {
  if (field.number == 1) return std::string(field.bytes);
  if (field.number == 2) return field.value != 0 ? "true" : "false";
  if (field.number == 4) return fmt::format("{}", std::bit_cast<double>(field.value));
  return fmt::format("{}", static_cast<int64_t>(field.value));
}

// An entry of the map: 1 the key, 2 the value.
Status read_override(std::string_view bytes, CompileOptions& options) {
  std::string key, text;
  TY_TRY(read_message(bytes, "option override", [&](const Field& field) -> Status {
    if (field.number == 1) key = field.bytes;
    if (field.number != 2) return {};
    return read_message(field.bytes, "option value", [&](const Field& value) -> Status {
      text = override_text(value);
      return {};
    });
  }));
  options.overrides[key] = text;
  return {};
}

}  // namespace

Result<CompileOptions> read_compile_options(std::string_view bytes) {
  CompileOptions options;
  const Status status = read_message(bytes, "the message", [&](const Field& field) -> Status {
    if (field.number == 3) return read_build_options(field.bytes, options);
    if (field.number == 7) return read_override(field.bytes, options);
    return {};
  });
  if (!status.ok()) return status;
  return options;
}

}  // namespace trainyard::pjrt
