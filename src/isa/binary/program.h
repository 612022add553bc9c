#pragma once
// Programs in the binary form: body, placement, GpSimd programs, names, files and lines. Ids stay
// as they are. docs/executable.md describes the bytes.
#include "isa/binary/reader.h"
#include "isa/binary/writer.h"
#include "isa/program.h"

namespace trainyard::isa::binary {

// Equal programs give equal bytes.
void write_program(Writer& writer, const Program& program);

// Whatever stands in the bytes, or an error in `reader`. Every enum is one that exists and every
// affine expression is in normal form; the rest is for isa::verify to judge, also whether ids name
// something.
Program read_program(Reader& reader);

}  // namespace trainyard::isa::binary
