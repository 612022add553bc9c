// Any bytes through the reader, the verifier, the support check and the printer: an error or a
// module, never a crash, a hang or a huge allocation.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "compiler/ir/print.h"
#include "compiler/ir/supported.h"
#include "compiler/ir/verify.h"
#include "compiler/stablehlo/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace trainyard::compiler;
  const auto module = read_stablehlo({bytes, size});
  if (!module.ok()) {
    TY_CHECK(module.status().code().starts_with("TY-SHLO-"));
    TY_CHECK(module.status().message().find("at byte") != std::string::npos);
    return 0;
  }
  const trainyard::Status rules = verify(*module);
  TY_CHECK(rules.ok() || rules.code().starts_with("TY-SHLO-"));
  const trainyard::Status support = check_supported(*module);
  TY_CHECK(support.ok() || support.code().starts_with("TY-SHLO-"));
  // A printed module is at most a small multiple of what the reader's budget allowed.
  TY_CHECK(!print(*module, {.locations = true}).empty());
  return 0;
}
