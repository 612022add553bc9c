#pragma once
// Turns the properties of one operation into its typed attributes.
#include <string_view>
#include <vector>

#include "compiler/ir/op_attributes.h"
#include "compiler/stablehlo/entries.h"
#include "compiler/stablehlo/op_schema.h"

namespace trainyard::compiler {

// The attributes of an operation by name.
class Properties {
 public:
  // From the property list of the file, in the order of `schema`.
  static Properties from_bytes(std::string_view schema, ByteCursor bytes, const Entries& entries);
  // From a dictionary: files before container version 5 have no property lists.
  static Properties from_dictionary(AttrIndex dictionary, Entries& entries);

  bool has(std::string_view name) const;
  AttrIndex operator[](std::string_view name) const;  // fails with TY-SHLO-009 when absent
  size_t offset() const { return offset_; }

 private:
  struct Item {
    std::string_view name;
    AttrIndex index;
  };
  std::vector<Item> items_;
  size_t offset_ = 0;
};

OpAttributes read_attributes(const OpSchema& op, const Properties& properties, Entries& entries);

// The parts of read_attributes; each returns monostate for operations that are not its own.
OpAttributes read_shape_attributes(OpKind kind, const Properties& p, Entries& e);
OpAttributes read_math_attributes(OpKind kind, const Properties& p, Entries& e);
OpAttributes read_call_attributes(OpKind kind, const Properties& p, Entries& e);
OpAttributes read_sdy_attributes(const OpSchema& op, const Properties& p, Entries& e);

}  // namespace trainyard::compiler
