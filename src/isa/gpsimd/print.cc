#include <fmt/format.h>

#include <algorithm>

#include "isa/gpsimd/literal.h"
#include "isa/gpsimd/text.h"

namespace trainyard::isa::gpsimd {
namespace {

// A name as the lexer reads it back.
std::string quoted(const std::string& name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto word = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  if (!name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), word)) return name;
  std::string out = "\"";
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

template <class T, class F>
std::string join(const std::vector<T>& items, F text) {
  std::string out;
  for (const T& item : items) out += (out.empty() ? "" : ", ") + text(item);
  return out;
}

std::string numbers(const std::vector<int64_t>& items) {
  return join(items, [](int64_t n) { return std::to_string(n); });
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string print() {
    out_ = "gpsimd " + quoted(program_.name) + " {\n";
    for (const Window& w : program_.windows) {
      out_ += fmt::format("  window {}: {}[{}] of [{}] at [{}] {}\n", quoted(w.name), name(w.type),
                          numbers(w.shape), numbers(w.tensor), numbers(w.start),
                          kUses[static_cast<int>(w.use)]);
    }
    if (program_.scratch_bytes > 0) out_ += fmt::format("  scratch {}\n", program_.scratch_bytes);
    if (program_.double_buffered) out_ += "  double_buffered\n";
    for (const Function& f : program_.functions) function("function " + quoted(f.name), f);
    function("body", program_.body);
    return out_ + "}\n";
  }

 private:
  std::string typed(ValueId v) const {
    const ValueType& t = function_->values[v];
    const std::string count = t.is_scalar() ? "" : fmt::format("[{}]", t.count);
    return fmt::format("v{}: {}{}", v, name(t.type), count);
  }
  std::string typed(const std::vector<ValueId>& values) const {
    return join(values, [this](ValueId v) { return typed(v); });
  }
  static std::string plain(const std::vector<ValueId>& values) {
    return join(values, [](ValueId v) { return fmt::format("v{}", v); });
  }

  void function(const std::string& head, const Function& f) {
    function_ = &f;
    out_ += "  " + head + "(" + typed(f.blocks[0].params) + ") {\n";
    statements(f.blocks[0], 4);
    out_ += "  }\n";
  }

  void statements(const Block& block, int indent) {
    const std::string blanks(indent, ' ');
    for (const Op& op : block.ops) {
      out_ += blanks;
      if (!op.out.empty()) out_ += typed(op.out) + " = ";
      out_ += name(op.code);
      if (!op.in.empty()) out_ += " " + plain(op.in);
      attributes(op, indent);
      out_ += "\n";
    }
    out_ += blanks + "yield" + (block.results.empty() ? "" : " " + plain(block.results)) + "\n";
  }

  void nested(const Function& f, BlockId id, int indent) {
    const Block& block = f.blocks[id];
    out_ += "{\n";
    if (!block.params.empty()) {
      out_ += std::string(indent + 2, ' ') + "params " + typed(block.params) + "\n";
    }
    statements(block, indent + 2);
    out_ += std::string(indent, ' ') + "}";
  }

  std::string fold(const Fold& fold) const {
    if (fold.kind == Fold::Kind::None) return "";
    if (fold.kind == Fold::Kind::Function) {
      return " (fold function " + quoted(program_.functions[fold.function].name) + ")";
    }
    return fmt::format(" (fold {})", kFolds[static_cast<int>(fold.kind)]);
  }
  static std::string bounds(Bounds b) {
    return b == Bounds::Fault ? "" : fmt::format(" (bounds {})", kBounds[static_cast<int>(b)]);
  }

  void attributes(const Op& op, int indent) {
    const Function& f = *function_;
    if (const auto* literal = std::get_if<Literal>(&op.attributes)) {
      out_ += " " + print_literal(f.values[op.out[0]].type, literal->bits);
    } else if (const auto* access = std::get_if<Access>(&op.attributes)) {
      out_ += " (window " + quoted(program_.windows[access->window].name) + ")";
      if (access->step != 1) out_ += fmt::format(" (step {})", access->step);
      out_ += bounds(access->bounds) + fold(access->fold);
    } else if (const auto* work = std::get_if<StripWork>(&op.attributes)) {
      out_ += fold(work->fold) + (work->exclusive ? " (exclusive)" : "") + bounds(work->bounds);
    } else if (const auto* turns = std::get_if<Turns>(&op.attributes)) {
      out_ += fmt::format(" (maximum {}) ", turns->maximum);
      if (op.code == Code::While) {
        nested(f, turns->condition, indent);
        out_ += " do ";
      }
      nested(f, turns->body, indent);
    } else if (const auto* branch = std::get_if<Branch>(&op.attributes)) {
      out_ += " ";
      nested(f, branch->then, indent);
      out_ += " else ";
      nested(f, branch->otherwise, indent);
    } else if (const auto* work = std::get_if<WindowWork>(&op.attributes)) {
      window_work(*work);
    }
  }

  void window_work(const WindowWork& w) {
    out_ += " (windows " +
            join(w.windows, [this](WindowId id) { return quoted(program_.windows[id].name); }) +
            ")";
    const auto list = [this](const char* key, const std::vector<int64_t>& items) {
      if (!items.empty()) out_ += fmt::format(" ({} {})", key, numbers(items));
    };
    list("axes", w.axes);
    if (!w.orders.empty()) {
      out_ += " (orders " +
              join(w.orders, [](Order o) { return std::string(kOrders[static_cast<int>(o)]); }) +
              ")";
    }
    out_ += fold(w.fold) + bounds(w.bounds) + (w.right ? " (right)" : "");
    list("size", w.size);
    list("stride", w.stride);
    list("low", w.low);
    list("dilation", w.dilation);
    list("base", w.base);
  }

  const Program& program_;
  const Function* function_ = nullptr;
  std::string out_;
};

}  // namespace

std::string print_text(const Program& program) { return Printer(program).print(); }

}  // namespace trainyard::isa::gpsimd
