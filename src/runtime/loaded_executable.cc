#include "runtime/loaded_executable.h"

#include <algorithm>
#include <cstring>

namespace trainyard::runtime {
namespace {

Status copy_bytes(Storage& to, const Storage& from) {
  TY_TRY(to.back());
  if (!from.bytes().empty()) std::memcpy(to.bytes().data(), from.bytes().data(), to.bytes().size());
  return {};
}

}  // namespace

// One run, from the launch until its results are there.
struct LoadedExecutable::Task {
  std::shared_ptr<const Code> code;
  Process* process = nullptr;
  std::vector<std::shared_ptr<Storage>> arguments, outputs;
  std::vector<bool> donated;                  // by argument
  std::vector<std::shared_ptr<Event>> waits;  // of arguments whose contents were not there yet
  std::shared_ptr<Event> complete = std::make_shared<Event>();
  Device* device = nullptr;

  void run();

 private:
  Status run_checked();
  Status bind(std::vector<sim::Binding>& bindings);
  Status bind_output(size_t index, std::vector<sim::Binding>& bindings);
  Status copy_repeated();
};

// A result may lie in an argument's tensor. The argument's memory serves if it was donated and
// nobody else reads it; otherwise the result begins as a copy.
Status LoadedExecutable::Task::bind_output(size_t index, std::vector<sim::Binding>& bindings) {
  const isa::TensorId tensor = code->executable().outputs[index].tensor;
  const Wiring::OutputWire& wire = code->wiring().outputs[index];
  Storage& memory = *outputs[index];
  if (tensor < 0 || wire.repeats >= 0) return memory.back();
  if (wire.argument < 0) {
    TY_TRY(memory.back());
  } else {
    const auto position = static_cast<size_t>(wire.argument);
    if (donated[position] && arguments[position].use_count() == 1) {
      std::atomic_thread_fence(std::memory_order_acquire);  // what earlier readers did is over
      memory.adopt(*arguments[position]);
    } else {
      TY_TRY(copy_bytes(memory, *arguments[position]));
    }
  }
  bindings.push_back({tensor, memory.bytes()});
  return {};
}

Status LoadedExecutable::Task::bind(std::vector<sim::Binding>& bindings) {
  const compiler::Executable& executable = code->executable();
  bindings.reserve(arguments.size() + outputs.size() + executable.constants.size());
  for (size_t i = 0; i < outputs.size(); ++i) TY_TRY(bind_output(i, bindings));
  for (size_t i = 0; i < arguments.size(); ++i) {
    const isa::TensorId tensor = executable.arguments[i].tensor;
    if (tensor >= 0 && !code->wiring().is_output[i]) {
      bindings.push_back({tensor, arguments[i]->bytes()});
    }
  }
  return {};
}

Status LoadedExecutable::Task::copy_repeated() {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const int first = code->wiring().outputs[i].repeats;
    if (first >= 0) TY_TRY(copy_bytes(*outputs[i], *outputs[static_cast<size_t>(first)]));
  }
  return {};
}

Status LoadedExecutable::Task::run_checked() {
  for (const auto& event : waits) TY_TRY(event->wait());
  const Settings& settings = code->settings();
  if (settings.mode == Mode::Time) {
    // Results have no values: their memory is never taken and reads as zeros.
    const Result<ProgramTime> time = code->expected_time();
    if (!time.ok()) return time.status();
    process->journal.ran(code, std::nullopt);
    return {};
  }
  DeviceMemory::Reservation scratch;  // while it runs
  if (const int64_t bytes = code->sizes().scratch_bytes; bytes > 0) {
    auto reserved = device->memory().reserve(bytes, {nullptr, code->name()});
    if (!reserved.ok()) return reserved.status();
    scratch = std::move(*reserved);
  }
  std::vector<sim::Binding> bindings;
  TY_TRY(bind(bindings));
  Result<isa::TripRecord> trips = code->run(std::move(bindings), process->threads.parallel_for());
  if (!trips.ok()) return trips.status();
  TY_TRY(copy_repeated());
  if (settings.wants_time()) {
    const Result<ProgramTime> time = code->time(*trips);
    if (!time.ok()) return time.status();
  }
  process->journal.ran(code, std::move(*trips));
  return {};
}

void LoadedExecutable::Task::run() {
  Status status;
  try {
    status = run_checked();
  } catch (const std::bad_alloc&) {
    status = error("TY-RUN-022", "the host ran out of memory inside {}.", *code->name());
  } catch (const std::exception& fault) {
    status = error("TY-RUN-028", "{} stopped: {}", *code->name(), fault.what());
  }
  // Memory goes back before anybody learns that the run is over and asks for more.
  arguments.clear();
  outputs.clear();
  process->journal.ended();
  complete->set(std::move(status));
}

