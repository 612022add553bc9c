#include "isa/text/names.h"

#include <algorithm>
#include <array>

#include "base/nearest.h"
#include "hw/engine.h"
#include "isa/text/lexer.h"

namespace trainyard::isa::text {
namespace {

// Words that begin a statement, and the floats that look like names.
constexpr std::array<std::string_view, 10> kEverywhere = {
    "repeat", "loop", "if", "else", "exit_unless", "reg", "semaphore", "gpsimd", "inf", "nan"};
constexpr std::array<std::string_view, 4> kInPlacements = {"after", "wait", "inc", "ahead"};

bool contains(std::span<const std::string_view> set, std::string_view word) {
  return std::find(set.begin(), set.end(), word) != set.end();
}

bool is_bare(std::string_view name) {
  const auto letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && !digit(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return c == '_' || letter(c) || digit(c);
  });
}

}  // namespace

std::string_view words(NameKind kind) {
  switch (kind) {
    case NameKind::Tensor:
      return "tensor";
    case NameKind::Label:
      return "label";
    case NameKind::Loop:
      return "loop";
    case NameKind::Register:
      return "register";
    case NameKind::Branch:
      return "branch";
    case NameKind::Semaphore:
      return "semaphore";
  }
  return "";
}

bool is_queue(std::string_view word) {
  return word.size() > 1 && word[0] == 'q' &&
         std::all_of(word.begin() + 1, word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_reserved(NameKind kind, std::string_view name) {
  if (contains(kEverywhere, name)) return true;
  if (kind != NameKind::Label) return false;
  const auto is_engine = [&](hw::Engine e) { return hw::name(e) == name; };
  return contains(kInPlacements, name) || is_queue(name) ||
         std::any_of(hw::kEngines.begin(), hw::kEngines.end(), is_engine);
}

std::string spelled(std::string_view name) {
  if (is_bare(name)) return std::string(name);
  std::string out = "\"";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string spelled(NameKind kind, std::string_view name) {
  return is_reserved(kind, name) ? fmt::format("\"{}\"", name) : spelled(name);
}

std::string hint(std::string_view name, std::span<const std::string_view> candidates) {
  // Bounds keep the search cheap in a hostile text: long names, a million labels.
  constexpr size_t kMostLetters = 64, kMostCandidates = 10'000;
  if (name.size() > kMostLetters) return "";
  std::vector<std::string> near;
  for (const std::string_view c : candidates) {
    if (c.size() <= kMostLetters) near.push_back(shown(c));
    if (near.size() == kMostCandidates) break;
  }
  // Where no name is near, all of a few help; else only where names come from.
  constexpr size_t kFew = 12;
  if (std::string meant = did_you_mean(name, near); !meant.empty()) return meant;
  if (near.empty() || near.size() > kFew)
    return "; correct the spelling, or declare it before its use";
  return fmt::format("; there is {}", fmt::join(near, ", "));
}

}  // namespace trainyard::isa::text
