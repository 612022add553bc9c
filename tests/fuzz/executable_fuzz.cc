// Any bytes as an executable file, with their checksum mended: an error that names its byte, or a
// file that is verified and written again to the same contents.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/check.h"
#include "compiler/file/executable_file.h"
#include "hw/catalogue.h"
#include "isa/text/text.h"

namespace {

using namespace trainyard;
using namespace trainyard::compiler;

// The size and the checksum stop nearly every change before it reaches a reader; here they are right.
std::string mended(std::string bytes) {
  if (bytes.size() < 32) return bytes;
  const auto put = [&](size_t at, uint64_t value) {
    for (size_t i = 0; i < 8; ++i, value >>= 8) bytes[at + i] = static_cast<char>(value);
  };
  put(16, bytes.size());
  put(bytes.size() - 8, XXH64(bytes.data(), bytes.size() - 8, 0));
  return bytes;
}

void read_verify_write(std::string_view bytes) {
  static const hw::Machine machine = *hw::find_target("trn2");
  const Result<ExecutableFile> file = read_executable(bytes);
  if (!file.ok()) {
    const Status& status = file.status();
    TY_CHECK(status.code().starts_with("TY-EXE-"));
    TY_CHECK(status.code() == "TY-EXE-009" ||
             status.message().find("at byte") != std::string::npos);
    return;
  }
  const std::string written = write_executable(*file);
  const Result<ExecutableFile> again = read_executable(written);
  TY_CHECK(again.ok() && write_executable(*again) == written);
  const Status sound = verify_executable(file->executable, machine.core);
  TY_CHECK(sound.ok() || sound.code().starts_with("TY-"));
  if (sound.ok()) TY_CHECK(!isa::print_text(file->executable.program).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  read_verify_write(bytes);
  read_verify_write(mended(bytes));
  return 0;
}
