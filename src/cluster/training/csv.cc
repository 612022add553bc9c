#include "cluster/training/csv.h"

#include <algorithm>
#include <optional>

#include "base/read_file.h"

namespace trainyard::cluster {
namespace {

struct Record {
  std::vector<std::string> fields;
  int line = 0;
};

class Reader {
 public:
  Reader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  bool done() const { return at_ >= text_.size(); }

  Result<Record> next() {
    Record record{.line = line_};
    std::string field;
    bool quoted = false, was_quoted = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (quoted) {
        if (c != '"') {
          field.push_back(c);
        } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
          field.push_back('"');
          ++at_;
        } else {
          quoted = false;
        }
      } else if (c == '"' && field.empty() && !was_quoted) {
        quoted = was_quoted = true;
      } else if (c == ',') {
        record.fields.push_back(std::move(field));
        field.clear();
        was_quoted = false;
      } else if (c == '\n') {
        ++at_;
        break;
      } else if (c != '\r') {
        field.push_back(c);
      }
    }
    if (quoted) return fail(record.line, "a quote is opened and never closed");
    record.fields.push_back(std::move(field));
    return record;
  }

  Status fail(int line, std::string_view what) const {
    return Status("TY-CLU-230", std::string(what), {std::string(file_), line, 0});
  }

 private:
  std::string_view text_, file_;
  size_t at_ = 0;
  int line_ = 1;
};

bool blank(const Record& record) { return record.fields.size() == 1 && record.fields[0].empty(); }

}  // namespace

int CsvTable::column(std::string_view name) const {
  const auto found = std::ranges::find(header, name);
  return found == header.end() ? -1 : static_cast<int>(found - header.begin());
}

Result<CsvTable> parse_csv(std::string_view text, std::string_view file) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // byte order mark
  Reader reader(text, file);
  CsvTable table;
  while (!reader.done()) {
    Result<Record> record = reader.next();
    if (!record) return record.status();
    if (blank(*record)) continue;
    if (table.header.empty()) {
      table.header = std::move(record->fields);
      std::vector<std::string> sorted = table.header;
      std::ranges::sort(sorted);
      const auto twice = std::ranges::adjacent_find(sorted);
      if (twice != sorted.end()) {
        return reader.fail(record->line, fmt::format("the column '{}' stands twice", *twice));
      }
      continue;
    }
    if (record->fields.size() != table.header.size()) {
      return reader.fail(record->line,
                         fmt::format("{} fields where the header has {}; quote fields that hold "
                                     "commas",
                                     record->fields.size(), table.header.size()));
    }
    table.lines.push_back(record->line);
    table.rows.push_back(std::move(record->fields));
  }
  if (table.header.empty()) return reader.fail(1, "the table is empty; it needs a header line");
  return table;
}

Result<CsvTable> load_csv(const std::string& path) {
  const std::optional<std::string> text = read_whole(path);
  if (!text) return error("TY-CLU-230", "cannot read '{}'. {}", path, unreadable(path));
  return parse_csv(*text, path);
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string out;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) out += ',';
    if (fields[i].find_first_of(",\"\r\n") == std::string::npos) {
      out += fields[i];
      continue;
    }
    out += '"';
    for (const char c : fields[i]) {
      if (c == '"') out += '"';
      out += c;
    }
    out += '"';
  }
  return out + "\n";
}

}  // namespace trainyard::cluster
