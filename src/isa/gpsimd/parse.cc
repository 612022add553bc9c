#include <limits>
#include <map>

#include "isa/gpsimd/literal.h"
#include "isa/gpsimd/text.h"
#include "isa/text/lexer.h"

namespace trainyard::isa::gpsimd {
namespace {

using text::Token;

// Recursive descent. The first error stops the lexer, so every loop ends.
class Parser {
 public:
  Parser(std::string_view text, std::string file, int first_line)
      : lexer_(text, first_line), file_(std::move(file)) {
    token_ = lexer_.next();
    ahead_ = lexer_.next();
  }

  Result<Program> parse() {
    expect("gpsimd");
    program_.name = name("a program's name");
    expect("{");
    while (good() && !token_.is("body")) header_line();
    expect("body");
    function(program_.body);
    expect("}");
    if (good() && token_.kind != Token::Kind::End) fail("TY-TXT-001", "expected the end");
    if (!lexer_.status().ok() && status_.ok()) status_ = lexer_.status();
    if (!status_.ok()) {
      SourcePlace place = status_.place();
      place.file = file_;
      return Status(status_.code(), status_.message(), place);
    }
    return std::move(program_);
  }

 private:
  bool good() const { return status_.ok() && lexer_.status().ok(); }

  void fail(std::string_view code, std::string message) {
    if (!good()) return;
    status_ = Status(code, message + ", found " + text::describe(token_),
                     {file_, token_.line, token_.column});
    lexer_.stop();
    token_ = {};
    ahead_ = {};
  }
  void step() {
    token_ = std::move(ahead_);
    ahead_ = lexer_.next();
  }
  bool take(std::string_view word) {
    if (!token_.is(word)) return false;
    step();
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word)) fail("TY-TXT-001", fmt::format("expected '{}'", word));
  }
  std::string name(std::string_view what) {
    if (!token_.is_name()) {
      fail("TY-TXT-001", fmt::format("expected {}", what));
      return "";
    }
    std::string out(token_.spelled());
    step();
    return out;
  }
  int64_t integer() {
    const bool negative = take("-");
    const uint64_t limit = uint64_t{1} << 63;
    if (token_.kind != Token::Kind::Integer) {
      fail("TY-TXT-001", "expected an integer");
      return 0;
    }
    if (token_.magnitude > limit - (negative ? 0 : 1)) {
      fail("TY-TXT-007", "expected a signed 64-bit integer");
      return 0;
    }
    const uint64_t magnitude = token_.magnitude;
    step();
    return static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
  }
  template <class E, size_t N>
  E word(const std::string_view (&words)[N], std::string_view what) {
    for (size_t i = 0; i < N; ++i) {
      if (take(words[i])) return static_cast<E>(i);
    }
    fail("TY-TXT-001", fmt::format("expected {}", what));
    return static_cast<E>(0);
  }
  template <class F>
  auto list(F item) {
    std::vector<decltype(item())> out;
    do {
      out.push_back(item());
    } while (good() && take(","));
    return out;
  }
  std::vector<int64_t> numbers() {
    return list([this] { return integer(); });
  }
  std::vector<int64_t> bracketed() {
    expect("[");
    std::vector<int64_t> out;
    if (!token_.is("]")) out = numbers();
    expect("]");
    return out;
  }
  Type type() {
    const std::optional<Type> t =
        token_.kind == Token::Kind::Name ? parse_type(token_.text) : std::nullopt;
    if (!t)
      fail("TY-TXT-001", "expected a type such as f32 or s64");
    else
      step();
    return t.value_or(Type::I1);
  }

  void header_line() {
    if (take("window")) {
      Window w;
      w.name = name("a window's name");
      declare(windows_, w.name, program_.windows.size());
      expect(":");
      w.type = type();
      w.shape = bracketed();
      expect("of");
      w.tensor = bracketed();
      expect("at");
      w.start = bracketed();
      w.use = word<Window::Use>(kUses, "read, write or update");
      program_.windows.push_back(std::move(w));
    } else if (take("scratch")) {
      program_.scratch_bytes = integer();
    } else if (take("double_buffered")) {
      program_.double_buffered = true;
    } else if (take("function")) {
      Function f;
      f.name = name("a function's name");
      declare(functions_, f.name, program_.functions.size());
      function(f);
      program_.functions.push_back(std::move(f));
    } else {
      fail("TY-TXT-001", "expected window, scratch, double_buffered, function or body");
    }
  }

