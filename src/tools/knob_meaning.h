#pragma once
// What the unknowns of a prediction mean, in words.
#include <string>
#include <string_view>

namespace trainyard::tools {

// Of a calibrated knob ("NeuronDma"), of a knob of the catalogue ("net.eff_link"), or of "price".
std::string knob_meaning(std::string_view name);

}  // namespace trainyard::tools
