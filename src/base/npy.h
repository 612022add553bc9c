#pragma once
// Reads and writes NumPy's .npy files: dense C-order arrays of simple types.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace trainyard {

struct NpyArray {
  std::string type;  // NumPy's type string without byte order: "f4", "i4", "u1", "V2" (bfloat16 is
                     // saved so)
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;  // little endian, C order
};

// Errors TY-NPY-001 (cannot read or write the file) and TY-NPY-002 (not an array that we take).
Result<NpyArray> load_npy(const std::string& path);
Status save_npy(const std::string& path, const NpyArray& array);

// The parser alone, for untrusted bytes.
Result<NpyArray> parse_npy(const std::string& file, const std::string& name);

}  // namespace trainyard
