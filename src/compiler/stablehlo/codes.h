#pragma once
// Numbers that VHLO, MLIR's builtin dialect and Shardy give to their attributes in bytecode.
#include <cstdint>

namespace trainyard::compiler {

namespace vhlo {
enum Code : uint64_t {
  kArray = 1,
  kBool = 2,
  kComparisonDirection = 3,
  kComparisonType = 4,
  kApiVersion = 5,
  kDictionary = 6,
  kFftType = 7,
  kFloat = 8,
  kInteger = 9,
  kOutputAlias = 10,
  kPrecision = 11,
  kRngAlgorithm = 12,
  kRngDistribution = 13,
  kString = 14,
  kTensor = 15,
  kTranspose = 16,
  kType = 17,
  kBounds = 18,
  kAccuracyMode = 19,
  kAccuracy = 20,
  kSubAxis = 21,
  kAxisRef = 22,
  kMeshAxesGroup = 23,
  kMeshAxis = 24,
  kMesh = 25,
};
}  // namespace vhlo

namespace builtin {
enum Code : uint64_t {
  kArray = 0,
  kDictionary = 1,
  kString = 2,
  kTypedString = 3,
  kFlatSymbol = 4,
  kSymbol = 5,
  kType = 6,
  kUnit = 7,
  kInteger = 8,
  kFloat = 9,
  kCallSite = 10,
  kFileLine = 11,
  kFused = 12,
  kFusedMetadata = 13,
  kName = 14,
  kUnknown = 15,
  kDenseArray = 17,
  kDense = 18,
  kFileRange = 22,
};
}  // namespace builtin

namespace sdy {
enum Code : uint64_t {
  kManualAxes = 0,
  kMeshAxis = 1,
  kMesh = 2,
  kSubAxis = 3,
  kAxisRef = 4,
  kDimSharding = 5,
  kSharding = 6,
  kPerValue = 7,
  kAxisList = 11,
  kShardingUnreduced = 15,
  kPerValueUnreduced = 16,
  kShardingReduction = 17,
};
}  // namespace sdy

}  // namespace trainyard::compiler
