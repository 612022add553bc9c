// The fidelity table: published times beside ours, from the programs in bench/fidelity.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "isa/text/text.h"
#include "tools/command.h"
#include "tools/fidelity_measure.h"
#include "tools/program_input.h"

namespace trainyard::tools {
namespace {

struct Figure {
  FidelityRow row;
  Quantity ours;     // in the published unit
  double error = 0;  // percent of the published figure

  bool modelled() const { return row.not_modelled.empty(); }
  bool within() const { return std::abs(error) <= row.band; }
};

struct Summary {
  int64_t count = 0;
  double mean = 0;  // of the absolute errors, percent
  const Figure* worst = nullptr;
};

struct Table {
  std::vector<Figure> figures;

  // Of the figures that `f` accepts: how many, and the mean and the worst error.
  template <class F>
  Summary summary(F&& f) const {
    Summary s;
    for (const Figure& figure : figures) {
      if (!figure.modelled() || !f(figure)) continue;
      ++s.count;
      s.mean += std::abs(figure.error);
      if (s.worst == nullptr || std::abs(figure.error) > std::abs(s.worst->error))
        s.worst = &figure;
    }
    s.mean /= static_cast<double>(std::max<int64_t>(1, s.count));
    return s;
  }
  Summary all() const {
    return summary([](const Figure&) { return true; });
  }
  // What the model predicts without having seen it.
  Summary unseen() const {
    return summary([](const Figure& f) { return f.row.calibrates.empty(); });
  }
  int64_t outside() const {
    return std::count_if(figures.begin(), figures.end(),
                         [](const Figure& f) { return f.modelled() && !f.within(); });
  }
};

Status set_repeats(isa::Program& program, const FidelityRow& row) {
  for (const auto& repeat : row.repeats) {
    const auto at = std::find_if(program.loops.begin(), program.loops.end(), [&](const auto& loop) {
      return loop.kind == isa::Loop::Kind::Repeat && loop.name == repeat.first;
    });
    if (at == program.loops.end())
      return error("TY-FID-002", "there is no repeat {} in {}. Take a name behind `repeat`.",
                   repeat.first, program.name)
          .at(row.place);
    at->count = isa::Affine(repeat.second);
  }
  return Status();
}

// Times the program of some rows, which share their target and counts of repeats.
Status time_rows(const std::string& text, const std::string& file, std::vector<FidelityRow> rows,
                 Table& table) {
  Result<isa::Program> program = isa::parse_text(text, file);
  if (!program.ok()) return program.status();
  TY_TRY(set_repeats(*program, rows.front()));
  const std::string target = rows.front().target.empty() ? program->target : rows.front().target;
  Result<hw::Machine> machine = hw::find_target(target);
  if (!machine.ok()) return machine.status();
  const Result<runtime::Kernel> kernel =
      runtime::Kernel::make(std::move(*program), std::move(*machine));
  if (!kernel.ok()) return kernel.status();
  FidelityRecorder recorder(kernel->program());
  runtime::RunOptions options;
  options.mode = runtime::Mode::Time;
  options.trace = &recorder;
  const Result<runtime::RunResult> run = kernel->run({}, options);
  if (!run.ok()) return run.status();
  for (FidelityRow& row : rows) {
    const Result<double> ours = measure(row, {*kernel, *run->time, recorder});
    if (!ours.ok()) return ours.status();
    const double value = *ours / scale_of(row.published.unit);
    const double wrong = 100 * (value / row.published.value - 1);
    table.figures.push_back({row, {value, row.published.unit}, wrong});
  }
  return Status();
}

Status add_file(const std::string& file, Table& table) {
  const Result<std::string> text = read_file(file);
  if (!text.ok()) return text.status();
  Result<std::vector<FidelityRow>> rows = read_fidelity_rows(*text, file);
  if (!rows.ok()) return rows.status();
  for (size_t i = 0; i < rows->size();) {
    const FidelityRow& first = (*rows)[i];
    if (!first.not_modelled.empty()) {
      table.figures.push_back({first, {}, 0});
      ++i;
      continue;
    }
    size_t end = i;
    while (end < rows->size() && (*rows)[end].not_modelled.empty() &&
           (*rows)[end].repeats == first.repeats && (*rows)[end].target == first.target)
      ++end;
    const auto at = rows->begin();
    TY_TRY(time_rows(*text, file, {at + static_cast<long>(i), at + static_cast<long>(end)}, table));
    i = end;
  }
  return Status();
}

// "V-MM-10" comes after "V-MM-9".
bool before(const Figure& a, const Figure& b) {
  const auto key = [](const std::string& id) {
    const size_t dash = id.rfind('-');
    return std::pair(id.substr(0, dash), std::atoi(id.c_str() + dash + 1));
  };
  return key(a.row.id) < key(b.row.id);
}

Result<Table> make_table(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator(folder, problem)) {
    const std::string kind = entry.path().extension().string();
    if (kind == ".tya" || kind == ".txt") files.push_back(entry.path().string());
  }
  if (files.empty())
    return error("TY-FID-003",
                 "there is no program in {}. Name the folder with --dir, or call this in the root "
                 "of the tree.",
                 folder);
  std::sort(files.begin(), files.end());
  Table table;
  for (const std::string& file : files) TY_TRY(add_file(file, table));
  std::stable_sort(table.figures.begin(), table.figures.end(), before);
  return table;
}

std::string in_words(const Quantity& q, int digits) {
  std::string number = fmt::format("{:.{}g}", q.value, digits);
  if (number.find('e') != std::string::npos) number = fmt::format("{:.0f}", q.value);
  return q.unit.empty() ? number : number + " " + q.unit;
}

std::string note_of(const FidelityRow& row) {
  std::string note = row.calibrates.empty() ? "" : "  sets " + row.calibrates;
  if (!row.note.empty()) note += "  " + row.note;
  return note;
}

void print(const Table& table) {
  fmt::print("{:<7} {:<24} {:>11} {:>12} {:>8} {:>6}  {}\n", "id", "figure", "published", "ours",
             "error", "band", "note");
  std::string last;
  for (const Figure& f : table.figures) {
    if (!f.modelled()) continue;
    if (f.row.id != last) fmt::print("{:<7} {}\n", f.row.id, f.row.what);
    last = f.row.id;
    const std::string figure =
        f.row.variant.empty() ? f.row.measure : f.row.measure + ", " + f.row.variant;
    fmt::print("        {:<23} {:>11} {:>12} {:>+7.1f}% {:>5.0f}%{}{}\n", figure,
               in_words(f.row.published, 5), in_words(f.ours, 4), f.error, f.row.band,
               f.within() ? "" : "  OUTSIDE", note_of(f.row));
  }
  fmt::print("\nnot modelled\n");
  for (const Figure& f : table.figures) {
    if (!f.modelled())
      fmt::print("{:<7} {}, {}: {}\n", f.row.id, f.row.what, in_words(f.row.published, 5),
                 f.row.not_modelled);
  }
  const auto say = [](std::string_view which, const Summary& s) {
    if (s.count == 0) return;
    fmt::print("{} {}: mean error {:.1f} %, worst {:+.1f} % ({})\n", s.count, which, s.mean,
               s.worst->error, s.worst->row.id);
  };
  fmt::print("\n");
  say("figures", table.all());
  say("of them set no constant", table.unseen());
  fmt::print("{} outside of their band\n", table.outside());
}

nlohmann::ordered_json as_json(const Table& table) {
  nlohmann::ordered_json out;
  out["rows"] = nlohmann::ordered_json::array();
  out["not_modelled"] = nlohmann::ordered_json::array();
  for (const Figure& f : table.figures) {
    nlohmann::ordered_json row = {{"id", f.row.id},
                                  {"what", f.row.what},
                                  {"source", f.row.source},
                                  {"published", f.row.published.value},
                                  {"unit", f.row.published.unit}};
    if (!f.modelled()) {
      row["reason"] = f.row.not_modelled;
      out["not_modelled"].push_back(row);
      continue;
    }
    row["measure"] = f.row.measure;
    if (!f.row.variant.empty()) row["case"] = f.row.variant;
    row["ours"] = f.ours.value;
    row["error_percent"] = f.error;
    row["band_percent"] = f.row.band;
    row["within"] = f.within();
    if (!f.row.calibrates.empty()) row["calibrates"] = f.row.calibrates;
    if (!f.row.note.empty()) row["note"] = f.row.note;
    out["rows"].push_back(row);
  }
  const auto summary = [](const Summary& s) {
    return nlohmann::ordered_json{
        {"figures", s.count},
        {"mean_error_percent", s.mean},
        {"worst_error_percent", s.worst == nullptr ? 0 : std::abs(s.worst->error)}};
  };
  out["all"] = summary(table.all());
  out["unseen"] = summary(table.unseen());
  return out;
}

struct Options {
  std::string folder = "bench/fidelity";
  bool json = false;
};

Result<int> run(const Options& o) {
  const Result<Table> table = make_table(o.folder);
  if (!table.ok()) return table.status();
  if (o.json) {
    fmt::print("{}\n", as_json(*table).dump(2));
  } else {
    print(*table);
  }
  return table->outside() == 0 ? 0 : kExitFailed;
}

}  // namespace

Run declare_fidelity(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  app.add_option("--dir", o->folder, "Folder with the programs and their published figures")
      ->capture_default_str();
  app.add_flag("--json", o->json, "Print one JSON object");
  return [o] { return run(*o); };
}

}  // namespace trainyard::tools