  using Names = std::map<std::string, int32_t, std::less<>>;
  void declare(Names& names, const std::string& name, size_t id) {
    if (good() && !names.emplace(name, static_cast<int32_t>(id)).second) {
      fail("TY-TXT-004", fmt::format("'{}' is declared twice", text::shown(name)));
    }
  }
  int32_t find(const Names& names, std::string_view what) {
    const auto it = token_.is_name() ? names.find(token_.spelled()) : names.end();
    if (it == names.end()) {
      fail("TY-TXT-003", fmt::format("expected the name of a {} that is declared above", what));
      return 0;
    }
    step();
    return it->second;
  }

  ValueId typed_value() {
    const std::string n = name("a value's name");
    expect(":");
    ValueType t{type(), 0};
    if (take("[")) {
      t.count = integer();
      // Not a scalar, whatever was written: the verifier refuses it.
      if (t.count == 0) fail("TY-TXT-007", "a strip has at least one element");
      expect("]");
    }
    declare(values_, n, function_->values.size());
    function_->values.push_back(t);
    return static_cast<ValueId>(function_->values.size()) - 1;
  }
  std::vector<ValueId> typed_values() {
    return list([this] { return typed_value(); });
  }
  std::vector<ValueId> uses() {
    return list([this] { return find(values_, "value"); });
  }

  void function(Function& f) {
    function_ = &f;
    values_.clear();
    f.blocks.emplace_back();
    expect("(");
    if (!token_.is(")")) f.blocks[0].params = typed_values();
    expect(")");
    expect("{");
    statements(0, 1);
  }

  // After the '{', through the '}'.
  void statements(BlockId id, int depth) {
    if (depth > kMostDepth) fail("TY-TXT-011", fmt::format("blocks nest over {}", kMostDepth));
    while (good() && !(token_.is("yield") && !ahead_.is(":"))) {
      Op op = statement(depth);
      function_->blocks[id].ops.push_back(std::move(op));
    }
    expect("yield");
    if (!token_.is("}")) function_->blocks[id].results = uses();
    expect("}");
  }

  BlockId nested(int depth) {
    const auto id = static_cast<BlockId>(function_->blocks.size());
    function_->blocks.emplace_back();
    expect("{");
    if (token_.is("params") && !ahead_.is(":")) {
      step();
      std::vector<ValueId> params = typed_values();
      function_->blocks[id].params = std::move(params);
    }
    statements(id, depth + 1);
    return id;
  }

  Op statement(int depth) {
    Op op;
    op.line = token_.line;
    if (ahead_.is(":")) {
      op.out = typed_values();
      expect("=");
    }
    const std::optional<Code> code =
        token_.kind == Token::Kind::Name ? parse_code(token_.text) : std::nullopt;
    if (!code) {
      fail("TY-TXT-003", "expected an operation");
      return op;
    }
    op.code = *code;
    step();
    if (op.code == Code::Constant) {
      op.attributes = literal(op.out.size() == 1 ? function_->values[op.out[0]].type : Type::I1);
      return op;
    }
    if (arity(form(op.code)) != 0 && token_.is_name()) op.in = uses();
    attributes(op, depth);
    return op;
  }
  Literal literal(Type t) {
    if (take("bits")) {
      const Token at = token_;
      if (token_.kind != Token::Kind::Integer) fail("TY-TXT-001", "expected the bits, as 0x7fc0");
      const int64_t width = t == Type::I1 ? 1 : 8 * size_of(t);
      if (width < 64 && at.magnitude >> width != 0) {
        fail("TY-TXT-007", fmt::format("expected at most {} bits", width));
      }
      step();
      return {at.magnitude};
    }
    const bool negative = token_.is("-");
    if (is_float(t)) {
      if (negative) step();
      const bool number = token_.kind == Token::Kind::Float || token_.kind == Token::Kind::Integer;
      const std::string digits = (negative ? "-" : "") + std::string(token_.text);
      const std::optional<uint64_t> bits = number ? parse_real(t, digits) : std::nullopt;
      if (!bits) fail("TY-TXT-007", fmt::format("expected a number of {}", name_of(t)));
      step();
      return {bits.value_or(0)};
    }
    if (t == Type::U64 && !negative && token_.kind == Token::Kind::Integer) {
      const uint64_t bits = token_.magnitude;
      step();
      return {bits};
    }
    const Token at = token_;
    const int64_t value = integer();
    const uint64_t bits = integer_bits(t, value);
    if (good() && print_literal(t, bits) != std::to_string(value)) {
      token_ = at;
      fail("TY-TXT-007", fmt::format("{} is no value of {}", value, name_of(t)));
    }
    return {bits};
  }
  static std::string_view name_of(Type t) { return gpsimd::name(t); }

