// shlo_dump FILE... [--ops|--locations|--quiet]: reads StableHLO bytecode and prints our graph IR.
//   --ops        one line an operation: name, result types, source line; for comparing with jaxlib
//   --locations  the usual print with the user's lines
//   --quiet      only the errors: what cannot be read, breaks a rule, or is refused
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

#include "compiler/ir/print.h"
#include "compiler/ir/supported.h"
#include "compiler/ir/verify.h"
#include "compiler/stablehlo/reader.h"

namespace {

using namespace trainyard;
using namespace trainyard::compiler;

void print_ops(const Module& module, const Function& function, BlockId block) {
  for (const OpId id : function.block(block).ops) {
    const Op& op = function.op(id);
    std::string results;
    for (const ValueId value : op.results) results += " " + str(function.type(value));
    const SourcePlace place = module.place(op.location);
    fmt::print("{} operands={} results={} loc={} name={}\n", name(op.kind), op.operands.size(),
               results, place.str(), module.locations[static_cast<size_t>(op.location)].name);
    for (const BlockId region : op.regions) print_ops(module, function, region);
  }
}

std::vector<uint8_t> read_file(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

int dump(const char* path, std::string_view mode) {
  const std::vector<uint8_t> bytes = read_file(path);
  const Result<Module> module = read_stablehlo(bytes);
  if (!module.ok()) {
    fmt::print(stderr, "{}: {}\n", path, module.status().str());
    return 1;
  }
  for (const Status& status : {verify(*module), check_supported(*module)}) {
    if (!status.ok()) fmt::print(stderr, "{}: {}\n", path, status.str());
  }
  if (mode == "--ops") {
    for (const Function& function : module->functions) {
      fmt::print("func.func @{}\n", function.name);
      print_ops(*module, function, function.body);
    }
  } else if (mode != "--quiet") {
    fmt::print("{}", print(*module, {.locations = mode == "--locations"}));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string_view mode;
  std::vector<const char*> files;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with("--")) {
      mode = argv[i];
    } else {
      files.push_back(argv[i]);
    }
  }
  int failures = 0;
  for (const char* file : files) failures += dump(file, mode);
  return failures == 0 ? 0 : 1;
}
