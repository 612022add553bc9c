#include "hw/toml_file.h"

#include <cstdio>
#include <memory>

#include "base/check.h"
#include "base/units.h"

namespace trainyard::hw {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

constexpr size_t kMaxFileBytes = 1 * MiB;
// No key has more than two dots.
constexpr int kMaxDotsPerLine = 64;
// It may begin a file.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

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
    return "a {} has no texts of several lines";
  }
  return nullptr;
}

// Refuses what toml++ cannot be given, before it sees it.
Status check_text(std::string_view text, std::string_view file, std::string_view kind,
                  std::string_view code) {
  SourcePlace place{std::string(file), 0, 0};
  if (text.size() > kMaxFileBytes) {
    return error(code, "a {} has at most {} bytes; leave out what equals the base", kind,
                 kMaxFileBytes)
        .at(place);
  }
  place.line = 1;
  int dots = 0;
  In in = In::Plain;
  const size_t begin = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  for (size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++place.line;
      dots = 0;
      in = In::Plain;
      continue;
    }
    if (c == '.' && ++dots > kMaxDotsPerLine) {
      return error(code, "more than {} dots in a line; no key is nested so deep", kMaxDotsPerLine)
          .at(place);
    }
    const char* reason = in == In::Plain ? unsafe(text.substr(i)) : nullptr;
    if (reason != nullptr)
      return error(code, "{}", fmt::format(fmt::runtime(reason), kind)).at(place);
    in = after(in, c);
    const bool escape = in == In::Basic && c == '\\' && !text.substr(i + 1).starts_with('\n');
    if (escape) ++i;
  }
  return {};
}

// `text` with a plain letter for each one beyond ASCII, so that columns stay.
std::string in_ascii(std::string_view text) {
  constexpr unsigned kBeyond = 0x80, kLead = 0xC0;
  std::string out;
  for (const char c : text.substr(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < kBeyond) out += c;
    if ((byte & kLead) == kLead) out += 'x';
  }
  return out;
}

}  // namespace

SourcePlace place_in(std::string_view file, const toml::source_region& region) {
  return {std::string(file), static_cast<int>(region.begin.line),
          static_cast<int>(region.begin.column)};
}

Result<toml::table> parse_toml(std::string_view text, std::string_view file, std::string_view kind,
                               std::string_view code) {
  TY_TRY(check_text(text, file, kind, code));
  // In a file that is wrong, the library may read other letters as plain than check_text does: it
  // takes the quotes of 2"a" for parts of one word. So it sees the form of the file first.
  const std::string form = in_ascii(text);
  toml::parse_result parsed = toml::parse(form, file);
  if (parsed && form != text) parsed = toml::parse(text, file);
  if (!parsed) {
    return error(code, "not TOML: {}; write [group] lines, key = value lines and # comments",
                 parsed.error().description())
        .at(place_in(file, parsed.error().source()));
  }
  return std::move(parsed).table();
}

Result<std::string> read_toml_file(const std::string& path, std::string_view kind) {
  const std::unique_ptr<std::FILE, CloseFile> in(std::fopen(path.c_str(), "rb"));
  std::string text(kMaxFileBytes + 1, '\0');
  const size_t size = in ? std::fread(text.data(), 1, text.size(), in.get()) : 0;
  if (!in || std::ferror(in.get())) {
    return error("TY-HW-008", "cannot read the {} '{}'; check its name and its rights", kind, path);
  }
  text.resize(size);
  return text;
}

}  // namespace trainyard::hw
