#pragma once
// Attributes of operations that leave the device's own arithmetic: collectives, transfers, calls
// by name, and Shardy's annotations. The rest is in ir/op_attributes.h.
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/attribute.h"
#include "compiler/ir/sharding.h"

namespace trainyard::compiler {

using Dims = std::vector<int64_t>;

// Collectives. Groups hold flattened device numbers; -1 fills a shorter group. With
// use_global_device_ids the numbers are partitions of an SPMD program.
struct CollectiveAttributes {
  std::vector<Dims> groups;  // for collective_permute: (source, target) pairs
  int64_t channel = 0;       // 0: no channel
  bool use_global_device_ids = false;
  int64_t dimension = 0;         // all_gather, reduce_scatter; all_to_all's split dimension
  int64_t concat_dimension = 0;  // all_to_all
  int64_t split_count = 1;       // all_to_all
  bool dynamic_root = false;     // collective_broadcast, collective_reduce
};

// send, recv, infeed, outfeed: talk to the host or to another device.
struct TransferAttributes {
  int64_t channel = 0;
  int64_t channel_type = 0;  // 1 device to device, 2 device to host, 3 host to device
  bool host = false;
  std::vector<Dims> pairs;
  std::string config;
};

struct OutputAlias {
  Dims output_indices;
  int64_t operand = 0;
  Dims operand_indices;
};

struct CustomCallAttributes {
  std::string target;
  std::string backend_config;
  std::vector<NamedAttribute> config;  // api_version 4 puts a dictionary here
  bool has_side_effect = false;
  int64_t api_version = 1;
  std::vector<std::string> called_computations;
  std::vector<Dims> operand_layouts;  // minor to major; empty: no constraint
  std::vector<Dims> result_layouts;
  std::vector<OutputAlias> aliases;
};

// A named operation whose meaning is the function `decomposition`.
struct CompositeAttributes {
  std::string name;  // "chlo.top_k"
  std::vector<NamedAttribute> attributes;
  std::string decomposition;
  int64_t version = 0;
};

struct CallAttributes {
  std::string callee;
};

struct EinsumAttributes {
  std::string config;
};

struct TorchIndexSelectAttributes {
  int64_t dim = 0;
  int64_t batch_dims = 0;
};

// sdy.sharding_constraint and sdy.reshard.
struct ShardingAttributes {
  TensorSharding sharding;
};

// The region sees local shapes in the manual axes and global ones in the others.
struct ManualComputationAttributes {
  std::vector<TensorSharding> in_shardings;
  std::vector<TensorSharding> out_shardings;
  std::vector<std::string> manual_axes;
};

struct ShardingGroupAttributes {
  int64_t group = 0;
};

// Shardy operations that JAX does not send, such as its own collectives: kept as written.
struct OtherAttributes {
  std::vector<NamedAttribute> entries;
};

}  // namespace trainyard::compiler
