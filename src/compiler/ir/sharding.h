#pragma once
// Shardy's annotations: how a tensor of global shape is cut over a mesh of devices. The reader
// keeps them; partitioning is a later pass.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainyard::compiler {

struct MeshAxis {
  std::string name;
  int64_t size = 1;
  friend bool operator==(const MeshAxis&, const MeshAxis&) = default;
};

// Devices laid out as a grid, row-major: the last axis varies fastest. `device_ids` is empty when
// position p is device p. A mesh without axes and with one id is that one device (maximal).
struct Mesh {
  std::string name;
  std::vector<MeshAxis> axes;
  std::vector<int64_t> device_ids;
  friend bool operator==(const Mesh&, const Mesh&) = default;
};

// A part of an axis: the axis is seen as (pre_size, size, rest) and this is the middle one.
struct SubAxis {
  int64_t pre_size = 1;
  int64_t size = 1;
  friend bool operator==(const SubAxis&, const SubAxis&) = default;
};

struct AxisRef {
  std::string name;
  std::optional<SubAxis> sub;
  friend bool operator==(const AxisRef&, const AxisRef&) = default;
};

// How one dimension is cut: by these axes, major first. An open one may be cut further by
// propagation; a smaller priority propagates earlier.
struct DimSharding {
  std::vector<AxisRef> axes;
  bool closed = true;
  std::optional<int64_t> priority;
  friend bool operator==(const DimSharding&, const DimSharding&) = default;
};

struct TensorSharding {
  std::string mesh_name;            // a mesh of the module, or
  std::optional<Mesh> inline_mesh;  // one written in place
  std::vector<DimSharding> dims;
  std::vector<AxisRef> replicated;
  std::vector<AxisRef> unreduced;  // partial sums along these axes are still to be added
  friend bool operator==(const TensorSharding&, const TensorSharding&) = default;
};

std::string str(const Mesh& mesh);                // <["x"=2, "y"=4]>
std::string str(const AxisRef& axis);             // "x" or "x":(1)2
std::string str(const TensorSharding& sharding);  // <@mesh, [{"x"}, {?}]>

}  // namespace trainyard::compiler
