#pragma once
// What our own Python package may ask the plug-in besides PJRT's questions, as one extension in the
// list of the table. Frameworks skip extensions that they do not know.
#include "pjrt/c_api/api.h"

namespace trainyard::pjrt {

// "TY": far from the numbers that PJRT hands out one after another.
inline constexpr auto kExtensionType = static_cast<PJRT_Extension_Type>(0x5459);

// The text stays valid until the next call from the same thread.
struct TextArgs {
  size_t struct_size;
  const char* text;  // out
  size_t text_size;  // out
};

struct Extension {
  PJRT_Extension_Base base;
  // JSON: simulated time of all programs that ran since the last call, see python/trainyard.
  PJRT_Error* (*simulated_time)(TextArgs* args);
};

PJRT_Extension_Base* extensions();

}  // namespace trainyard::pjrt
