#pragma once
// A digest of the sources that decide what the compiler makes of a module. The build writes it
// (cmake/sources_digest.cmake), so that a changed compiler never meets the files of an older one.
#include <string_view>

namespace trainyard::compiler {

extern const std::string_view kSourcesDigest;

}  // namespace trainyard::compiler
