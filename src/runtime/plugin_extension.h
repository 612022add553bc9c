#pragma once
// What our Python package may ask the PJRT plug-in besides PJRT's own questions. The plug-in hangs
// it into the list of extensions that its table begins with; frameworks skip what they do not know.
// Both sides are C++ of one build, but they meet through dlopen, so only plain types cross.
#include <cstddef>
#include <cstdint>

namespace trainyard::runtime {

// The first words of PJRT's table and of each extension in its list, as PJRT fixes them.
struct ExtensionHead {
  size_t struct_size;
  int32_t type;
  ExtensionHead* next;
};
struct TableHead {
  size_t struct_size;
  ExtensionHead* extensions;
};

// An answer in text. It stays valid until the same thread asks again.
struct TextAnswer {
  size_t struct_size = sizeof(TextAnswer);
  bool ok = false;  // otherwise the text is an error
  const char* text = nullptr;
  size_t size = 0;
};

struct PluginExtension {
  // "TY": far from the numbers that PJRT hands out one after another.
  static constexpr int32_t kType = 0x5459;

  ExtensionHead head;
  // JSON: simulated time of everything that ran since the last call (python/trainyard/timing.py).
  void (*simulated_time)(TextAnswer* answer);
};

}  // namespace trainyard::runtime
