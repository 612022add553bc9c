#include "isa/text/names.h"

#include <algorithm>
#include <array>

#include "base/status.h"
#include "hw/engine.h"
#include "isa/text/lexer.h"

namespace trainyard::isa::text {
namespace {

// Words that begin a statement, and the floats that look like names.
constexpr std::array<std::string_view, 9> kEverywhere = {
    "repeat", "loop", "if", "else", "exit_unless", "reg", "semaphore", "inf", "nan"};
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

// Levenshtein distance, or `limit` if it is at least that.
size_t distance(std::string_view a, std::string_view b, size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) >= limit) return limit;
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
    }
  }
  return std::min(row[b.size()], limit);
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

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  // Bounds keep the search cheap in a text with a million labels.
  constexpr size_t kMostLetters = 64, kMostCandidates = 10'000;
  if (name.size() > kMostLetters) return "";
  size_t best = std::clamp<size_t>(name.size() / 2, 1, 3) + 1;
  std::string_view nearest;
  for (const std::string_view c :
       candidates.subspan(0, std::min(candidates.size(), kMostCandidates))) {
    if (const size_t d = distance(name, c, best); d < best) {
      best = d;
      nearest = c;
    }
  }
  return nearest.empty() ? "" : fmt::format("; did you mean '{}'?", shown(nearest));
}

}  // namespace trainyard::isa::text
