#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/nearest.h"
#include "hw/explain.h"
#include "hw/machine_file.h"
#include "isa/explain.h"
#include "tools/command.h"
#include "tools/error_pages.h"

namespace trainyard::tools {
namespace {

using Json = nlohmann::ordered_json;

// One thing that can be explained.
struct Topic {
  std::string name;
  std::string title;                 // one line, for `--list`
  std::vector<std::string> aliases;  // names that find it too
  std::string page;
  Json json;  // the same page as data
};

// A kind of topic. To explain more of the machine, add a row to kKinds.
struct Kind {
  const char* name;  // "error", as in `trainyard explain error TY-TOOL-001`
  const char* summary;
  std::vector<Topic> (*topics)(const hw::Machine&);
};

std::vector<Topic> error_topics(const hw::Machine&) {
  std::vector<Topic> topics;
  for (const ErrorPage& page : error_pages()) {
    const std::string_view first_line = page.text.substr(0, page.text.find('\n'));
    const size_t before = std::string_view("# : ").size() + page.code.size();
    const std::string title(first_line.substr(std::min(before, first_line.size())));
    topics.push_back({.name = std::string(page.code),
                      .title = title,
                      .aliases = {},
                      .page = std::string(page.text),
                      .json = {{"name", page.code}, {"title", title}, {"text", page.text}}});
  }
  return topics;
}

Json to_json(const hw::Page& page) {
  Json rows = Json::array();
  for (const hw::PageRow& row : page.rows) {
    rows.push_back({{"key", row.key},
                    {"value", row.value},
                    {"unit", row.unit},
                    {"trust", row.trust},
                    {"source", row.source},
                    {"meaning", row.meaning}});
  }
  return {
      {"name", page.name}, {"title", page.title}, {"paragraphs", page.paragraphs}, {"rows", rows}};
}

std::vector<Topic> from_pages(const std::vector<hw::Page>& pages) {
  std::vector<Topic> topics;
  for (const hw::Page& page : pages) {
    topics.push_back({page.name, page.title, page.aliases, hw::text(page), to_json(page)});
  }
  return topics;
}

std::vector<Topic> target_topics(const hw::Machine& machine) {
  std::vector<hw::Page> pages = hw::target_pages();
  const bool listed = std::ranges::find(pages, machine.name, &hw::Page::name) != pages.end();
  if (!listed) pages.push_back(hw::machine_page(machine));
  return from_pages(pages);
}
std::vector<Topic> unit_topics(const hw::Machine& machine) {
  return from_pages(hw::unit_pages(machine));
}
std::vector<Topic> constant_topics(const hw::Machine& machine) {
  return from_pages(hw::constant_pages(machine));
}

std::vector<Topic> instruction_topics(const hw::Machine& machine) {
  return from_pages(isa::instruction_pages(machine));
}

constexpr Kind kKinds[] = {
    {"error", "error codes of Trainyard", error_topics},
    {"instruction", "instructions: meaning, limits, cost", instruction_topics},
    {"target", "chips", target_topics},
    {"unit", "units of a core, with their constants", unit_topics},
    {"constant", "numbers of the machine, with trust and source", constant_topics},
};

struct Options {
  std::string first;   // the kind, or the name when it stands alone
  std::string second;  // the name
  std::string target = "trn2";
  std::string machine;  // a machine file; overrides `target`
  bool list = false;
  bool json = false;
};

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

// The kinds to search and the name to look for; an empty name asks for the list.
struct Request {
  std::vector<Kind> kinds;
  std::string name;
};

Result<Request> read_request(const Options& options) {
  for (const Kind& kind : kKinds) {
    if (same_name(kind.name, options.first)) return Request{{kind}, options.second};
  }
  if (!options.second.empty()) {
    return error("TY-TOOL-002", "'{}' is not a kind of thing to explain{}; there are: {}",
                 options.first, did_you_mean(options.first, kind_names()),
                 fmt::join(kind_names(), ", "));
  }
  return Request{{std::begin(kKinds), std::end(kKinds)}, options.first};
}

void print_list(const std::vector<Kind>& kinds, const hw::Machine& machine) {
  for (const Kind& kind : kinds) {
    fmt::print("{}: {}\n", kind.name, kind.summary);
    for (const Topic& topic : kind.topics(machine)) {
      fmt::print("  {:<20} {}\n", topic.name, topic.title);
    }
  }
}

void print_list_as_json(const std::vector<Kind>& kinds, const hw::Machine& machine) {
  Json list = Json::array();
  for (const Kind& kind : kinds) {
    for (const Topic& topic : kind.topics(machine)) {
      list.push_back({{"kind", kind.name}, {"name", topic.name}, {"title", topic.title}});
    }
  }
  fmt::print("{}\n", list.dump(2));
}

bool is_called(const Topic& topic, std::string_view name) {
  return same_name(topic.name, name) || std::ranges::any_of(topic.aliases, [&](const auto& alias) {
           return same_name(alias, name);
         });
}

Result<int> print_page(const Request& request, const hw::Machine& machine, bool json) {
  std::vector<std::string> names;
  for (const Kind& kind : request.kinds) {
    for (const Topic& topic : kind.topics(machine)) {
      if (is_called(topic, request.name)) {
        fmt::print("{}", json ? topic.json.dump(2) + "\n" : topic.page);
        return 0;
      }
      names.push_back(topic.name);
    }
  }
  return error("TY-TOOL-001",
               "there is no page about '{}'{}; 'trainyard explain --list' shows all pages",
               request.name, did_you_mean(request.name, names));
}

Result<int> explain(const Options& options) {
  const Result<Request> request = read_request(options);
  if (!request) return request.status();
  const Result<hw::Machine> machine =
      options.machine.empty() ? hw::find_target(options.target) : hw::load_machine(options.machine);
  if (!machine) return machine.status();
  if (!options.list && !request->name.empty()) return print_page(*request, *machine, options.json);
  (options.json ? print_list_as_json : print_list)(request->kinds, *machine);
  return 0;
}

}  // namespace

Run declare_explain(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("kind", options->first, "Kind of page; may be left away");
  app.add_option("name", options->second, "What to explain");
  app.add_option("--target", options->target, "Chip whose numbers to show")->capture_default_str();
  app.add_option("--machine", options->machine, "Machine file whose numbers to show");
  app.add_flag("--json", options->json, "Print the page or the list as JSON");
  app.add_flag("--list", options->list, "List all pages, or those of one kind");
  return [options] { return explain(*options); };
}

}  // namespace trainyard::tools
