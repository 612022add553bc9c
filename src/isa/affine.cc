#include "isa/affine.h"

#include <algorithm>
#include <tuple>

namespace trainyard::isa {
namespace {

auto key(const Term& t) { return std::tuple(t.variable.kind, t.variable.id); }

}  // namespace

Affine Affine::counter(LoopId loop, int64_t coefficient) {
  Affine a;
  if (coefficient != 0) a.terms.push_back({{Variable::Kind::Counter, loop}, coefficient});
  return a;
}

Affine Affine::reg(RegisterId reg, int64_t coefficient) {
  Affine a;
  if (coefficient != 0) a.terms.push_back({{Variable::Kind::Register, reg}, coefficient});
  return a;
}

bool Affine::has_register() const {
  return std::any_of(terms.begin(), terms.end(),
                     [](const Term& t) { return t.variable.kind == Variable::Kind::Register; });
}

int64_t Affine::coefficient(Variable v) const {
  for (const Term& t : terms) {
    if (t.variable == v) return t.coefficient;
  }
  return 0;
}

Affine& Affine::operator+=(const Affine& other) {
  constant += other.constant;
  for (const Term& t : other.terms) {
    const auto at = std::lower_bound(terms.begin(), terms.end(), t,
                                     [](const Term& a, const Term& b) { return key(a) < key(b); });
    if (at == terms.end() || !(at->variable == t.variable)) {
      terms.insert(at, t);
      continue;
    }
    at->coefficient += t.coefficient;
    if (at->coefficient == 0) terms.erase(at);
  }
  return *this;
}

Affine operator*(Affine a, int64_t factor) {
  if (factor == 0) return Affine(0);
  a.constant *= factor;
  for (Term& t : a.terms) t.coefficient *= factor;
  return a;
}

}  // namespace trainyard::isa
