#pragma once
// Affine expressions over the counters of enclosing `repeat`s and over registers:
// constant + sum of coefficient * variable. Addresses, trip counts and immediates of a body are
// affine.
#include <cstdint>
#include <string>
#include <vector>

namespace trainyard::isa {

using LoopId = int32_t;      // index into Program::loops
using RegisterId = int32_t;  // index into Program::registers

// A counter of an enclosing `repeat`, or a register (then the address is dynamic).
struct Variable {
  enum class Kind : uint8_t { Counter, Register };
  Kind kind = Kind::Counter;
  int32_t id = -1;
  friend bool operator==(const Variable&, const Variable&) = default;
};

struct Term {
  Variable variable;
  int64_t coefficient = 0;
  friend bool operator==(const Term&, const Term&) = default;
};

// Terms are kept in normal form: sorted by (kind, id), no zero coefficient, no variable twice.
// Equal expressions therefore compare equal.
struct Affine {
  int64_t constant = 0;
  std::vector<Term> terms;

  Affine() = default;
  Affine(int64_t c) : constant(c) {}  // NOLINT: a number is an affine expression

  static Affine counter(LoopId loop, int64_t coefficient = 1);
  static Affine reg(RegisterId reg, int64_t coefficient = 1);

  bool is_constant() const { return terms.empty(); }
  bool has_register() const;
  int64_t coefficient(Variable v) const;

  // counters[loop] and registers[reg] hold the current values. Arithmetic is 64-bit; the verifier
  // bounds every value far below overflow. Without registers, no term may name one.
  int64_t value(const int64_t* counters, const int64_t* registers = nullptr) const {
    int64_t sum = constant;
    for (const Term& t : terms) {
      const int64_t* from = t.variable.kind == Variable::Kind::Counter ? counters : registers;
      sum += t.coefficient * from[t.variable.id];  // NOLINT(clang-analyzer-core.NullDereference)
    }
    return sum;
  }

  Affine& operator+=(const Affine& other);
  friend Affine operator+(Affine a, const Affine& b) { return a += b; }
  friend Affine operator-(Affine a, const Affine& b) { return a += b * -1; }
  friend Affine operator*(Affine a, int64_t factor);
  friend bool operator==(const Affine&, const Affine&) = default;
};

Affine operator*(Affine a, int64_t factor);

}  // namespace trainyard::isa