Result<std::unique_ptr<LoadedExecutable>> LoadedExecutable::load(Client& client, Device& device,
                                                                 std::shared_ptr<const Code> code) {
  const int64_t bytes = code->sizes().code_bytes + code->sizes().constant_bytes;
  auto memory = device.memory().reserve(bytes, {nullptr, code->name()});
  if (!memory.ok()) return memory.status();
  // Not make_unique: the constructor is private.
  return std::unique_ptr<LoadedExecutable>(
      new LoadedExecutable(client, device, std::move(code), std::move(*memory)));
}

Status LoadedExecutable::check(std::span<Buffer* const> arguments,
                               const std::vector<bool>& donated) const {
  const std::string& name = *code_->name();
  const auto& types = code_->argument_types();
  if (arguments.size() != types.size()) {
    return error("TY-RUN-026", "{} takes {} arrays, but {} were given.", name, types.size(),
                 arguments.size());
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Buffer& buffer = *arguments[i];
    if (&buffer.type() != types[i].get() && buffer.type() != *types[i]) {
      return error("TY-RUN-026", "argument {} of {} is {}, but {} was given.", i, name,
                   compiler::str(*types[i]), compiler::str(buffer.type()));
    }
    if (&buffer.device() != &device_) {
      return error("TY-RUN-026", "argument {} of {} is on {}, but the program runs on {}.", i, name,
                   buffer.device().name(), device_.name());
    }
  }
  return check_donated(arguments, donated);
}

// An array that is given twice cannot be given away.
Status LoadedExecutable::check_donated(std::span<Buffer* const> arguments,
                                       const std::vector<bool>& donated) const {
  if (std::ranges::find(donated, true) == donated.end()) return {};
  std::vector<const Buffer*> sorted(arguments.begin(), arguments.end());
  std::ranges::sort(sorted);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (donated[i] && std::ranges::equal_range(sorted, arguments[i]).size() > 1) {
      return error(
          "TY-RUN-027",
          "argument {} of {} is donated, but the same array is given twice. Donate a copy.", i,
          *code_->name());
    }
  }
  return {};
}

// Reserves room for results. One that lies in a donated argument's memory needs none of its own.
Status LoadedExecutable::reserve_outputs(Task& task) const {
  const auto& types = code_->output_types();
  for (size_t k = 0; k < types.size(); ++k) {
    const int donor = code_->wiring().outputs[k].donor;
    if (donor >= 0 && task.donated[static_cast<size_t>(donor)]) {
      task.outputs.push_back(std::make_shared<Storage>(device_.pool(), DeviceMemory::Reservation(),
                                                       byte_size(*types[k])));
      continue;
    }
    Result<std::shared_ptr<Storage>> made = make_storage(device_, types[k], code_->name());
    if (!made.ok()) return made.status();
    task.outputs.push_back(std::move(*made));
  }
  return {};
}

// From here on the launch is accepted: arguments are held or taken.
Status LoadedExecutable::take_arguments(Task& task, std::span<Buffer* const> arguments) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::shared_ptr<Event> ready = arguments[i]->ready();
    if (!ready->is_ready() || !ready->status().ok()) task.waits.push_back(ready);
    task.arguments.push_back(task.donated[i] ? arguments[i]->donate() : arguments[i]->storage());
    if (task.arguments.back() == nullptr) return ready->wait();
  }
  for (size_t k = 0; k < task.outputs.size(); ++k) {
    const int donor = code_->wiring().outputs[k].donor;
    if (donor < 0 || !task.donated[static_cast<size_t>(donor)]) continue;
    task.outputs[k]->take_reservation(*task.arguments[static_cast<size_t>(donor)]);
  }
  return {};
}

Result<Launch> LoadedExecutable::launch(std::span<Buffer* const> arguments,
                                        std::span<const int64_t> keep) const {
  auto task = std::make_shared<Task>();
  task->code = code_;
  task->process = &client_.process();
  task->device = &device_;
  task->donated.reserve(arguments.size());
  for (const compiler::Argument& argument : code_->executable().arguments) {
    task->donated.push_back(argument.donated);
  }
  for (const int64_t index : keep) {
    if (static_cast<size_t>(index) < task->donated.size()) {
      task->donated[static_cast<size_t>(index)] = false;
    }
  }
  TY_TRY(check(arguments, task->donated));
  TY_TRY(reserve_outputs(*task));
  TY_TRY(take_arguments(*task, arguments));
  Launch launch;
  launch.complete = task->complete;
  for (size_t k = 0; k < task->outputs.size(); ++k) {
    launch.outputs.push_back(std::make_unique<Buffer>(code_->output_types()[k], device_,
                                                      task->outputs[k], task->complete));
  }
  task->process->journal.launched();
  const bool here = code_->is_short() && task->waits.empty();
  if (here) {
    device_.queue().run_or_post([task] { task->run(); });
  } else {
    device_.queue().post([task] { task->run(); });
  }
  return launch;
}

}  // namespace trainyard::runtime
