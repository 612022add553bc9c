#include "compiler/stablehlo/graph_reader.h"

#include "compiler/stablehlo/reader.h"

namespace trainyard::compiler {
namespace {

constexpr ValueId kUndefined = -1;

enum Mask : uint8_t {
  kHasAttributes = 0x01,
  kHasResults = 0x02,
  kHasOperands = 0x04,
  kHasSuccessors = 0x08,
  kHasRegions = 0x10,
  kHasUseLists = 0x20,
  kHasProperties = 0x40,
};

}  // namespace

void GraphReader::read() {
  ByteCursor cursor = container_.ir;
  const FlaggedInteger head = cursor.flagged();
  if (head.value != 1 || head.flag) {
    fail_at("TY-SHLO-013", cursor.offset(), "the file holds {} modules, one is expected",
            head.value);
  }
  scopes_.push_back({});
  ranges_.push_back({});
  read_module_op(cursor);
  cursor.finish("the module");
}

GraphReader::Head GraphReader::read_head(ByteCursor& cursor) {
  Head head;
  head.offset = cursor.offset();
  head.name = container_.op_names[cursor.index("operation name", container_.op_names.size())];
  const uint8_t mask = cursor.byte();
  head.location = entries_.location(attribute_index(cursor));
  if (mask & kHasAttributes) head.dictionary = attribute_index(cursor);
  if (mask & kHasProperties) {
    head.properties = cursor.index("property list", container_.properties.size());
  }
  if (mask & kHasResults) {
    head.results.resize(cursor.count("results"));
    for (TypeIndex& type : head.results) type = cursor.index("type", container_.types.size());
  }
  if (mask & kHasOperands) {
    head.operands.resize(cursor.count("operands"));
    for (ValueId& value : head.operands) value = use(cursor);
  }
  if (mask & kHasSuccessors) {
    fail_at("TY-SHLO-013", head.offset, "'{}' branches to another block; StableHLO has none",
            head.name.name);
  }
  if ((mask & kHasUseLists) && container_.version >= kUseListOrders) {
    skip_use_lists(cursor, head.results.size());
  }
  if (mask & kHasRegions) {
    const FlaggedInteger regions = cursor.flagged();
    if (regions.value > cursor.left()) {
      fail_at("TY-SHLO-006", cursor.offset(), "{} regions are announced, {} bytes are left",
              regions.value, cursor.left());
    }
    head.regions = regions.value;
    head.isolated = regions.flag;
  }
  return head;
}

// The order in which uses of a value were listed: of no meaning here.
void GraphReader::skip_use_lists(ByteCursor& cursor, size_t values) {
  const size_t entries = values > 1 ? cursor.count("use lists") : 1;
  for (size_t i = 0; i < entries; ++i) {
    if (values > 1) cursor.varint();
    const FlaggedInteger numbers = cursor.flagged();
    for (uint64_t k = 0; k < numbers.value; ++k) cursor.varint();
  }
}

Properties GraphReader::properties(const Head& head, std::string_view schema) {
  if (head.properties) {
    return Properties::from_bytes(schema, container_.properties[*head.properties], entries_);
  }
  if (head.dictionary && container_.version < kNativeProperties) {
    return Properties::from_dictionary(*head.dictionary, entries_);
  }
  return Properties::from_bytes("", {}, entries_);
}

std::vector<NamedAttribute> GraphReader::extras(const Head& head) {
  if (!head.dictionary || container_.version < kNativeProperties) return {};
  return entries_.named(*head.dictionary);
}

void GraphReader::define(ValueId value, size_t offset) {
  Range& range = ranges_.back();
  if (range.next == range.end) {
    fail_at("TY-SHLO-013", offset, "a region defines more values than it announces");
  }
  scopes_.back().values[range.next++] = value;
}

ValueId GraphReader::use(ByteCursor& cursor) {
  const std::vector<ValueId>& values = scopes_.back().values;
  const size_t start = cursor.offset();
  const ValueId value = values.empty() ? kUndefined : values[cursor.index("value", values.size())];
  if (value == kUndefined) {
    fail_at("TY-SHLO-013", start, "an operand is used before it is defined");
  }
  return value;
}

void GraphReader::in_regions(const Head& head, ByteCursor& cursor,
                             const std::function<void(ByteCursor&)>& read) {
  if (++depth_ > kMaxDepth) {
    fail_at("TY-SHLO-011", head.offset, "regions nest deeper than {}", kMaxDepth);
  }
  if (head.isolated) scopes_.push_back({});
  if (head.isolated && container_.version >= kLazyRegions) {
    const size_t start = cursor.offset();
    Section section = read_section(cursor);
    if (section.id != kIrSection) {
      fail_at("TY-SHLO-004", start, "section {} holds regions, {} is expected", section.id,
              kIrSection);
    }
    read(section.bytes);
    section.bytes.finish("the regions of an operation");
  } else {
    read(cursor);
  }
  if (head.isolated) scopes_.pop_back();
  --depth_;
}

BlockId GraphReader::read_region(ByteCursor& cursor, bool is_function_body) {
  const size_t start = cursor.offset();
  const uint64_t blocks = cursor.varint();
  if (blocks != 1) {
    fail_at("TY-SHLO-013", start, "a region has {} blocks; StableHLO regions have one", blocks);
  }
  const size_t values = cursor.count("values");
  std::vector<ValueId>& numbering = scopes_.back().values;
  const size_t first = numbering.size();
  budget_.spend(sizeof(ValueId) * values, start);
  numbering.resize(first + values, kUndefined);
  ranges_.push_back({first, first + values});
  const BlockId block = add_block(module_.functions.back());
  read_block(cursor, block, is_function_body);
  ranges_.pop_back();
  scopes_.back().values.resize(first);
  return block;
}

void GraphReader::read_arguments(ByteCursor& cursor, BlockId block) {
  Function& function = module_.functions.back();
  const size_t count = cursor.count("block arguments");
  for (size_t i = 0; i < count; ++i) {
    const size_t start = cursor.offset();
    uint64_t type = cursor.varint();
    bool has_location = true;
    if (container_.version >= kOptionalArgumentLocations) {
      has_location = (type & 1) != 0;
      type >>= 1;
    }
    if (type >= container_.types.size()) {
      fail_at("TY-SHLO-005", start, "type {} is named, the file has {}", type,
              container_.types.size());
    }
    Value value{.type = entries_.type(type), .op = kNoOp, .index = static_cast<int32_t>(i)};
    if (has_location) value.location = entries_.location(attribute_index(cursor));
    const ValueId id = static_cast<ValueId>(function.values.size());
    function.values.push_back(std::move(value));
    function.blocks[static_cast<size_t>(block)].arguments.push_back(id);
    define(id, start);
  }
  if (container_.version >= kUseListOrders && cursor.byte() != 0) skip_use_lists(cursor, count);
}

void GraphReader::read_block(ByteCursor& cursor, BlockId block, bool is_function_body) {
  constexpr size_t kSmallestOp = 3;
  const size_t start = cursor.offset();
  const FlaggedInteger head = cursor.flagged();
  if (head.value > cursor.left() / kSmallestOp) {
    fail_at("TY-SHLO-006", start, "{} operations are announced, {} bytes are left", head.value,
            cursor.left());
  }
  if (head.flag) read_arguments(cursor, block);
  for (uint64_t i = 0; i < head.value; ++i) {
    const Head op = read_head(cursor);
    read_op(op, cursor, block, is_function_body);
  }
}

// Shardy's operations keep builtin types, so VHLO wraps them in casts: both types are one here.
void GraphReader::read_cast(const Head& head) {
  const Function& function = module_.functions.back();
  if (head.operands.size() != head.results.size() || head.regions != 0) {
    fail_at("TY-SHLO-013", head.offset, "a cast with {} operands and {} results",
            head.operands.size(), head.results.size());
  }
  for (size_t i = 0; i < head.operands.size(); ++i) {
    const Type to = entries_.type(head.results[i]);
    const Type& from = function.type(head.operands[i]);
    if (from != to) {
      fail_at("TY-SHLO-013", head.offset, "a cast from {} to {}", str(from), str(to));
    }
    define(head.operands[i], head.offset);
  }
}

void GraphReader::read_op(const Head& head, ByteCursor& cursor, BlockId block,
                          bool in_function_body) {
  if (head.name.dialect == "builtin" && head.name.name == "unrealized_conversion_cast") {
    return read_cast(head);
  }
  const OpSchema* schema = find_schema(head.name.dialect, head.name.name);
  if (schema == nullptr) {
    fail_at("TY-SHLO-008", head.offset,
            "operation '{}.{}' is not known; export the program for StableHLO 1.13.0",
            head.name.dialect, head.name.name);
  }
  Op op;
  op.kind = schema->kind;
  if (op.kind == OpKind::Return && in_function_body) op.kind = OpKind::FuncReturn;
  op.operands = head.operands;
  op.location = head.location;
  op.attributes = read_attributes(*schema, properties(head, schema->properties), entries_);
  op.extra = extras(head);
  budget_.spend(sizeof(Op) / 8 + sizeof(ValueId) * head.operands.size(), head.offset);

  Function& function = module_.functions.back();
  std::vector<Type> types;
  for (const TypeIndex type : head.results) types.push_back(entries_.type(type));
  const OpId id = add_op(function, block, std::move(op), types);
  for (const ValueId result : function.op(id).results) define(result, head.offset);
  if (head.regions == 0) return;
  std::vector<BlockId> regions;
  in_regions(head, cursor, [&](ByteCursor& bytes) {
    for (size_t i = 0; i < head.regions; ++i) regions.push_back(read_region(bytes, false));
  });
  module_.functions.back().op(id).regions = std::move(regions);
}

}  // namespace trainyard::compiler
