#include "hw/machine_file.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <sstream>

#include "hw/override.h"

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#define TOML_MAX_NESTED_VALUES 8
#include <toml++/toml.h>

namespace trainyard::hw {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

constexpr size_t kMaxFileBytes = 1 * MiB;
// No key of a machine has more than two dots.
constexpr int kMaxDotsPerLine = 64;

// Where a character of a TOML line stands.
enum class In : uint8_t { Plain, Comment, Basic, Literal };

In after(In in, char c) {
  switch (in) {
    case In::Plain:
      return c == '#' ? In::Comment : c == '"' ? In::Basic : c == '\'' ? In::Literal : in;
    case In::Comment:
      return in;
    case In::Basic:
      return c == '"' ? In::Plain : in;
    case In::Literal:
      return c == '\'' ? In::Plain : in;
  }
  TY_CHECK(false);
}

// Why `rest`, the text from some plain character on, must not reach toml++ 3.3; null if it may.
// The library builds tables by recursion without a bound on dotted keys, and its test for
// white space is undefined for most letters beyond ASCII. Strings of several lines are refused
// only because they would blur what is plain.
const char* unsafe(std::string_view rest) {
  if ((rest.front() & 0x80) != 0) return "only ASCII may stand outside quotes and comments";
  if (rest.starts_with("\"\"\"") || rest.starts_with("'''")) {
    return "a machine file has no texts of several lines";
  }
  return nullptr;
}

// Refuses what toml++ cannot be given, before it sees it.
Status check_text(std::string_view text, std::string_view file) {
  SourcePlace place{std::string(file), 0, 0};
  if (text.size() > kMaxFileBytes) {
    return error("TY-HW-002", "a machine file has at most {} bytes", kMaxFileBytes).at(place);
  }
  place.line = 1;
  int dots = 0;
  In in = In::Plain;
  for (size_t i = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++place.line;
      dots = 0;
      in = In::Plain;
      continue;
    }
    if (c == '.' && ++dots > kMaxDotsPerLine) {
      return error("TY-HW-002", "more than {} dots in a line; no key is nested so deep",
                   kMaxDotsPerLine)
          .at(place);
    }
    const char* reason = in == In::Plain ? unsafe(text.substr(i)) : nullptr;
    if (reason != nullptr) return error("TY-HW-002", "{}", reason).at(place);
    in = after(in, c);
    const bool escape = in == In::Basic && c == '\\' && !text.substr(i + 1).starts_with('\n');
    if (escape) ++i;
  }
  return {};
}

SourcePlace place_in(std::string_view file, const toml::source_region& region) {
  return {std::string(file), static_cast<int>(region.begin.line),
          static_cast<int>(region.begin.column)};
}

// What a node holds, as override_field wants it. `text` must outlive the result.
Given given(const toml::node& node, std::string_view text) {
  if (const auto* integer = node.as_integer()) {
    return {Given::Kind::Integer, static_cast<double>(integer->get()), text};
  }
  if (const auto* real = node.as_floating_point()) return {Given::Kind::Real, real->get(), text};
  if (const auto* flag = node.as_boolean())
    return {Given::Kind::Flag, flag->get() ? 1.0 : 0.0, text};
  return {.text = text};
}

Status set(Machine& machine, const std::string& key, const toml::node& node,
           std::string_view file) {
  std::ostringstream text;
  node.visit([&](const auto& n) { text << n; });
  return override_field(machine, key, given(node, text.str()), file)
      .at(place_in(file, node.source()));
}

// Sets every number of `table`, whose own key is `prefix`.
Status set_all(Machine& machine, const toml::table& table, const std::string& prefix,
               std::string_view file) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + std::string(name.str());
    if (key == "base" || key == "name" || key == "lnc") continue;
    const toml::table* inner = node.as_table();
    TY_TRY(inner ? set_all(machine, *inner, key + ".", file) : set(machine, key, node, file));
  }
  return {};
}

// The text under `key`, or nothing if the key is absent; TY-HW-002 if it is no text.
Result<std::optional<std::string>> text_of(const toml::table& table, std::string_view key,
                                           std::string_view file) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::optional<std::string>();
  if (const auto* text = node->as_string()) return std::optional<std::string>(text->get());
  return error("TY-HW-002", "{} must be a text in quotes", key).at(place_in(file, node->source()));
}

Result<Machine> base_machine(const toml::table& table, std::string_view file) {
  auto base = text_of(table, "base", file);
  if (!base) return base.status();
  if (!*base) {
    return error("TY-HW-002", "no base; start the file with a line like: base = \"trn2\"")
        .at({std::string(file), 0, 0});
  }
  auto machine = find_target(**base);
  if (!machine) return machine.status().at(place_in(file, table.get("base")->source()));
  auto name = text_of(table, "name", file);
  if (!name) return name.status();
  if (*name) machine->name = **name;
  return machine;
}

}  // namespace

Result<Machine> parse_machine(std::string_view text, std::string_view file) {
  TY_TRY(check_text(text, file));
  const toml::parse_result parsed = toml::parse(text, file);
  if (!parsed) {
    return error("TY-HW-002", "not TOML: {}", parsed.error().description())
        .at(place_in(file, parsed.error().source()));
  }
  const toml::table& table = parsed.table();
  auto machine = base_machine(table, file);
  if (!machine) return machine;
  TY_TRY(set_all(*machine, table, "", file));
  // Last, because its range depends on chip.lnc_max.
  if (const toml::node* lnc = table.get("lnc")) TY_TRY(set(*machine, "lnc", *lnc, file));
  TY_TRY(settle(*machine).at({std::string(file), 0, 0}));
  return machine;
}

Result<Machine> load_machine(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> in(std::fopen(path.c_str(), "rb"));
  std::string text(kMaxFileBytes + 1, '\0');
  const size_t size = in ? std::fread(text.data(), 1, text.size(), in.get()) : 0;
  if (!in || std::ferror(in.get())) {
    return error("TY-HW-008", "cannot read the machine file '{}'; check its name and its rights",
                 path);
  }
  text.resize(size);
  return parse_machine(text, path);
}

}  // namespace trainyard::hw
