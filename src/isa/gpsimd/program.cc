#include "isa/gpsimd/program.h"

namespace trainyard::isa::gpsimd {

int64_t Window::elements() const {
  int64_t n = 1;
  for (const int64_t extent : shape) n *= extent;
  return n;
}

std::optional<Code> code_of(Fold::Kind kind) {
  switch (kind) {
    case Fold::Kind::Add:
      return Code::Add;
    case Fold::Kind::Mul:
      return Code::Mul;
    case Fold::Kind::Min:
      return Code::Min;
    case Fold::Kind::Max:
      return Code::Max;
    case Fold::Kind::And:
      return Code::And;
    case Fold::Kind::Or:
      return Code::Or;
    case Fold::Kind::Xor:
      return Code::Xor;
    case Fold::Kind::None:
    case Fold::Kind::Function:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace trainyard::isa::gpsimd
