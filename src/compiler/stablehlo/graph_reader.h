#pragma once
// Reads the operations of a bytecode file into a Module.
#include <functional>
#include <optional>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/stablehlo/container.h"
#include "compiler/stablehlo/entries.h"
#include "compiler/stablehlo/op_reader.h"

namespace trainyard::compiler {

class GraphReader {
 public:
  GraphReader(const Container& container, Module& module, Budget& budget)
      : container_(container),
        module_(module),
        budget_(budget),
        entries_(container, module, budget) {}

  void read();

 private:
  // The part of an operation that comes before its regions.
  struct Head {
    OpName name;
    size_t offset = 0;
    LocationId location = 0;
    std::optional<AttrIndex> dictionary;
    std::optional<size_t> properties;
    std::vector<TypeIndex> results;
    std::vector<ValueId> operands;
    size_t regions = 0;
    bool isolated = false;
  };
  // Values are numbered afresh in each isolated operation. A region takes a range at the end of
  // the current numbering and gives it back when it is left.
  struct Scope {
    std::vector<ValueId> values;
  };
  struct Range {
    size_t next = 0;
    size_t end = 0;
  };

  Head read_head(ByteCursor& cursor);
  void skip_use_lists(ByteCursor& cursor, size_t values);
  Properties properties(const Head& head, std::string_view schema);
  std::vector<NamedAttribute> extras(const Head& head);

  void read_module_op(ByteCursor& cursor);
  void read_module_body(ByteCursor& cursor);
  void read_mesh(const Head& head);
  void read_function(const Head& head, ByteCursor& cursor);
  void read_op(const Head& head, ByteCursor& cursor, BlockId block, bool in_function_body);
  void read_cast(const Head& head);
  BlockId read_region(ByteCursor& cursor, bool is_function_body);
  void read_block(ByteCursor& cursor, BlockId block, bool is_function_body);
  void read_arguments(ByteCursor& cursor, BlockId block);
  // Calls `read` on the bytes of the regions of `head`, in a scope of their own if isolated.
  void in_regions(const Head& head, ByteCursor& cursor,
                  const std::function<void(ByteCursor&)>& read);

  void define(ValueId value, size_t offset);
  ValueId use(ByteCursor& cursor);
  AttrIndex attribute_index(ByteCursor& cursor) {
    return cursor.index("attribute", container_.attributes.size());
  }

  const Container& container_;
  Module& module_;
  Budget& budget_;
  Entries entries_;
  std::vector<Scope> scopes_;
  std::vector<Range> ranges_;
  int depth_ = 0;
};

}  // namespace trainyard::compiler
