// Any text is read or refused, never more than that; what is read comes back from its printed form.
#include "base/check.h"
#include "isa/structure.h"
#include "isa/text/text.h"

namespace {

using namespace trainyard;

void expect_round_trip(const isa::Program& program) {
  const std::string printed = isa::print_text(program);
  const Result<isa::Program> again = isa::parse_text(printed, "printed");
  TY_CHECK(again.ok());
  TY_CHECK(isa::same_program(program, *again));
  TY_CHECK(isa::print_text(*again) == printed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Result<isa::Program> program =
      isa::parse_text({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!program.ok()) {
    TY_CHECK(program.status().place().known());
    return 0;
  }
  expect_round_trip(*program);
  isa::Program body = *program;
  body.placement = {};
  body.semaphores.clear();
  const Result<isa::Program> bare =
      isa::parse_text(isa::print_text(*program, {.placement = false}), "body");
  TY_CHECK(bare.ok() && isa::same_program(*bare, body));
  const isa::Structure structure(*program);
  TY_CHECK(structure.in_order().size() == program->insts.size());
  return 0;
}
