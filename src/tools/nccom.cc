// `trainyard nccom`: times of collectives with the columns of nccom-test, and what bounds them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/command.h"
#include "tools/nccom_check.h"
#include "tools/nccom_streams.h"
#include "tools/table.h"

namespace trainyard::tools {
namespace {

using cluster::Op;
using Json = nlohmann::ordered_json;

// One size.
struct Measured {
  int64_t bytes = 0;
  std::vector<double> times_us;  // one per statistic asked for; the first is the headline
  cluster::CollectiveTime closed;
  cluster::CollectiveTime cheapest;  // by predicted cost
  std::vector<cluster::LinkUse> busiest;
  std::string failure;
};

double statistic(std::vector<double> times, const std::string& which) {
  std::ranges::sort(times);
  if (which == "avg") {
    double sum = 0;
    for (const double t : times) sum += t;
    return sum / static_cast<double>(times.size());
  }
  const double percent = which == "min" ? 0 : which == "max" ? 100 : std::stod(which.substr(1));
  const double at = percent / 100 * static_cast<double>(times.size() - 1);
  return times[static_cast<size_t>(std::lround(at))];
}

// The times of all runs; without jitter one run stands for all.
Result<std::vector<double>> run_times(const NccomJob& job, const cluster::Request& request,
                                      int64_t iterations, Measured& into) {
  std::vector<double> times;
  for (int64_t i = 0; i < (job.flow.jitter ? std::max<int64_t>(1, iterations) : 1); ++i) {
    cluster::FlowOptions options = job.flow;
    options.seed += static_cast<uint64_t>(i);
    auto report = cluster::simulate(job.group, request, options);
    if (!report) return report.status();
    times.push_back(report->total.us());
    into.busiest = std::move(report->busiest);
  }
  return times;
}

Status measure(const NccomJob& job, const NccomOptions& options, Measured& into) {
  cluster::Request request{job.op, into.bytes, job.choice};
  const auto closed = cluster::collective_time(job.group, request);
  if (!closed) return closed.status();
  into.closed = *closed;
  cluster::Request best = request;
  best.choice = {.rule = cluster::Choice::Rule::Cost};
  const auto cheapest = cluster::collective_time(job.group, best);
  if (!cheapest) return cheapest.status();
  into.cheapest = *cheapest;
  std::vector<double> times = {closed->total.us()};
  if (!job.closed_form) {
    auto simulated = run_times(job, request, options.iterations * options.program_iterations, into);
    if (!simulated) return simulated.status();
    times = std::move(*simulated);
  }
  for (const std::string& which : options.stats) into.times_us.push_back(statistic(times, which));
  return {};
}

// Bytes of one rank's input and output.
struct Sizes {
  int64_t in, out;
};
Sizes buffers(const NccomJob& job, int64_t bytes) {
  const int64_t part = bytes / job.group.ranks();
  if (job.op == Op::AllGather) return {part, bytes};
  if (job.op == Op::ReduceScatter) return {bytes, part};
  return {bytes, bytes};
}

double algorithm_gbps(const Measured& m) {
  return static_cast<double>(m.bytes) * 1e-3 / m.times_us.front();
}

// The cells of one row, under the names that the tool gives its columns.
Json cells(const NccomJob& job, const NccomOptions& options, const Measured& m) {
  Json row;
  row["size(B)"] = m.bytes;
  if (!m.failure.empty()) {
    row["error"] = m.failure;
    return row;
  }
  row["count(elems)"] = (m.bytes + job.type.bytes - 1) / job.type.bytes;
  if (options.show_sizes) {
    row["total_input_size(B)"] = buffers(job, m.bytes).in;
    row["total_output_size(B)"] = buffers(job, m.bytes).out;
  }
  row["type"] = job.type.name;
  for (size_t i = 0; i < options.stats.size(); ++i) {
    row[fmt::format("time:{}(us)", options.stats[i])] = m.times_us[i];
  }
  const double algorithm = algorithm_gbps(m);
  row["algbw(GB/s)"] = algorithm;
  row["busbw(GB/s)"] = algorithm * cluster::bus_factor(job.op, job.group.ranks());
  row["algorithm"] = cluster::text(m.closed.selection);
  row["steps"] = m.closed.steps;
  row["bound"] = cluster::name(m.closed.bound);
  row["closed-form(us)"] = m.closed.total.us();
  row["cheapest"] = cluster::text(m.cheapest.selection);
  row["trust"] = hw::name(m.closed.trust);
  return row;
}

double average_bus(const std::vector<Json>& rows) {
  double sum = 0;
  int count = 0;
  for (const Json& row : rows) {
    if (!row.contains("busbw(GB/s)")) continue;
    sum += row["busbw(GB/s)"].get<double>();
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

std::string cell_text(const std::string& column, const Json& value) {
  if (!value.is_number_float()) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  }
  const bool time = column.find("(us)") != std::string::npos;
  return fmt::format("{:.2f}", time || value > 0.005 ? value.get<double>() : 0.0);
}

// The names of the columns, then one line per size that worked.
std::vector<Row> table_of(const std::vector<Json>& rows) {
  std::vector<Row> table;
  for (const Json& row : rows) {
    if (row.contains("error")) continue;
    Row names, line;
    for (const auto& item : row.items()) {
      names.push_back(item.key());
      line.push_back(cell_text(item.key(), item.value()));
    }
    if (table.empty()) table.push_back(std::move(names));
    table.push_back(std::move(line));
  }
  return table;
}

void print_text(const std::vector<Json>& rows, const std::vector<Measured>& all) {
  fmt::print("{}", plain_table(table_of(rows)));
  int failures = 0;
  for (const Measured& m : all) {
    if (m.failure.empty()) continue;
    fmt::print("{:>12}    {}\n", m.bytes, m.failure);
    ++failures;
  }
  if (failures > 0) {
    fmt::print("{} errors found - test failed\n", failures);
    return;
  }
  fmt::print("Avg bus bandwidth:      {:.4f}GB/s\n", average_bus(rows));
  const Measured& last = all.back();
  std::vector<std::string> links;
  for (const cluster::LinkUse& link : last.busiest) {
    if (link.busy < 0.005) break;  // the most loaded come first
    links.push_back(fmt::format("{}-{} {:.0f} %", link.from, link.to, 100 * link.busy));
  }
  if (!links.empty()) {
    fmt::print("Busiest links at {} B:  {}\n", last.bytes, fmt::join(links, ", "));
  }
}

void warn_about(const NccomOptions& options) {
  if (options.ignored || !options.ignored_hosts.empty() || !options.ignored_value.empty()) {
    fmt::print(stderr,
               "note: hosts, slurm, buffers, SBUF shapes and pinning have no meaning for simulated "
               "instances\n");
  }
  if (options.op.ends_with('v')) {
    fmt::print(stderr, "note: every part is taken to be as large as the largest\n");
  }
}

Json document_of(const std::vector<Json>& rows) {
  Json document;
  document["results"] = rows;
  document["average_bus_bandwidth(GB/s)"] = average_bus(rows);
  return document;
}

Status write_file(const std::string& path, const Json& document) {
  if (path.empty()) return {};
  std::ofstream file(path);
  file << document.dump(2) << "\n";
  if (file) return {};
  return error("TY-NET-009", "cannot write '{}'; check its folder and its rights", path);
}

Result<int> nccom_streams(const NccomOptions& options) {
  const auto times = time_streams(options);
  if (!times) return times.status();
  std::vector<Json> rows;
  for (const StreamTime& t : *times) {
    const double gbps = static_cast<double>(t.bytes) * 1e-9 / t.time.value;
    Json& row = rows.emplace_back();
    row["stream"] = t.stream;
    row["op"] = cluster::name(t.op);
    row["ranks"] = t.group.ranks();
    row["groups"] = t.group.siblings();
    row["size(B)"] = t.bytes;
    row["time:avg(us)"] = t.time.us();
    row["algbw(GB/s)"] = gbps;
    row["busbw(GB/s)"] = gbps * cluster::bus_factor(t.op, t.group.ranks());
    row["algorithm"] = cluster::text(t.alone.selection);
    row["alone(us)"] = t.alone.total.us();
  }
  const Json document = document_of(rows);
  TY_TRY(write_file(options.json_file, document));
  fmt::print("{}", options.json ? document.dump(2) + "\n" : plain_table(table_of(rows)));
  return 0;
}

Result<int> nccom(const NccomOptions& options) {
  if (!options.streams_file.empty()) return nccom_streams(options);
  const auto job = read_nccom(options);
  if (!job) return job.status();
  warn_about(options);
  if (!options.check.empty()) {
    TY_TRY(check_on_data(*job, options.check));
    fmt::print(stderr, "check: every rank got the right data\n");
  }
  std::vector<Measured> all;
  std::vector<Json> rows;
  bool failed = false;
  for (const int64_t bytes : job->sizes) {
    Measured& m = all.emplace_back();
    m.bytes = bytes;
    const Status status = measure(*job, options, m);
    if (!status.ok()) m.failure = status.str();
    failed = failed || !status.ok();
    rows.push_back(cells(*job, options, m));
  }
  const Json document = document_of(rows);
  TY_TRY(write_file(options.json_file, document));
  if (options.json) {
    fmt::print("{}\n", document.dump(2));
  } else {
    print_text(rows, all);
  }
  return failed ? kExitFailed : 0;
}

}  // namespace

Run declare_nccom(CLI::App& app) {
  const auto options = std::make_shared<NccomOptions>();
  add_nccom_options(app, *options);
  return [options] { return nccom(*options); };
}

}  // namespace trainyard::tools
