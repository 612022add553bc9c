#include "tools/fidelity_rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

namespace trainyard::tools {
namespace {

struct Unit {
  std::string_view name;
  double scale;
  bool time = false;
};

constexpr std::array<Unit, 9> kUnits = {{{"ns", 1e-9, true},
                                         {"us", 1e-6, true},
                                         {"ms", 1e-3, true},
                                         {"s", 1, true},
                                         {"GB", 1e9},
                                         {"GB/s", 1e9},
                                         {"%", 1},
                                         {"FLOP/B", 1},
                                         {"", 1}}};

const Unit* find_unit(std::string_view name) {
  const auto at = std::find_if(kUnits.begin(), kUnits.end(),
                               [&](const Unit& unit) { return unit.name == name; });
  return at == kUnits.end() ? nullptr : &*at;
}

bool parse_number(std::string_view text, double& out) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), out);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

bool parse_quantity(const std::string& text, Quantity& out) {
  const size_t space = text.find(' ');
  out.unit = space == std::string::npos ? "" : text.substr(space + 1);
  return parse_number(text.substr(0, space), out.value) && find_unit(out.unit) != nullptr;
}

bool parse_repeats(const std::string& text, std::map<std::string, int64_t>& out) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const size_t at = word.find('=');
    double count = 0;
    if (at == std::string::npos || !parse_number(word.substr(at + 1), count) || count < 1)
      return false;
    out[word.substr(0, at)] = static_cast<int64_t>(count);
  }
  return !out.empty();
}

// Reads header lines one by one.
class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  Status line(const std::string& key, const std::string& value, int number) {
    const SourcePlace place{file_, number, 1};
    if (std::string* kept = kept_field(key)) {
      *kept = value;
      return Status();
    }
    if (key == "measure" || key == "not_modelled") {
      rows_.push_back(common_);
      rows_.back().place = place;
      (key == "measure" ? rows_.back().measure : rows_.back().not_modelled) = value;
      return Status();
    }
    if (rows_.empty())
      return error("TY-FID-001", "'{}' stands before the first measure. Move it behind one.", key)
          .at(place);
    FidelityRow& row = rows_.back();
    Quantity band;
    bool good = true;
    if (key == "published") {
      good = parse_quantity(value, row.published);
    } else if (key == "band") {
      good = parse_quantity(value, band) && band.unit == "%" && band.value > 0;
      row.band = band.value;
    } else if (key == "repeat") {
      good = parse_repeats(value, row.repeats);
    } else if (key == "case") {
      row.variant = value;
    } else if (key == "calibrates") {
      row.calibrates = value;
    } else if (key == "note") {
      row.note += (row.note.empty() ? "" : " ") + value;
    } else {
      return error("TY-FID-001", "'{}' is no key of a fidelity row. See src/tools/fidelity_rows.h.",
                   key)
          .at(place);
    }
    if (good) return Status();
    return error("TY-FID-001",
                 "'{}' is no value of {}. Write for example `published: 39.89 ms`, `band: 3 %`, "
                 "`repeat: t=4`.",
                 value, key)
        .at(place);
  }

  Result<std::vector<FidelityRow>> finish() {
    for (const FidelityRow& row : rows_) {
      const bool whole = !row.id.empty() && !row.what.empty() && row.published.value != 0 &&
                         (row.band > 0 || !row.not_modelled.empty());
      if (!whole)
        return error("TY-FID-001",
                     "a row lacks its id, what, published or band. Add the missing line.")
            .at(row.place);
    }
    return std::move(rows_);
  }

 private:
  std::string* kept_field(const std::string& key) {
    if (key == "id") return &common_.id;
    if (key == "what") return &common_.what;
    if (key == "source") return &common_.source;
    if (key == "target") return &common_.target;
    return nullptr;
  }

  const std::string& file_;
  FidelityRow common_;
  std::vector<FidelityRow> rows_;
};

}  // namespace

double scale_of(std::string_view unit) {
  const Unit* found = find_unit(unit);
  return found == nullptr ? 0 : found->scale;
}

bool is_time(std::string_view unit) {
  const Unit* found = find_unit(unit);
  return found != nullptr && found->time;
}

Result<std::vector<FidelityRow>> read_fidelity_rows(std::string_view text,
                                                    const std::string& file) {
  Reader reader(file);
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.starts_with("# ")) break;
    const size_t colon = line.find(": ");
    // A comment without a key is prose about the program.
    if (colon == std::string::npos || line.find(' ', 2) < colon) continue;
    TY_TRY(reader.line(line.substr(2, colon - 2), line.substr(colon + 2), number));
  }
  return reader.finish();
}

}  // namespace trainyard::tools
