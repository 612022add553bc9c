#include "python/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <stdexcept>

#include "runtime/plugin_extension.h"

namespace trainyard::python {
namespace {

// The same path gives the copy that JAX uses: the loader keeps one per file.
const runtime::PluginExtension& extension_of(const std::string& library) {
  void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  using GetTable = const runtime::TableHead* (*)();
  const auto get_table = reinterpret_cast<GetTable>(dlsym(handle, "GetPjrtApi"));
  if (get_table == nullptr) throw std::runtime_error(dlerror());
  for (const runtime::ExtensionHead* at = get_table()->extensions; at != nullptr; at = at->next) {
    if (at->type == runtime::PluginExtension::kType &&
        at->struct_size >= sizeof(runtime::PluginExtension)) {
      return *reinterpret_cast<const runtime::PluginExtension*>(at);
    }
  }
  throw std::runtime_error(fmt::format("{} is no plug-in of Trainyard", library));
}

}  // namespace

std::string simulated_time(const std::string& library) {
  runtime::TextAnswer answer;
  extension_of(library).simulated_time(&answer);
  std::string text(answer.text, answer.size);
  if (!answer.ok) throw std::runtime_error(text);
  return text;
}

}  // namespace trainyard::python
