#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <vector>

#include "base/nearest.h"
#include "tools/command.h"
#include "tools/error_pages.h"

namespace trainyard::tools {
namespace {

// One thing that can be explained: its name, one line for `--list`, and its page.
struct Topic {
  std::string name;
  std::string title;
  std::string page;
};

// A kind of topic. To explain more of the machine, add a row to kKinds.
struct Kind {
  const char* name;  // "error", as in `trainyard explain error TY-TOOL-001`
  const char* summary;
  std::vector<Topic> (*topics)();
};

std::vector<Topic> error_topics() {
  std::vector<Topic> topics;
  for (const ErrorPage& page : error_pages()) {
    const std::string_view first_line = page.text.substr(0, page.text.find('\n'));
    const size_t title = std::string_view("# : ").size() + page.code.size();
    topics.push_back({.name = std::string(page.code),
                      .title = std::string(first_line.substr(std::min(title, first_line.size()))),
                      .page = std::string(page.text)});
  }
  return topics;
}

constexpr Kind kKinds[] = {
    {"error", "error codes of Trainyard", error_topics},
};

struct Options {
  std::string first;   // the kind, or the name when it stands alone
  std::string second;  // the name
  bool list = false;
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

void print_list(const std::vector<Kind>& kinds) {
  for (const Kind& kind : kinds) {
    fmt::print("{}: {}\n", kind.name, kind.summary);
    for (const Topic& topic : kind.topics()) fmt::print("  {:<20} {}\n", topic.name, topic.title);
  }
}

Result<int> print_page(const Request& request) {
  std::vector<std::string> names;
  for (const Kind& kind : request.kinds) {
    for (const Topic& topic : kind.topics()) {
      if (same_name(topic.name, request.name)) {
        fmt::print("{}", topic.page);
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
  if (!options.list && !request->name.empty()) return print_page(*request);
  print_list(request->kinds);
  return 0;
}

}  // namespace

Run declare_explain(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("kind", options->first, "Kind of page; may be left away");
  app.add_option("name", options->second, "What to explain");
  app.add_flag("--list", options->list, "List all pages, or those of one kind");
  return [options] { return explain(*options); };
}

}  // namespace trainyard::tools
