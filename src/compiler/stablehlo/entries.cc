#include "compiler/stablehlo/entries.h"

#include "compiler/ir/element_value.h"

namespace trainyard::compiler {
namespace {

// What opening an entry costs besides its bytes.
constexpr size_t kOpenCost = 16;

}  // namespace

Entries::Entries(const Container& container, Module& module, Budget& budget)
    : container_(container),
      module_(module),
      budget_(budget),
      types_(container.types.size()),
      constants_(container.attributes.size(), -1),
      locations_(container.attributes.size(), -1),
      places_(container.attributes.size()),
      files_by_string_(container.strings.size(), -1) {
  for (const std::string_view name : container.dialects) {
    dialects_.push_back(name == "vhlo"      ? Dialect::Vhlo
                        : name == "builtin" ? Dialect::Builtin
                        : name == "sdy"     ? Dialect::Sdy
                                            : Dialect::Other);
  }
}

Entries::Opened Entries::open(const Entry& entry) {
  ByteCursor bytes = entry.bytes;
  const size_t offset = bytes.offset();
  budget_.spend(kOpenCost + bytes.left(), offset);
  if (!entry.custom) {
    fail_at("TY-SHLO-007", offset, "an attribute or type of dialect '{}' is in text form",
            container_.dialects[entry.dialect]);
  }
  const uint64_t code = bytes.varint();
  return {dialects_[entry.dialect], code, bytes, offset};
}

Entries::Opened Entries::open_attribute(AttrIndex index) {
  return open(container_.attributes[index]);
}

void Entries::wrong_kind(AttrIndex index, std::string_view wanted) {
  fail_at("TY-SHLO-010", container_.attributes[index].bytes.offset(),
          "{} is expected, attribute {} is something else", wanted, index);
}

AttrIndex Entries::attribute_index(ByteCursor& cursor) {
  return cursor.index("attribute", container_.attributes.size());
}

TypeIndex Entries::type_index(ByteCursor& cursor) {
  return cursor.index("type", container_.types.size());
}

std::vector<AttrIndex> Entries::attribute_list(ByteCursor& cursor) {
  std::vector<AttrIndex> out(cursor.count("attributes"));
  budget_.spend(sizeof(AttrIndex) * out.size(), cursor.offset());
  for (AttrIndex& index : out) index = attribute_index(cursor);
  return out;
}

Dims Entries::signed_list(ByteCursor& cursor) {
  Dims out(cursor.count("integers"));
  budget_.spend(sizeof(int64_t) * out.size(), cursor.offset());
  for (int64_t& value : out) value = cursor.svarint();
  return out;
}

std::string_view Entries::string_at(ByteCursor& cursor) {
  const std::string_view text =
      container_.strings[cursor.index("string", container_.strings.size())];
  budget_.spend(text.size(), cursor.offset());
  return text;
}

int64_t Entries::ap_int(ByteCursor& cursor, int width) {
  if (width <= 8) return cursor.byte();
  if (width <= 64) return cursor.svarint();
  fail_at("TY-SHLO-007", cursor.offset(), "an integer of {} bits in an attribute", width);
}

double Entries::ap_float(ByteCursor& cursor, ElementType type) {
  if (!is_float(type)) {
    fail_at("TY-SHLO-010", cursor.offset(), "{} is no float type", name(type));
  }
  return to_double(type, static_cast<uint64_t>(ap_int(cursor, bit_width(type))));
}

}  // namespace trainyard::compiler
