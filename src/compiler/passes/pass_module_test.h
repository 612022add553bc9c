#pragma once
// What tests of passes look at.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "compiler/ir/print.h"
#include "compiler/ir/test_module_test.h"
#include "compiler/passes/rebuild.h"

namespace trainyard::compiler::testing {

// The kinds of all operations of main in order, those of regions after the operation itself.
inline std::vector<OpKind> kinds_of(const Module& module) {
  std::vector<OpKind> out;
  const Function& main = *module.main();
  for_each_op(main, main.body, [&](OpId id, BlockId) { out.push_back(main.op(id).kind); });
  return out;
}

inline size_t count_of(const Module& module, OpKind kind) {
  size_t n = 0;
  for (const OpKind k : kinds_of(module)) n += k == kind ? 1 : 0;
  return n;
}

// A constant of numbers, in `block`.
template <class T>
ValueId add_data(TestModule& test, const TensorType& type, const std::vector<T>& values,
                 BlockId block = 0) {
  Constant data{.type = type, .splat = values.size() == 1 && type.elements() != 1, .bytes = {}};
  data.bytes.resize(values.size() * sizeof(T));
  std::memcpy(data.bytes.data(), values.data(), data.bytes.size());
  test.module.constants.push_back(std::move(data));
  const auto id = static_cast<ConstantId>(test.module.constants.size()) - 1;
  return test.add(OpKind::Constant, {}, ConstantAttributes{id}, {Type(type)}, {}, block);
}

// What main returns as its result `i`, if that is a constant; else null.
inline const Constant* returned_constant(const Module& module, size_t i = 0) {
  const Function& main = *module.main();
  const ValueId value = main.op(main.entry().ops.back()).operands[i];
  const OpId id = main.value(value).op;
  if (id == kNoOp || main.op(id).kind != OpKind::Constant) return nullptr;
  return &module.constants[static_cast<size_t>(
      std::get<ConstantAttributes>(main.op(id).attributes).value)];
}

// The argument of main that its result `i` is, or -1.
inline int returned_argument(const Module& module, size_t i = 0) {
  const Function& main = *module.main();
  const Value& value = main.value(main.op(main.entry().ops.back()).operands[i]);
  return value.op == kNoOp ? value.index : -1;
}

inline void expect_verifies(const Module& module) {
  const Status status = verify(module);
  EXPECT_TRUE(status.ok()) << status.str() << "\n" << print(module);
}

}  // namespace trainyard::compiler::testing
