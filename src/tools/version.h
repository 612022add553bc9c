#pragma once
// What this program was built from.
#include <string>
#include <vector>

namespace trainyard::tools {

struct Library {
  std::string name;
  std::string version;
};

const char* version();             // "0.1.0"
const char* build_type();          // "Release"
std::string compiler();            // "GCC 12.2.0"
std::vector<Library> libraries();  // the ones that the program links, by name

}  // namespace trainyard::tools
