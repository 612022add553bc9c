// Where an executable came from, as short texts.
#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include "compiler/file/executable_file.h"
#include "compiler/file/sources_digest.h"
#include "hw/machine_file.h"

namespace trainyard::compiler {

std::string digest(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

const std::string& compiler_name() {
  static const std::string name =
      fmt::format("trainyard {}, sources {}", TRAINYARD_VERSION, kSourcesDigest);
  return name;
}

std::string machine_digest(const hw::Machine& machine) {
  return fmt::format("{}, {}", machine.name, digest(hw::machine_to_toml(machine)).substr(0, 16));
}

std::string cache_key(const Origin& origin) {
  return digest(fmt::format("{}\n{}\n{}\n{}\n", origin.compiler, origin.module, origin.machine,
                            origin.options));
}

}  // namespace trainyard::compiler
