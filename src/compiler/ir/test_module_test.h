#pragma once
// A module with one function to which tests add operations.
#include <string>
#include <utility>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/ir/verify.h"

namespace trainyard::compiler::testing {

inline Type f32(std::vector<int64_t> shape) {
  return tensor_of(ElementType::F32, std::move(shape));
}
inline Type i32(std::vector<int64_t> shape) {
  return tensor_of(ElementType::I32, std::move(shape));
}
inline Type i1(std::vector<int64_t> shape) { return tensor_of(ElementType::I1, std::move(shape)); }

class TestModule {
 public:
  explicit TestModule(const std::vector<Type>& arguments) {
    module.files.push_back("model.py");
    module.locations.push_back({.file = 0, .line = 7, .column = 3, .name = "jit(f)/op"});
    module.functions.emplace_back();
    main().name = "main";
    main().is_public = true;
    main().body = add_block(main(), arguments);
    main().argument_attributes.resize(arguments.size());
  }

  Function& main() { return module.functions[0]; }
  ValueId argument(size_t i) { return main().entry().arguments[i]; }

  // Adds an operation to `block` and returns its first result, or -1.
  ValueId add(OpKind kind, std::vector<ValueId> operands, OpAttributes attributes,
              const std::vector<Type>& results, std::vector<BlockId> regions = {},
              BlockId block = 0) {
    Op op;
    op.kind = kind;
    op.operands = std::move(operands);
    op.attributes = std::move(attributes);
    op.regions = std::move(regions);
    op.location = 1;
    const OpId id = add_op(main(), block, std::move(op), results);
    return main().op(id).results.empty() ? -1 : main().op(id).results[0];
  }

  // A region that combines its first two arguments with `kind` and returns the result.
  BlockId reducer(OpKind kind, const Type& scalar) {
    const BlockId block = add_block(main(), {scalar, scalar});
    const auto arguments = main().block(block).arguments;
    const ValueId sum = add(kind, {arguments[0], arguments[1]}, {}, {scalar}, {}, block);
    add(OpKind::Return, {sum}, {}, {}, {}, block);
    return block;
  }

  // Ends the function with the values given, then verifies the module.
  Status finish(const std::vector<ValueId>& results) {
    main().result_types.clear();
    for (const ValueId value : results) main().result_types.push_back(main().type(value));
    main().result_attributes.resize(results.size());
    add(OpKind::FuncReturn, results, {}, {});
    return verify(module);
  }

  Module module;
};

// One operation on arguments of the given types.
inline Status check_one(OpKind kind, const std::vector<Type>& arguments, OpAttributes attributes,
                        const Type& result) {
  TestModule test(arguments);
  std::vector<ValueId> operands;
  for (size_t i = 0; i < arguments.size(); ++i) operands.push_back(test.argument(i));
  return test.finish({test.add(kind, operands, std::move(attributes), {result})});
}

inline std::string code_of_one(OpKind kind, const std::vector<Type>& arguments,
                               OpAttributes attributes, const Type& result) {
  return check_one(kind, arguments, std::move(attributes), result).code();
}

}  // namespace trainyard::compiler::testing
