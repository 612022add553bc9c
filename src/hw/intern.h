#pragma once
#include <string>
#include <string_view>

namespace trainyard::hw {

// The same text, alive until the program ends. A Fact names its source by string_view so that the
// catalogue can be constant data; texts from machine files get their life here. Each distinct text
// is kept once. Safe to call from several threads.
std::string_view intern(std::string text);

}  // namespace trainyard::hw
