#include "sim/values.h"

#include <algorithm>

#include "sim/values/float_mode.h"
#include "sim/values/walk.h"

namespace trainyard::sim {
namespace {

class BodyRun final : public ValueRun {
 public:
  BodyRun(std::shared_ptr<const ValuePlan> owner, const BodyPlan& plan, ParallelFor parallel)
      : owner_(std::move(owner)), plan_(plan), parallel_(std::move(parallel)) {
    lane_ = new_lane(plan, 0, std::max(1, parallel_.workers) + 1);
    hbm_.reserve(static_cast<size_t>(plan.memory.hbm_bytes));
    lane_.hbm = hbm_.data();
    if (plan.options.watch) {
      watch_ = std::make_unique<Watch>(plan.program, plan.homes);
      lane_.watch = watch_.get();
    }
  }

  Status bind(std::span<const Binding> bindings) {
    const std::vector<isa::Tensor>& tensors = plan_.program.tensors;
    for (const Binding& b : bindings) TY_TRY(bind(b));
    for (size_t id = 0; id < tensors.size(); ++id) {
      if (tensors[id].io != isa::Io::None && lane_.base[id] == nullptr) {
        return error("TY-RUN-014", "tensor '{}' is {}, but nothing is bound to it; bind {} bytes",
                     tensors[id].name, isa::name(tensors[id].io), tensors[id].total_bytes());
      }
    }
    return {};
  }

  Status rebind(std::span<const Binding> bindings) override;

  State resume() override {
    const FlushDenormals flush(plan_.options.flush_denormals);
    if (!done_ && !lane_.stopped()) Walker(plan_, lane_, &team_).run(plan_.nodes);
    done_ = true;
    return lane_.stopped() ? State::Fault : State::Done;
  }
  const Status& fault() const override { return lane_.fault; }
  isa::InstId waiting_at() const override { return -1; }
  const isa::TripRecord& trips() const override { return lane_.trips; }
  std::span<const ValueEvent> events() const override { return lane_.events; }
  int64_t executed() const override { return lane_.executed; }

 private:
  Status bind(const Binding& b) {
    const std::vector<isa::Tensor>& tensors = plan_.program.tensors;
    if (b.tensor < 0 || static_cast<size_t>(b.tensor) >= tensors.size())
      return error("TY-RUN-014", "there is no tensor {}; the program has {}", b.tensor,
                   tensors.size());
    const isa::Tensor& t = tensors[b.tensor];
    if (t.io == isa::Io::None)
      return error("TY-RUN-014", "tensor '{}' is inside the program; bind in, out and inout alone",
                   t.name);
    if (static_cast<int64_t>(b.bytes.size()) != t.total_bytes())
      return error("TY-RUN-014", "tensor '{}' takes {} bytes, but {} are bound to it", t.name,
                   t.total_bytes(), b.bytes.size());
    const auto address = reinterpret_cast<uintptr_t>(b.bytes.data());
    const auto size = static_cast<uintptr_t>(numerics::size_of(t.dtype));
    if (address % size != 0)
      return error("TY-RUN-014",
                   "the memory bound to tensor '{}' begins at {:#x}, which is no multiple of its "
                   "{} bytes per element; copy it to aligned memory",
                   t.name, address, size);
    lane_.base[b.tensor] = b.bytes.data();
    if (watch_) watch_->bound(b.tensor, t.io != isa::Io::Out);
    return {};
  }

  std::shared_ptr<const ValuePlan> owner_;
  const BodyPlan& plan_;
  ParallelFor parallel_;
  Lane lane_;
  HostBuffer hbm_;
  Team team_{parallel_, {}};
  std::unique_ptr<Watch> watch_;
  bool done_ = false;
};

// Whether memory that is written is bound to two tensors.
bool any_overlap(const isa::Program& program, std::span<const Binding> bindings) {
  const auto is_written = [&](const Binding& b) {
    return b.tensor >= 0 && static_cast<size_t>(b.tensor) < program.tensors.size() &&
           program.tensors[b.tensor].io != isa::Io::In;
  };
  for (size_t i = 0; i < bindings.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const Binding &a = bindings[i], &b = bindings[j];
      const bool apart = a.bytes.data() + a.bytes.size() <= b.bytes.data() ||
                         b.bytes.data() + b.bytes.size() <= a.bytes.data();
      if (!apart && (is_written(a) || is_written(b))) return true;
    }
  }
  return false;
}

Status BodyRun::rebind(std::span<const Binding> bindings) {
  if (any_overlap(plan_.program, bindings)) {
    return error("TY-RUN-014", "memory that is written is bound to two tensors; copy one of them");
  }
  if (watch_) {
    watch_ = std::make_unique<Watch>(plan_.program, plan_.homes);
    lane_.watch = watch_.get();
  }
  std::ranges::fill(lane_.base, nullptr);
  // What is packed belongs to the old memory.
  for (size_t t = 0; t < lane_.contents.size(); ++t) lane_.touch(static_cast<isa::TensorId>(t));
  lane_.trips = {};
  lane_.trips.loops.resize(plan_.program.loops.size());
  lane_.trips.branches.resize(plan_.program.branches.size());
  lane_.events.clear();
  lane_.fault = Status();
  lane_.fault_inst = -1;
  lane_.executed = 0;
  done_ = false;
  return bind(bindings);
}

}  // namespace

Result<std::unique_ptr<ValueRun>> ValueRun::make(std::shared_ptr<const ValuePlan> plan,
                                                 std::span<const Binding> bindings,
                                                 ParallelFor parallel) {
  const auto* body = dynamic_cast<const BodyPlan*>(plan.get());
  TY_CHECK(body != nullptr);
  if (any_overlap(body->program, bindings)) {
    // The plan was made for tensors that lie apart: go through the body in its own order instead.
    ValueOptions options = body->options;
    options.shortcuts = false;
    auto plain = std::make_shared<BodyPlan>(body->program, body->core, options);
    body = plain.get();
    plan = std::move(plain);
    parallel = serial();
  }
  auto run = std::make_unique<BodyRun>(std::move(plan), *body, std::move(parallel));
  TY_TRY(run->bind(bindings));
  return std::unique_ptr<ValueRun>(std::move(run));
}

}  // namespace trainyard::sim
