#pragma once
// A compiled program on a device: checks arguments, takes memory for results, runs it in its turn.
#include <memory>
#include <span>
#include <vector>

#include "runtime/client.h"
#include "runtime/code.h"

namespace trainyard::runtime {

// What a launch returns at once. All results become ready, or fail, together.
struct Launch {
  std::vector<std::unique_ptr<Buffer>> outputs;
  std::shared_ptr<Event> complete;
};

class LoadedExecutable {
 public:
  // Puts code and constants into the device's memory; TY-RUN-020 if there is no room.
  static Result<std::unique_ptr<LoadedExecutable>> load(Client& client, Device& device,
                                                        std::shared_ptr<const Code> code);

  const Code& code() const { return *code_; }
  Device& device() const { return device_; }

  // Starts a run. Donated arguments are deleted once the launch is accepted, except those at the
  // positions in `keep`. Errors that show now: TY-RUN-020 no room for results, TY-RUN-023 a deleted
  // argument, TY-RUN-026 an argument that does not fit, TY-RUN-027 one array given twice and
  // donated. Faults of the run itself come with the results' events.
  Result<Launch> launch(std::span<Buffer* const> arguments,
                        std::span<const int64_t> keep = {}) const;

 private:
  LoadedExecutable(Client& client, Device& device, std::shared_ptr<const Code> code,
                   DeviceMemory::Reservation memory)
      : client_(client), device_(device), code_(std::move(code)), memory_(std::move(memory)) {}

  struct Task;
  Status check(std::span<Buffer* const> arguments, const std::vector<bool>& donated) const;
  Status check_donated(std::span<Buffer* const> arguments, const std::vector<bool>& donated) const;
  Status reserve_outputs(Task& task) const;
  Status take_arguments(Task& task, std::span<Buffer* const> arguments) const;

  Client& client_;
  Device& device_;
  std::shared_ptr<const Code> code_;
  DeviceMemory::Reservation memory_;
};

}  // namespace trainyard::runtime
