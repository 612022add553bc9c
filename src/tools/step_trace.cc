// The Perfetto trace of one step.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/perfetto.h"
#include "tools/step_screen.h"

namespace trainyard::tools {

using namespace cluster;

namespace {

using Track = PerfettoWriter::Track;

int64_t ns(double seconds) { return static_cast<int64_t>(std::llround(1e9 * seconds)); }

// A part of a slot with the track that shows it.
struct Piece {
  std::string_view name;
  double share;  // of a task's time
  Track track;
};

// On Trainium the host works for each micro batch, elsewhere once in a step.
bool host_in_slots(const StepAnswer& a) { return a.job.work.software.neuron(); }

// What the tasks of a stage consist of: shares of one slot, tracks only for what is there.
std::vector<Piece> pieces_of(const StepAnswer& a, PerfettoWriter& writer, Track parent) {
  const StepParts& p = a.step.parts;
  const std::array<std::pair<std::string_view, double>, 7> parts = {
      {{"compute", p.compute},
       {"recompute", p.recompute},
       {"tensor parallel", p.tensor},
       {"context parallel", p.context},
       {"expert parallel", p.expert},
       {"fsdp", p.fsdp},
       {"host", host_in_slots(a) ? p.host : 0}}};
  double all = 0;
  for (const auto& [name, seconds] : parts) all += seconds;
  std::vector<Piece> pieces;
  for (const auto& [name, seconds] : parts) {
    if (seconds > 0) pieces.push_back({name, seconds / all, writer.add_track(name, parent)});
  }
  return pieces;
}

void task_slices(PerfettoWriter& writer, const std::vector<Piece>& pieces, const PipelineTask& t) {
  double at = t.start;
  for (const Piece& piece : pieces) {
    const double end = at + piece.share * (t.end - t.start);
    writer.slice(piece.track, fmt::format("micro batch {}", t.micro_batch),
                 t.backward ? "backward" : "forward", ns(at), ns(end));
    at = end;
  }
}

void step_tracks(PerfettoWriter& writer, const StepAnswer& a) {
  // A long step has thousands of micro batches; the first ones show the pattern.
  PipelineShape shape = a.pipeline;
  shape.micro_batches = std::min<int64_t>(shape.micro_batches, 16 * shape.stages);
  const Track run = writer.add_track(fmt::format("training step, {} of {} micro batches",
                                                 shape.micro_batches, a.pipeline.micro_batches));
  std::vector<Track> stages;
  for (int64_t i = 0; i < shape.stages; ++i) {
    stages.push_back(writer.add_track(fmt::format("stage {}", i), run));
  }
  const Track parts = writer.add_track("parts of stage 0, collectives by kind");
  const std::vector<Piece> pieces = pieces_of(a, writer, parts);
  const std::vector<PipelineTask> tasks = pipeline_schedule(shape);
  for (const PipelineTask& t : tasks) {
    const std::string_view way = t.backward ? "backward" : "forward";
    const std::string chunk = fmt::format("{}", t.chunk);
    writer.slice(stages[static_cast<size_t>(t.stage)], fmt::format("{} {}", way, t.micro_batch),
                 way, ns(t.start), ns(t.end), {{"chunk", chunk}});
    if (t.stage == 0) task_slices(writer, pieces, t);
  }
  double at = makespan(tasks);
  const StepParts& p = a.step.parts;
  const double host = host_in_slots(a) ? 0 : p.host;
  for (const auto& [name, seconds] :
       {std::pair{"data parallel", p.data}, {"optimizer", p.optimizer}, {"host", host}}) {
    if (ns(seconds) <= 0) continue;
    for (const Track stage : stages) writer.slice(stage, name, name, ns(at), ns(at + seconds));
    writer.slice(writer.add_track(name, parts), name, name, ns(at), ns(at + seconds));
    at += seconds;
  }
}

// The kernels of one micro batch in their order, and how long each engine works for them.
void kernel_tracks(PerfettoWriter& writer, const StepAnswer& a) {
  const Track group = writer.add_track("kernels of one micro batch, each layer once");
  const Track order = writer.add_track("kernels", group);
  const std::array<std::pair<std::string_view, double KernelTime::*>, 4> engines = {
      {{"tensor", &KernelTime::tensor},
       {"vector", &KernelTime::vector},
       {"scalar", &KernelTime::scalar},
       {"memory", &KernelTime::memory}}};
  std::array<Track, 4> tracks{};
  for (size_t i = 0; i < engines.size(); ++i) {
    tracks[i] = writer.add_track(engines[i].first, group);
  }
  double at = 0;
  for (const LayerLine& line : a.lines) {
    const std::string times = fmt::format("{:.0f}", line.times);
    writer.slice(order, line.kernel, name(line.time.limit), ns(at), ns(at + line.time.total),
                 {{"layer", line.layer}, {"bound", name(line.time.limit)}, {"per step", times}});
    for (size_t i = 0; i < engines.size(); ++i) {
      const double busy = std::min(line.time.*engines[i].second, line.time.total);
      if (ns(busy) > 0) {
        writer.slice(tracks[i], line.kernel, engines[i].first, ns(at), ns(at + busy));
      }
    }
    at += line.time.total;
  }
}

}  // namespace

std::string step_trace(const StepAnswer& a) {
  PerfettoWriter writer;
  step_tracks(writer, a);
  kernel_tracks(writer, a);
  return writer.bytes();
}

}  // namespace trainyard::tools
