// The outermost operations: the module, its meshes and functions.
#include "compiler/stablehlo/graph_reader.h"
#include "compiler/stablehlo/reader.h"

namespace trainyard::compiler {

void GraphReader::read_module_op(ByteCursor& cursor) {
  const Head head = read_head(cursor);
  if (head.name.dialect != "builtin" || head.name.name != "module" || head.regions != 1) {
    fail_at("TY-SHLO-013", head.offset, "the file starts with '{}.{}', a module is expected",
            head.name.dialect, head.name.name);
  }
  if (head.properties || (head.dictionary && container_.version < kNativeProperties)) {
    const Properties p = properties(head, kModuleProperties);
    if (p.has("sym_name")) module_.name = entries_.string(p["sym_name"]);
  }
  module_.attributes = extras(head);
  in_regions(head, cursor, [&](ByteCursor& bytes) { read_module_body(bytes); });
}

void GraphReader::read_module_body(ByteCursor& cursor) {
  const size_t start = cursor.offset();
  if (cursor.varint() != 1) fail_at("TY-SHLO-013", start, "the module's body is not one block");
  cursor.count("values");
  const FlaggedInteger block = cursor.flagged();
  if (block.flag) fail_at("TY-SHLO-013", start, "the module's body has arguments");
  for (uint64_t i = 0; i < block.value; ++i) {
    const Head head = read_head(cursor);
    if (head.name.dialect == "vhlo" && head.name.name == "func_v1") {
      read_function(head, cursor);
    } else if (head.name.dialect == "sdy" && head.name.name == "mesh") {
      read_mesh(head);
    } else {
      fail_at("TY-SHLO-008", head.offset, "'{}.{}' stands where functions and meshes are expected",
              head.name.dialect, head.name.name);
    }
  }
}

void GraphReader::read_mesh(const Head& head) {
  const Properties p = properties(head, kMeshProperties);
  Mesh mesh = entries_.mesh(p["mesh"]);
  mesh.name = entries_.string(p["sym_name"]);
  if (head.regions != 0 || !head.results.empty()) {
    fail_at("TY-SHLO-013", head.offset, "a mesh has regions or results");
  }
  module_.meshes.push_back(std::move(mesh));
}

void GraphReader::read_function(const Head& head, ByteCursor& cursor) {
  const Properties p = properties(head, kFunctionProperties);
  Function function;
  function.name = entries_.string(p["sym_name"]);
  function.is_public = entries_.text(p["sym_visibility"]) != "private";
  function.location = head.location;
  FunctionType type = entries_.function_type(p["function_type"]);
  for (const AttrIndex item : entries_.list(p["arg_attrs"])) {
    function.argument_attributes.push_back(entries_.named(item));
  }
  for (const AttrIndex item : entries_.list(p["res_attrs"])) {
    function.result_attributes.push_back(entries_.named(item));
  }
  function.result_types = std::move(type.results);
  if (head.regions != 1 || !head.results.empty()) {
    fail_at("TY-SHLO-013", head.offset, "function '{}' has no body", function.name);
  }
  budget_.spend(sizeof(Function) / 4, head.offset);
  module_.functions.push_back(std::move(function));

  BlockId body = 0;
  in_regions(head, cursor, [&](ByteCursor& bytes) { body = read_region(bytes, true); });
  Function& done = module_.functions.back();
  done.body = body;
  const std::vector<ValueId>& arguments = done.entry().arguments;
  bool same = arguments.size() == type.inputs.size();
  for (size_t i = 0; same && i < arguments.size(); ++i) {
    same = done.type(arguments[i]) == type.inputs[i];
  }
  if (!same) {
    fail_at("TY-SHLO-013", head.offset, "the body of '{}' takes other arguments than its type says",
            done.name);
  }
  // An empty list stands for "no attributes on any argument".
  done.argument_attributes.resize(arguments.size());
  done.result_attributes.resize(done.result_types.size());
}

Result<Module> read_stablehlo(std::span<const uint8_t> file) {
  try {
    Module module;
    Budget budget(file.size());
    const Container container = read_container(file);
    module.producer = container.producer;
    GraphReader(container, module, budget).read();
    return module;
  } catch (const ReadFailure& failure) {
    return failure.status;
  }
}

}  // namespace trainyard::compiler
