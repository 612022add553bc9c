// Runs a Python script under python/trainyard/profile.py, which knows how to ask the plug-in.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tools/command.h"
#include "tools/python_program.h"

namespace trainyard::tools {
namespace {

struct Options {
  std::string trace;
  bool json = false;
  std::vector<std::string> words;  // the script and its arguments
};

// Only comes back if Python cannot be started.
Result<int> run(const Options& o) {
  const std::string python = python_program();
  std::vector<std::string> words = {python, "-m", "trainyard.profile"};
  if (!o.trace.empty()) words.insert(words.end(), {"--trace", o.trace});
  if (o.json) words.emplace_back("--json");
  words.emplace_back("--");
  words.insert(words.end(), o.words.begin(), o.words.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  return error("TY-TOOL-024",
               "cannot start {}: {}. Set TRAINYARD_PYTHON to a Python that has jax and trainyard.",
               python, std::strerror(errno));
}

}  // namespace

Run declare_profile(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  app.add_option("--trace", o->trace, "Write a Perfetto trace of the longest program here");
  app.add_flag("--json", o->json, "Print one JSON object after what the script prints");
  app.add_option("script", o->words, "The Python script, then its arguments")->required();
  app.positionals_at_end();
  return [o] { return run(*o); };
}

}  // namespace trainyard::tools
