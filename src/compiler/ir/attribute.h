#pragma once
// Attributes without a fixed place: those of the module, of parameters and results, frontend
// attributes, and the dictionaries of custom calls and composites.
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/ir/sharding.h"
#include "compiler/ir/types.h"

namespace trainyard::compiler {

using ConstantId = int32_t;  // index into Module::constants

// The data of a dense constant, row-major, little-endian, byte_size(element) bytes an element; a
// truth value is the byte 0 or 1. A splat stores one element for the whole tensor.
struct Constant {
  TensorType type;
  bool splat = false;
  std::vector<uint8_t> bytes;
};

struct Attribute;
struct NamedAttribute;

struct UnitAttribute {};
struct IntegerAttribute {
  int64_t value = 0;
  ElementType type = ElementType::I64;
};
struct FloatAttribute {
  double value = 0;
  ElementType type = ElementType::F64;
};
struct ListAttribute {
  std::vector<Attribute> items;
};
struct DictionaryAttribute {
  std::vector<NamedAttribute> entries;
};
struct SymbolAttribute {
  std::string name;
};
struct TypeAttribute {
  Type type;
};
struct TensorAttribute {
  ConstantId value = 0;
};
struct AxesAttribute {  // Shardy's lists of axes
  std::vector<AxisRef> axes;
};
struct ShardingListAttribute {  // one sharding per operand or result
  std::vector<TensorSharding> shardings;
};
// An attribute that is kept but not understood: an enumeration, a sharding rule, assembly text.
struct OpaqueAttribute {
  std::string text;
};

struct Attribute {
  std::variant<UnitAttribute, bool, IntegerAttribute, FloatAttribute, std::string, ListAttribute,
               DictionaryAttribute, SymbolAttribute, TypeAttribute, TensorAttribute, TensorSharding,
               ShardingListAttribute, AxesAttribute, Mesh, OpaqueAttribute>
      kind;
};

struct NamedAttribute {
  std::string name;
  Attribute value;
};

// The entry called `name`, or null.
const Attribute* find(const std::vector<NamedAttribute>& entries, std::string_view name);

}  // namespace trainyard::compiler
