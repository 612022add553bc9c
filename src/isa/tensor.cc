#include "isa/tensor.h"

#include <functional>
#include <numeric>

namespace trainyard::isa {

std::string_view name(Memory memory) {
  switch (memory) {
    case Memory::Hbm:
      return "hbm";
    case Memory::Sbuf:
      return "sbuf";
    case Memory::Psum:
      return "psum";
  }
  return "";
}

std::string_view name(Io io) {
  switch (io) {
    case Io::None:
      return "";
    case Io::In:
      return "in";
    case Io::Out:
      return "out";
    case Io::InOut:
      return "inout";
  }
  return "";
}

int64_t Tensor::free_elements() const {
  return std::accumulate(shape.begin() + (on_chip() ? 1 : 0), shape.end(), int64_t{1},
                         std::multiplies<>());
}

int64_t Tensor::total_bytes() const { return free_bytes() * (on_chip() ? shape[0] : 1); }

int64_t Access::free_elements() const {
  int64_t n = 1;
  for (const Dim& d : dims) n *= d.count;
  return n;
}

Access whole(const Tensor& tensor, TensorId id) {
  Access a{.tensor = id, .dtype = tensor.dtype, .partitions = tensor.partitions()};
  const size_t first = tensor.on_chip() ? 1 : 0;
  int64_t step = tensor.free_elements();
  for (size_t i = first; i < tensor.shape.size(); ++i) {
    step = tensor.shape[i] == 0 ? 0 : step / tensor.shape[i];
    a.dims.push_back({step, tensor.shape[i]});
  }
  return a;
}

Hull hull(const Access& access) {
  Hull h{0, 1};
  for (const Dim& d : access.dims) {
    const int64_t reach = d.step * (d.count - 1);
    (reach < 0 ? h.begin : h.end) += reach;
  }
  return h;
}

}  // namespace trainyard::isa
