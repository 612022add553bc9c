#include "compiler/ir/print.h"

#include <fmt/format.h>

namespace trainyard::compiler {
namespace {

std::string dictionary(const Module& module, const std::vector<NamedAttribute>& items) {
  if (items.empty()) return "";
  return " " + str(module, Attribute{DictionaryAttribute{items}});
}

std::string type_list(const Function& function, const std::vector<ValueId>& values) {
  std::string text;
  for (const ValueId value : values) {
    if (!text.empty()) text += ", ";
    text += str(function.type(value));
  }
  return text;
}

// ": tensor<2xf32>" where all types are the same one, else ": (operands) -> results".
std::string signature(const Function& function, const Op& op) {
  if (op.results.empty()) {
    return op.operands.empty() ? "" : " : " + type_list(function, op.operands);
  }
  bool same = op.results.size() == 1;
  for (const ValueId operand : op.operands) {
    same = same && function.type(operand) == function.type(op.results[0]);
  }
  const std::string results = type_list(function, op.results);
  if (same) return " : " + results;
  return fmt::format(" : ({}) -> {}", type_list(function, op.operands),
                     op.results.size() == 1 ? results : "(" + results + ")");
}

class FunctionPrinter {
 public:
  FunctionPrinter(const Module& module, const Function& function, PrintOptions options)
      : module_(module),
        function_(function),
        options_(options),
        numbers_(function.values.size(), -1) {}

  std::string text() && {
    out_ += fmt::format("  func.func {} @{}(", function_.is_public ? "public" : "private",
                        function_.name);
    const std::vector<ValueId>& arguments = function_.entry().arguments;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (i > 0) out_ += ", ";
      out_ += define(arguments[i]) + ": " + str(function_.type(arguments[i]));
      if (i < function_.argument_attributes.size()) {
        out_ += dictionary(module_, function_.argument_attributes[i]);
      }
      if (options_.locations) out_ += location(function_.value(arguments[i]).location);
    }
    out_ += ") -> (";
    for (size_t i = 0; i < function_.result_types.size(); ++i) {
      if (i > 0) out_ += ", ";
      out_ += str(function_.result_types[i]);
      if (i < function_.result_attributes.size()) {
        out_ += dictionary(module_, function_.result_attributes[i]);
      }
    }
    out_ += ") {\n";
    block(function_.body, 4);
    out_ += "  }\n";
    return std::move(out_);
  }

 private:
  // Values are numbered in the order of the text, so that the text does not depend on how the
  // function was built.
  std::string define(ValueId value) {
    numbers_[static_cast<size_t>(value)] = next_++;
    return use(value);
  }
  std::string use(ValueId value) const {
    return fmt::format("%{}", numbers_[static_cast<size_t>(value)]);
  }

  std::string location(LocationId id) const {
    const Location& where = module_.locations[static_cast<size_t>(id)];
    const std::string place = module_.place(id).str();
    if (place.empty() && where.name.empty()) return "";
    return fmt::format(" loc({}{}\"{}\")", place, place.empty() ? "" : " ", where.name);
  }

  void block(BlockId id, size_t indent) {
    for (const OpId op : function_.block(id).ops) print_op(function_.op(op), indent);
  }

  void print_op(const Op& op, size_t indent) {
    out_.append(indent, ' ');
    for (size_t i = 0; i < op.results.size(); ++i) {
      out_ += (i > 0 ? ", " : "") + define(op.results[i]);
    }
    if (!op.results.empty()) out_ += " = ";
    out_ += name(op.kind);
    for (size_t i = 0; i < op.operands.size(); ++i) {
      out_ += (i > 0 ? ", " : " ") + use(op.operands[i]);
    }
    const std::string attributes = str(module_, op.attributes);
    if (!attributes.empty()) out_ += (op.operands.empty() ? " " : ", ") + attributes;
    out_ += dictionary(module_, op.extra);
    out_ += signature(function_, op);
    if (options_.locations) out_ += location(op.location);
    for (const BlockId region : op.regions) print_region(region, indent);
    out_ += "\n";
  }

  void print_region(BlockId region, size_t indent) {
    out_ += " {";
    const std::vector<ValueId>& arguments = function_.block(region).arguments;
    for (size_t i = 0; i < arguments.size(); ++i) {
      out_ += (i > 0 ? ", " : " (") + define(arguments[i]);
      out_ += ": " + str(function_.type(arguments[i]));
    }
    out_ += arguments.empty() ? "\n" : ")\n";
    block(region, indent + 2);
    out_.append(indent, ' ');
    out_ += "}";
  }

  const Module& module_;
  const Function& function_;
  PrintOptions options_;
  std::vector<int> numbers_;
  int next_ = 0;
  std::string out_;
};

}  // namespace

std::string print(const Module& module, const Function& function, PrintOptions options) {
  return FunctionPrinter(module, function, options).text();
}

std::string print(const Module& module, PrintOptions options) {
  std::string text = "module @" + module.name + dictionary(module, module.attributes) + " {\n";
  for (const Mesh& mesh : module.meshes) {
    text += fmt::format("  sdy.mesh @{} = {}\n", mesh.name, str(mesh));
  }
  for (const Function& function : module.functions) text += print(module, function, options);
  return text + "}\n";
}

std::string summary(const Module& module, const Function& function, const Op& op) {
  const std::string attributes = str(module, op.attributes);
  return fmt::format("{}{}{}{}", name(op.kind), attributes.empty() ? "" : " ", attributes,
                     signature(function, op));
}

}  // namespace trainyard::compiler
