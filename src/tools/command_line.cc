#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "base/nearest.h"
#include "numerics/simd.h"
#include "tools/command.h"
#include "tools/version.h"

namespace trainyard::tools {
namespace {

std::string examples_text(std::string_view lines) {
  std::string text = "Examples:";
  while (!lines.empty()) {
    const size_t end = lines.find('\n');
    text += fmt::format("\n  {}", lines.substr(0, end));
    lines = end == std::string_view::npos ? "" : lines.substr(end + 1);
  }
  return text;
}

// The innermost command that the command line names, "trainyard explain".
struct Place {
  const CLI::App* app;
  std::string path;
};

Place innermost(const CLI::App& root) {
  Place place{&root, root.get_name()};
  while (!place.app->get_subcommands().empty()) {
    place.app = place.app->get_subcommands().front();
    place.path += " " + place.app->get_name();
  }
  return place;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(sub->get_name());
  }
  return names;
}

// What is wrong with a word that the parser could not place.
std::string unknown_word(const CLI::App& app, const std::string& word) {
  if (word.starts_with("-")) {
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("there is no option '{}'{}", name, did_you_mean(name, option_names(app)));
  }
  const std::vector<std::string> commands = command_names(app);
  if (commands.empty()) return fmt::format("'{}' is one argument too many", word);
  return fmt::format("there is no command '{}'{}", word, did_you_mean(word, commands));
}

int report_usage_error(const CLI::App& root, const CLI::ParseError& problem) {
  const Place place = innermost(root);
  // A misspelt option often makes a required one look absent, so the unknown word comes first.
  const std::vector<std::string> unknown = place.app->remaining();
  const std::string reason =
      unknown.empty() ? std::string(problem.what()) : unknown_word(*place.app, unknown.front());
  fmt::print(stderr, "{}: {}\nRun '{} --help' for options and examples.\n", place.path, reason,
             place.path);
  return kExitUsage;
}

int report(const Result<int>& result) {
  if (result.ok()) return *result;
  fmt::print(stderr, "{}\n", result.status().str());
  return kExitFailed;
}

int broken(std::string_view code, std::string_view text) {
  fmt::print(stderr, "{}  {}\n", code, text);
  return kExitBroken;
}

}  // namespace

int guarded(const std::function<int()>& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return broken("TY-TOOL-012",
                  "memory ran out. Run a smaller program, or take --mode time, which holds no "
                  "tensors; `trainyard doctor` shows how much this host has.");
  } catch (const std::exception& e) {
    return broken("TY-TOOL-011",
                  fmt::format("Trainyard is broken: {}. Please report it with the command line and "
                              "its input files; version {}.",
                              e.what(), version()));
  }
}

int run_command_line(std::span<const Command> commands, int argc, const char* const* argv) {
  CLI::App root("Trainyard: an open software Trainium", "trainyard");
  root.set_version_flag("--version", fmt::format("trainyard {}", version()));
  root.footer("Run 'trainyard COMMAND --help' for the options and examples of a command.");
  Run chosen;
  for (const Command& command : commands) {
    CLI::App* sub = root.add_subcommand(command.name, command.summary);
    sub->footer(examples_text(command.examples));
    const Run run = command.declare(*sub);
    sub->callback([&chosen, run] { chosen = run; });
  }
  try {
    root.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    return root.exit(request);
  } catch (const CLI::ParseError& problem) {
    return report_usage_error(root, problem);
  }
  if (!chosen) {
    fmt::print("{}", root.help());
    return 0;
  }
  if (const Status simd = numerics::check_simd_environment(); !simd.ok()) return report(simd);
  return report(chosen());
}

}  // namespace trainyard::tools
