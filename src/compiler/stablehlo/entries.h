#pragma once
// Decodes attributes and types of a bytecode file on demand, by their index in the file. Every
// accessor fails with TY-SHLO-010 when the entry is of another kind than the one asked for.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/stablehlo/container.h"

namespace trainyard::compiler {

using AttrIndex = size_t;
using TypeIndex = size_t;

struct FunctionType {
  std::vector<Type> inputs;
  std::vector<Type> results;
};

// Integers of a dense tensor with their shape: dimension lists, padding, replica groups.
struct IntegerTensor {
  Dims shape;
  Dims values;
};

class Entries {
 public:
  // Decoded constants, files and locations are added to `module`. All three must outlive this.
  Entries(const Container& container, Module& module, Budget& budget);

  // Types.
  Type type(TypeIndex index);
  ElementType element(TypeIndex index);
  FunctionType function_type(AttrIndex index);

  // Scalars, text, lists.
  int64_t integer(AttrIndex index);
  bool boolean(AttrIndex index);
  double number(AttrIndex index);
  std::string_view text(AttrIndex index);
  std::string string(AttrIndex index) { return std::string(text(index)); }
  ElementType element_or_none(AttrIndex index);  // a type attribute
  std::vector<AttrIndex> list(AttrIndex index);
  std::vector<std::pair<AttrIndex, AttrIndex>> dictionary(AttrIndex index);
  bool is_dictionary(AttrIndex index);
  bool is_mesh_axes_group(AttrIndex index);
  // An enumeration with VHLO code `code` and values below `end`.
  uint64_t enumeration(AttrIndex index, uint64_t code, uint64_t end);

  // Dense data.
  Dims dims(AttrIndex index);
  IntegerTensor integers(AttrIndex index);
  std::vector<bool> booleans(AttrIndex index);
  ConstantId constant(AttrIndex index);

  // Structures.
  AccuracyAttributes accuracy(AttrIndex index);
  OutputAlias alias(AttrIndex index);
  Mesh mesh(AttrIndex index);
  TensorSharding sharding(AttrIndex index);
  std::vector<TensorSharding> shardings(AttrIndex index);
  std::vector<std::string> manual_axes(AttrIndex index);

  // Anything, as a tree.
  Attribute attribute(AttrIndex index) { return attribute(index, 0); }
  std::vector<NamedAttribute> named(AttrIndex index) { return named(index, 0); }

  LocationId location(AttrIndex index);

  Budget& budget() { return budget_; }
  size_t attribute_count() const { return container_.attributes.size(); }

 private:
  enum class Dialect : uint8_t { Vhlo, Builtin, Sdy, Other };
  struct Opened {
    Dialect dialect;
    uint64_t code;
    ByteCursor bytes;
    size_t offset;
    bool is(Dialect d, uint64_t c) const { return dialect == d && code == c; }
  };
  // A type of the file: a scalar (element) or a whole type.
  struct TypeNode {
    enum class State : uint8_t { Unread, Reading, Scalar, Whole } state = State::Unread;
    ElementType element = ElementType::None;
    int32_t quantized = -1;
    Type type;
  };
  struct Place {
    enum class State : uint8_t { Unread, Reading, Done } state = State::Unread;
    int32_t file = -1;
    int line = 0;
    int column = 0;
  };

  Opened open(const Entry& entry);
  Opened open_attribute(AttrIndex index);
  [[noreturn]] void wrong_kind(AttrIndex index, std::string_view wanted);

  AttrIndex attribute_index(ByteCursor& cursor);
  TypeIndex type_index(ByteCursor& cursor);
  std::vector<AttrIndex> attribute_list(ByteCursor& cursor);
  Dims signed_list(ByteCursor& cursor);
  std::string_view string_at(ByteCursor& cursor);
  int64_t ap_int(ByteCursor& cursor, int width);
  double ap_float(ByteCursor& cursor, ElementType type);

  const TypeNode& node(TypeIndex index, int depth);
  TypeNode decode_type(Opened entry, int depth);
  TypeNode decode_vhlo_type(Opened& entry, int depth);
  TypeNode decode_builtin_type(Opened& entry, int depth);
  TypeNode tensor_node(ByteCursor& cursor, Dims bounds, int depth);
  TypeNode quantized_node(ByteCursor& cursor, bool per_axis, int depth);
  std::vector<Type> type_list(ByteCursor& cursor, int depth);
  Type whole_type(TypeIndex index, int depth);

  Constant dense(AttrIndex index);
  Constant dense_tensor(const TensorType& type, std::span<const uint8_t> blob, size_t offset);

  Attribute attribute(AttrIndex index, int depth);
  Attribute vhlo_attribute(AttrIndex index, Opened& entry, int depth);
  Attribute builtin_attribute(AttrIndex index, Opened& entry, int depth);
  Attribute sdy_attribute(AttrIndex index, Opened& entry);
  Attribute list_attribute(ByteCursor& cursor, int depth);
  std::vector<NamedAttribute> named(AttrIndex index, int depth);

  MeshAxis mesh_axis(AttrIndex index);
  AxisRef axis(AttrIndex index);
  std::vector<AxisRef> axes(ByteCursor& cursor);
  DimSharding dim_sharding(AttrIndex index);

  Place place(AttrIndex index, int depth);
  Place decode_place(Opened& entry, int depth);

  const Container& container_;
  Module& module_;
  Budget& budget_;
  std::vector<Dialect> dialects_;
  std::vector<TypeNode> types_;
  std::vector<ConstantId> constants_;     // by attribute; -1: not decoded yet
  std::vector<LocationId> locations_;     // by attribute; -1: not decoded yet
  std::vector<Place> places_;             // by attribute
  std::vector<int32_t> files_by_string_;  // by string; -1: not a file yet
};

// How deep attributes, types, locations and regions may nest.
inline constexpr int kMaxDepth = 128;

}  // namespace trainyard::compiler