  void attributes(Op& op, int depth) {
    switch (form(op.code)) {
      case Form::Load:
      case Form::Store:
      case Form::Gather:
      case Form::Scatter:
        op.attributes = access();
        break;
      case Form::Reduce:
      case Form::Scan:
      case Form::Shuffle:
        op.attributes = strip_work();
        break;
      case Form::For:
      case Form::While: {
        Turns turns;
        expect("(");
        expect("maximum");
        turns.maximum = integer();
        expect(")");
        if (op.code == Code::While) {
          turns.condition = nested(depth);
          expect("do");
        }
        turns.body = nested(depth);
        op.attributes = turns;
        break;
      }
      case Form::If: {
        Branch branch;
        branch.then = nested(depth);
        expect("else");
        branch.otherwise = nested(depth);
        op.attributes = branch;
        break;
      }
      case Form::Primitive:
        op.attributes = window_work();
        break;
      default:
        break;
    }
  }

  // Calls read(key) for every "(key ...)".
  template <class F>
  void keys(F read) {
    while (good() && take("(")) {
      if (!read()) fail("TY-TXT-008", "this operation has no such attribute");
      expect(")");
    }
  }
  Fold fold() {
    Fold f;
    f.kind = word<Fold::Kind>(kFolds, "a fold: add, mul, min, max, and, or, xor or function");
    if (f.kind == Fold::Kind::Function) f.function = find(functions_, "function");
    return f;
  }
  Access access() {
    Access a;
    a.window = -1;
    keys([&] {
      if (take("window"))
        a.window = find(windows_, "window");
      else if (take("step"))
        a.step = integer();
      else if (take("bounds"))
        a.bounds = word<Bounds>(kBounds, "fault, clamp, fill or drop");
      else if (take("fold"))
        a.fold = fold();
      else
        return false;
      return true;
    });
    if (a.window < 0) fail("TY-TXT-008", "expected '(window NAME)'");
    return a;
  }
  StripWork strip_work() {
    StripWork w;
    keys([&] {
      if (take("fold"))
        w.fold = fold();
      else if (take("exclusive"))
        w.exclusive = true;
      else if (take("bounds"))
        w.bounds = word<Bounds>(kBounds, "fault, clamp, fill or drop");
      else
        return false;
      return true;
    });
    return w;
  }
  WindowWork window_work() {
    WindowWork w;
    const std::pair<std::string_view, std::vector<int64_t>*> lists[] = {
        {"axes", &w.axes}, {"size", &w.size},         {"stride", &w.stride},
        {"low", &w.low},   {"dilation", &w.dilation}, {"base", &w.base}};
    keys([&] {
      for (const auto& [key, items] : lists) {
        if (!take(key)) continue;
        *items = numbers();
        return true;
      }
      if (take("windows"))
        w.windows = list([this] { return find(windows_, "window"); });
      else if (take("orders"))
        w.orders = list([this] { return word<Order>(kOrders, "an order"); });
      else if (take("fold"))
        w.fold = fold();
      else if (take("bounds"))
        w.bounds = word<Bounds>(kBounds, "fault, clamp, fill or drop");
      else if (take("right"))
        w.right = true;
      else
        return false;
      return true;
    });
    return w;
  }

  text::Lexer lexer_;
  std::string file_;
  Token token_, ahead_;
  Status status_;
  Program program_;
  Function* function_ = nullptr;
  Names windows_, functions_, values_;
};

}  // namespace

Result<Program> parse_text(std::string_view text, std::string file_name, int first_line) {
  return Parser(text, std::move(file_name), first_line).parse();
}

}  // namespace trainyard::isa::gpsimd
