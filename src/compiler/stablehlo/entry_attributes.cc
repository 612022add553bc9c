// Scalars, text, lists and dictionaries; and any attribute as a tree.
#include "compiler/ir/element_value.h"
#include "compiler/stablehlo/codes.h"
#include "compiler/stablehlo/entries.h"

namespace trainyard::compiler {

int64_t Entries::integer(AttrIndex index) {
  Opened entry = open_attribute(index);
  if (!entry.is(Dialect::Vhlo, vhlo::kInteger) && !entry.is(Dialect::Builtin, builtin::kInteger)) {
    wrong_kind(index, "an integer");
  }
  const ElementType type = element(type_index(entry.bytes));
  if (!is_integer(type) && !is_boolean(type) && type != ElementType::Index) {
    wrong_kind(index, "an integer");
  }
  return to_integer(type, static_cast<uint64_t>(ap_int(entry.bytes, bit_width(type))));
}

bool Entries::boolean(AttrIndex index) {
  Opened entry = open_attribute(index);
  if (entry.is(Dialect::Vhlo, vhlo::kBool)) return entry.bytes.varint() != 0;
  return integer(index) != 0;
}

double Entries::number(AttrIndex index) {
  Opened entry = open_attribute(index);
  if (!entry.is(Dialect::Vhlo, vhlo::kFloat) && !entry.is(Dialect::Builtin, builtin::kFloat)) {
    wrong_kind(index, "a float");
  }
  const ElementType type = element(type_index(entry.bytes));
  return ap_float(entry.bytes, type);
}

std::string_view Entries::text(AttrIndex index) {
  Opened entry = open_attribute(index);
  if (entry.is(Dialect::Vhlo, vhlo::kString) || entry.is(Dialect::Builtin, builtin::kString) ||
      entry.is(Dialect::Builtin, builtin::kTypedString)) {
    return string_at(entry.bytes);
  }
  if (!entry.is(Dialect::Builtin, builtin::kFlatSymbol)) wrong_kind(index, "a string");
  // A symbol wraps a string attribute; one level only, so that it cannot refer to itself.
  Opened inner = open_attribute(attribute_index(entry.bytes));
  if (!inner.is(Dialect::Builtin, builtin::kString)) wrong_kind(index, "a string");
  return string_at(inner.bytes);
}

ElementType Entries::element_or_none(AttrIndex index) {
  Opened entry = open_attribute(index);
  if (!entry.is(Dialect::Vhlo, vhlo::kType) && !entry.is(Dialect::Builtin, builtin::kType)) {
    wrong_kind(index, "a type");
  }
  return element(type_index(entry.bytes));
}

std::vector<AttrIndex> Entries::list(AttrIndex index) {
  Opened entry = open_attribute(index);
  if (!entry.is(Dialect::Vhlo, vhlo::kArray) && !entry.is(Dialect::Builtin, builtin::kArray)) {
    wrong_kind(index, "a list");
  }
  return attribute_list(entry.bytes);
}

std::vector<std::pair<AttrIndex, AttrIndex>> Entries::dictionary(AttrIndex index) {
  if (!is_dictionary(index)) wrong_kind(index, "a dictionary");
  Opened entry = open_attribute(index);
  const size_t count = entry.bytes.count("dictionary entries", 2);
  std::vector<std::pair<AttrIndex, AttrIndex>> out(count);
  budget_.spend(sizeof(out[0]) * count, entry.offset);
  for (auto& [key, value] : out) {
    key = attribute_index(entry.bytes);
    value = attribute_index(entry.bytes);
  }
  return out;
}

bool Entries::is_dictionary(AttrIndex index) {
  const Opened entry = open_attribute(index);
  return entry.is(Dialect::Vhlo, vhlo::kDictionary) ||
         entry.is(Dialect::Builtin, builtin::kDictionary);
}

bool Entries::is_mesh_axes_group(AttrIndex index) {
  return open_attribute(index).is(Dialect::Vhlo, vhlo::kMeshAxesGroup);
}

uint64_t Entries::enumeration(AttrIndex index, uint64_t code, uint64_t end) {
  Opened entry = open_attribute(index);
  if (!entry.is(Dialect::Vhlo, code)) wrong_kind(index, "an enumeration");
  return entry.bytes.index("a value of an enumeration", end);
}

AccuracyAttributes Entries::accuracy(AttrIndex index) {
  Opened entry = open_attribute(index);
  if (!entry.is(Dialect::Vhlo, vhlo::kAccuracy)) wrong_kind(index, "an accuracy");
  AccuracyAttributes out;
  out.atol = ap_float(entry.bytes, ElementType::F64);
  out.rtol = ap_float(entry.bytes, ElementType::F64);
  out.ulps = entry.bytes.svarint();
  const AttrIndex mode = attribute_index(entry.bytes);
  out.mode = static_cast<AccuracyAttributes::Mode>(enumeration(mode, vhlo::kAccuracyMode, 3));
  return out;
}

OutputAlias Entries::alias(AttrIndex index) {
  Opened entry = open_attribute(index);
  if (!entry.is(Dialect::Vhlo, vhlo::kOutputAlias)) wrong_kind(index, "an output alias");
  OutputAlias out;
  out.output_indices = signed_list(entry.bytes);
  out.operand = entry.bytes.svarint();
  out.operand_indices = signed_list(entry.bytes);
  return out;
}

Attribute Entries::list_attribute(ByteCursor& cursor, int depth) {
  ListAttribute out;
  for (const AttrIndex item : attribute_list(cursor)) {
    out.items.push_back(attribute(item, depth + 1));
  }
  return {std::move(out)};
}

std::vector<NamedAttribute> Entries::named(AttrIndex index, int depth) {
  std::vector<NamedAttribute> out;
  for (const auto& [key, value] : dictionary(index)) {
    out.push_back({string(key), attribute(value, depth + 1)});
  }
  return out;
}

Attribute Entries::attribute(AttrIndex index, int depth) {
  const Entry& raw = container_.attributes[index];
  budget_.spend(sizeof(NamedAttribute), raw.bytes.offset());
  if (depth > kMaxDepth) {
    fail_at("TY-SHLO-011", raw.bytes.offset(), "attributes nest deeper than {}", kMaxDepth);
  }
  if (!raw.custom) {
    ByteCursor bytes = raw.bytes;
    budget_.spend(bytes.left(), bytes.offset());
    return {OpaqueAttribute{std::string(bytes.c_string())}};
  }
  Opened entry = open_attribute(index);
  switch (entry.dialect) {
    case Dialect::Vhlo:
      return vhlo_attribute(index, entry, depth);
    case Dialect::Builtin:
      return builtin_attribute(index, entry, depth);
    case Dialect::Sdy:
      return sdy_attribute(index, entry);
    case Dialect::Other:
      break;
  }
  fail_at("TY-SHLO-007", entry.offset, "an attribute of dialect '{}', which is not known",
          container_.dialects[raw.dialect]);
}

Attribute Entries::vhlo_attribute(AttrIndex index, Opened& entry, int depth) {
  switch (entry.code) {
    case vhlo::kArray:
      return list_attribute(entry.bytes, depth);
    case vhlo::kBool:
      return {entry.bytes.varint() != 0};
    case vhlo::kDictionary:
      return {DictionaryAttribute{named(index, depth)}};
    case vhlo::kFloat: {
      const ElementType type = element(type_index(entry.bytes));
      return {FloatAttribute{ap_float(entry.bytes, type), type}};
    }
    case vhlo::kInteger:
      return {IntegerAttribute{integer(index), element(type_index(entry.bytes))}};
    case vhlo::kString:
      return {std::string(string_at(entry.bytes))};
    case vhlo::kTensor:
      return {TensorAttribute{constant(index)}};
    case vhlo::kType: {
      const TypeIndex type = type_index(entry.bytes);
      return {TypeAttribute{whole_type(type, 0)}};
    }
    default:
      if (entry.code > vhlo::kMesh || entry.code == 0) {
        fail_at("TY-SHLO-007", entry.offset,
                "VHLO attribute code {} is not known; export the program for StableHLO 1.13.0",
                entry.code);
      }
      return {OpaqueAttribute{fmt::format("vhlo attribute {}", entry.code)}};
  }
}

Attribute Entries::builtin_attribute(AttrIndex index, Opened& entry, int depth) {
  switch (entry.code) {
    case builtin::kArray:
      return list_attribute(entry.bytes, depth);
    case builtin::kDictionary:
      return {DictionaryAttribute{named(index, depth)}};
    case builtin::kString:
    case builtin::kTypedString:
      return {std::string(string_at(entry.bytes))};
    case builtin::kFlatSymbol:
      return {SymbolAttribute{string(index)}};
    case builtin::kType: {
      const TypeIndex type = type_index(entry.bytes);
      return {TypeAttribute{whole_type(type, 0)}};
    }
    case builtin::kUnit:
      return {UnitAttribute{}};
    case builtin::kInteger:
      return {IntegerAttribute{integer(index), element(type_index(entry.bytes))}};
    case builtin::kFloat: {
      const ElementType type = element(type_index(entry.bytes));
      return {FloatAttribute{ap_float(entry.bytes, type), type}};
    }
    case builtin::kDense:
      return {TensorAttribute{constant(index)}};
    default:
      return {OpaqueAttribute{fmt::format("builtin attribute {}", entry.code)}};
  }
}

}  // namespace trainyard::compiler
