#pragma once
// Readers of the values inside statements. Each returns something harmless after an error.
#include <vector>

#include "isa/text/context.h"

namespace trainyard::isa::text {

// 128*ka + 3*r - 5
Affine read_affine(Context& c);
// -1.5, 2e-3, 7, inf, -inf, nan
float read_float(Context& c);
// A float, an integer, or an access.
Operand read_operand(Context& c);
// t, t[...], t.ap(...), t.as(dtype)...
Access read_access(Context& c);
// [[step, count], ...]
std::vector<Dim> read_dims(Context& c);
// bf16
Dtype read_dtype(Context& c);
// tensor, vector, ...
Engine read_engine(Context& c);
// A number or a register.
RegisterOperand read_register_operand(Context& c);

}  // namespace trainyard::isa::text
