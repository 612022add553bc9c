#pragma once
// Writes small MLIR bytecode files by hand, for tests: every count and index is the caller's, so
// that wrong ones can be written as well.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::compiler::testing {

using Bytes = std::vector<uint8_t>;

inline Bytes varint(uint64_t value) {
  if (value < 0x80) return {static_cast<uint8_t>(value << 1 | 1)};
  if (value < 0x4000) {
    return {static_cast<uint8_t>(value << 2 | 2), static_cast<uint8_t>(value >> 6)};
  }
  Bytes out{0};
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<uint8_t>(value >> (8 * i)));
  return out;
}
inline Bytes svarint(int64_t value) {
  return varint(static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
}
inline Bytes flagged(uint64_t value, bool flag) { return varint(value << 1 | (flag ? 1 : 0)); }
inline Bytes& operator+=(Bytes& to, const Bytes& more) {
  to.insert(to.end(), more.begin(), more.end());
  return to;
}
inline Bytes operator+(Bytes a, const Bytes& b) { return a += b; }
inline Bytes section(uint8_t id, const Bytes& body) {
  return Bytes{id} + varint(body.size()) + body;
}

// Collects strings, attributes and types and puts the file together. Dialects: 0 builtin, 1 vhlo.
struct Writer {
  std::vector<std::string> strings{"builtin", "vhlo"};
  std::vector<Bytes> builtin_attributes;  // numbered first
  std::vector<Bytes> vhlo_attributes;     // numbered after them
  std::vector<Bytes> types;               // all of vhlo
  std::vector<Bytes> properties;
  std::vector<std::string> builtin_ops{"module"};
  std::vector<std::string> vhlo_ops;
  Bytes ir;

  uint64_t string(std::string_view text) {
    strings.emplace_back(text);
    return strings.size() - 1;
  }
  uint64_t type(const Bytes& bytes) {
    types.push_back(bytes);
    return types.size() - 1;
  }
  uint64_t property(const Bytes& bytes) {
    properties.push_back(bytes);
    return properties.size() - 1;
  }

  Bytes file() {
    Bytes dialects = varint(2) + flagged(0, false) + flagged(1, false);
    dialects += varint(builtin_ops.size() + vhlo_ops.size());
    dialects += op_group(0, builtin_ops) + op_group(1, vhlo_ops);
    Bytes entries;
    Bytes offsets =
        varint(builtin_attributes.size() + vhlo_attributes.size()) + varint(types.size());
    offsets += group(0, builtin_attributes, entries);
    offsets += group(1, vhlo_attributes, entries);
    offsets += group(1, types, entries);
    Bytes lists = varint(properties.size());
    for (const Bytes& list : properties) lists += varint(list.size()) + list;
    Bytes out{0x4D, 0x4C, 0xEF, 0x52};
    out += varint(6) + Bytes{'t', 'e', 's', 't', 0};
    out += section(0, string_table()) + section(1, dialects) + section(2, entries);
    out += section(3, offsets) + section(8, lists) + section(4, ir);
    return out;
  }

 private:
  Bytes string_table() const {
    Bytes out = varint(strings.size());
    for (size_t i = strings.size(); i-- > 0;) out += varint(strings[i].size() + 1);
    for (const std::string& text : strings) out += Bytes(text.begin(), text.end()) + Bytes{0};
    return out;
  }
  Bytes op_group(uint64_t dialect, const std::vector<std::string>& names) {
    if (names.empty()) return {};
    Bytes out = varint(dialect) + varint(names.size());
    for (const std::string& name : names) out += flagged(string(name), true);
    return out;
  }
  static Bytes group(uint64_t dialect, const std::vector<Bytes>& items, Bytes& data) {
    if (items.empty()) return {};
    Bytes out = varint(dialect) + varint(items.size());
    for (const Bytes& item : items) {
      out += flagged(item.size(), true);
      data += item;
    }
    return out;
  }
};

// A module with one function: main(%0: type 0) { ops; return }. `body` holds the operations after
// the block's head, `ops` says how many; they may use value 0. Attributes: builtin 0 is the unknown
// location; the writer's own attributes keep their numbers plus one.
struct MainModule {
  Writer w;
  Bytes body;
  uint64_t ops = 0;
  uint64_t values = 1;

  MainModule() {
    w.builtin_attributes.push_back(varint(15));  // unknown location
    w.vhlo_ops = {"func_v1", "return_v1"};
  }

  // Adds an operation of the body; returns nothing, since value numbers are the caller's matter.
  void op(std::string_view name, const std::vector<uint64_t>& operands,
          const std::vector<uint64_t>& results, std::optional<uint64_t> property = {}) {
    size_t index = 0;
    while (index < w.vhlo_ops.size() && w.vhlo_ops[index] != name) ++index;
    if (index == w.vhlo_ops.size()) w.vhlo_ops.emplace_back(name);
    uint8_t mask = 0;
    if (property) mask |= 0x40;
    if (!results.empty()) mask |= 0x02;
    if (!operands.empty()) mask |= 0x04;
    body += varint(1 + index) + Bytes{mask} + varint(0);
    if (property) body += varint(*property);
    if (!results.empty()) body += varint(results.size());
    for (const uint64_t type : results) body += varint(type);
    if (!operands.empty()) body += varint(operands.size());
    for (const uint64_t value : operands) body += varint(value);
    ++ops;
    values += results.size();
  }

  Bytes file(uint64_t result_type) {
    const uint64_t function_type =
        w.type(varint(8) + varint(1) + varint(0) + varint(1) + varint(result_type));
    const uint64_t attributes = w.vhlo_attributes.size();
    const uint64_t first = w.builtin_attributes.size() + attributes;
    w.vhlo_attributes.push_back(varint(1) + varint(0));                    // an empty list
    w.vhlo_attributes.push_back(varint(17) + varint(function_type));       // the type
    w.vhlo_attributes.push_back(varint(14) + varint(w.string("main")));    // the name
    w.vhlo_attributes.push_back(varint(14) + varint(w.string("public")));  // the visibility
    const uint64_t list = w.property(varint(first) + varint(first + 1) + varint(first) +
                                     varint(first + 2) + varint(first + 3));
    Bytes region = varint(1) + varint(values);
    region += flagged(ops, true) + varint(1) + flagged(0, false) + Bytes{0} + body;
    Bytes function = varint(1) + Bytes{0x40 | 0x10} + varint(0) + varint(list);
    function += flagged(1, true) + section(4, region);
    const Bytes module_region = varint(1) + varint(0) + flagged(1, false) + function;
    w.ir = flagged(1, false) + varint(0) + Bytes{0x10} + varint(0) + flagged(1, true);
    w.ir += section(4, module_region);
    return w.file();
  }
};

}  // namespace trainyard::compiler::testing
