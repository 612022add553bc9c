#pragma once
// Builds programs. Result types are inferred where the operation fixes them. A builder checks
// nothing: verify what it gives.
#include <string>
#include <vector>

#include "isa/gpsimd/program.h"

namespace trainyard::isa::gpsimd {

class FunctionBuilder {
 public:
  explicit FunctionBuilder(std::string name);

  ValueId param(ValueType type);
  ValueId constant(Type type, uint64_t bits);
  ValueId integer(Type type, int64_t value);  // wraps to the type
  ValueId real(Type type, double value);      // rounds to the type
  ValueId unary(Code code, ValueId a);
  ValueId binary(Code code, ValueId a, ValueId b);  // compares too
  ValueId select(ValueId mask, ValueId a, ValueId b);
  ValueId fma(ValueId a, ValueId b, ValueId c);
  ValueId convert(ValueId a, Type to);
  ValueId bitcast(ValueId a, Type to);
  ValueId iota(Type type, int64_t count);
  ValueId broadcast(ValueId a, int64_t count);
  ValueId shuffle(ValueId a, ValueId index, Bounds bounds = Bounds::Fault);
  std::pair<ValueId, ValueId> compress(ValueId a, ValueId mask);  // strip, s32 count
  ValueId reduce(ValueId a, ValueId start, Fold fold);
  ValueId scan(ValueId a, ValueId start, Fold fold, bool exclusive = false);
  ValueId load(const Access& access, ValueType type, ValueId base, ValueId fill = -1);
  void store(const Access& access, ValueId base, ValueId value);
  ValueId gather(const Access& access, Type type, ValueId index, ValueId fill = -1);
  void scatter(const Access& access, ValueId index, ValueId value);
  // An operation of another function, without blocks and with one result, on values of this one.
  ValueId copy(const Op& op, std::vector<ValueId> in, ValueType out);
  void primitive(Code code, WindowWork work, std::vector<ValueId> in = {});

  // Control. `begin_for` opens the body and gives its counter and carried values; `end` closes it
  // with the values for the next turn and gives the loop's results.
  std::vector<ValueId> begin_for(ValueId count, int64_t maximum, std::vector<ValueId> carried);
  std::vector<ValueId> begin_while(int64_t maximum, std::vector<ValueId> carried);  // condition
  std::vector<ValueId> begin_body(ValueId condition);                               // of the while
  void begin_if(ValueId condition, const std::vector<ValueType>& results);
  void begin_else(std::vector<ValueId> results);
  std::vector<ValueId> end(std::vector<ValueId> results);

  Function finish(std::vector<ValueId> results = {});
  const ValueType& type(ValueId v) const { return function_.values[v]; }

 private:
  ValueId value(ValueType type);
  Op& add(Code code, std::vector<ValueId> in, std::vector<ValueType> out, Attributes a = {});
  BlockId open_block(const std::vector<ValueType>& params);
  Op& opener();

  struct Open {
    BlockId parent = 0;
    size_t op = 0;  // in the parent
  };
  Function function_;
  BlockId at_ = 0;
  std::vector<Open> open_;
};

}  // namespace trainyard::isa::gpsimd
