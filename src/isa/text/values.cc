#include "isa/text/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "isa/subscript.h"

namespace trainyard::isa::text {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

// A product of integers and at most one variable.
Affine read_product(Context& c) {
  Affine product(1);
  do {
    const Token at = c.in.peek();
    Affine factor;
    if (at.kind == Token::Kind::Integer) {
      factor = c.in.integer("a number", -kMaxExtent, kMaxExtent);
    } else {
      factor = c.variable();
    }
    if (!product.is_constant() && !factor.is_constant()) {
      c.in.fail_at(at, "TY-TXT-001",
                   "a product of two counters or registers is not affine; use register_alu");
      return {};
    }
    const Affine& variable = product.is_constant() ? factor : product;
    const int64_t number = product.is_constant() ? product.constant : factor.constant;
    const int64_t other =
        variable.is_constant() ? variable.constant : variable.terms[0].coefficient;
    int64_t result = 0;
    if (__builtin_mul_overflow(number, other, &result) || std::abs(result) > kMaxExtent) {
      c.in.fail_at(at, "TY-TXT-007", fmt::format("a product is beyond {}", kMaxExtent));
      return {};
    }
    product = variable * number;
  } while (c.in.accept("*"));
  return product;
}

std::optional<Subscript> read_axis(Context& c) {
  if (c.in.accept(":")) return Subscript::all();
  Affine start = read_affine(c);
  if (!c.in.accept("+:")) return Subscript::index(std::move(start));
  const int64_t count = c.in.integer("the count of a slice", 1, kMaxExtent);
  const int64_t step =
      c.in.accept(":") ? c.in.integer("the step of a slice", -kMaxExtent, kMaxExtent) : 1;
  return Subscript::slice(std::move(start), count, step);
}

std::vector<Subscript> read_axes(Context& c) {
  std::vector<Subscript> axes;
  c.in.expect("[");
  if (c.in.accept("]")) return axes;
  do {
    if (axes.size() == kMaxAxes) {
      c.in.fail(
          "TY-TXT-011",
          fmt::format("a subscript has more than {} axes; write one entry per axis of the tensor",
                      kMaxAxes));
      return axes;
    }
    axes.push_back(*read_axis(c));
  } while (c.in.accept(","));
  if (!c.in.accept("]")) c.in.fail_expected("',' or ']'");
  return axes;
}

// The keys of `.ap(...)`, each at most once, in any order.
void read_pattern(Context& c, const Tensor& tensor, Access& a) {
  c.in.expect("(");
  a.partitions = tensor.partitions();
  constexpr std::array<std::string_view, 4> kKeys = {"partition", "partitions", "offset", "dims"};
  std::array<bool, kKeys.size()> seen{};
  if (c.in.accept(")")) return;
  do {
    const Token key = c.in.name("partition, partitions, offset or dims");
    const size_t which = std::find(kKeys.begin(), kKeys.end(), key.spelled()) - kKeys.begin();
    if (!c.in.ok()) return;
    if (which == kKeys.size()) {
      c.in.fail_at(
          key, "TY-TXT-003",
          fmt::format("'.ap' has no key '{}'{}", shown(key.spelled()), hint(key.spelled(), kKeys)));
    } else if (std::exchange(seen[which], true)) {
      c.in.fail_at(key, "TY-TXT-008", fmt::format("'{}' is given twice", key.spelled()));
    } else if (which < 2 && !tensor.on_chip()) {
      c.in.fail_at(key, "TY-TXT-006",
                   fmt::format("'{}' lies in HBM, which has no partitions", shown(tensor.name)));
    }
    c.in.expect("=");
    if (which == 0) a.partition = read_affine(c);
    if (which == 1) a.partitions = c.in.integer("the number of partitions", 1, kMaxExtent);
    if (which == 2) a.offset = read_affine(c);
    if (which == 3) a.dims = read_dims(c);
  } while (c.in.accept(","));
  if (!c.in.accept(")")) c.in.fail_expected("',' or ')'");
}

}  // namespace

Affine read_affine(Context& c) {
  const Token at = c.in.peek();
  Affine sum;
  bool minus = c.in.accept("-");
  do {
    sum += read_product(c) * (minus ? -1 : 1);
    if (const Status s = check_extent(sum); !s.ok()) {
      c.in.fail_at(at, s);
      return {};
    }
    minus = c.in.peek().is("-");
  } while (c.in.accept("+") || c.in.accept("-"));
  c.in.spend(sum.terms.size() * sizeof(Term));
  return sum;
}

float read_float(Context& c) {
  const bool minus = c.in.accept("-");
  const Token token = c.in.peek();
  float value = 0;
  if (c.in.accept("inf")) {
    value = std::numeric_limits<float>::infinity();
  } else if (!minus && c.in.accept("nan")) {
    value = std::numeric_limits<float>::quiet_NaN();
  } else if (token.kind == Token::Kind::Float || token.kind == Token::Kind::Integer) {
    c.in.take();
    const char* const end = token.text.data() + token.text.size();
    const auto [stop, code] = std::from_chars(token.text.data(), end, value);
    if (code != std::errc() || stop != end) {
      c.in.fail_at(token, "TY-TXT-007",
                   fmt::format("'{}' is no fp32 number; the range is 1.4e-45 to 3.4028235e+38",
                               shown(token.text)));
    }
  } else {
    c.in.fail_expected("a number");
  }
  return minus ? -value : value;
}

Operand read_operand(Context& c) {
  const Token& now = c.in.peek();
  const Token& number = now.is("-") ? c.in.peek_second() : now;
  if (number.kind == Token::Kind::Float || number.is("inf") || number.is("nan")) {
    return read_float(c);
  }
  if (number.kind == Token::Kind::Integer) return c.in.integer("a number", kLeast, kMost);
  if (now.is_name()) return read_access(c);
  c.in.fail_expected("a number or a tensor");
  return 0.0f;
}

std::vector<Dim> read_dims(Context& c) {
  std::vector<Dim> dims;
  c.in.expect("[");
  if (c.in.accept("]")) return dims;
  do {
    if (dims.size() == kMaxAxes) {
      c.in.fail("TY-TXT-011",
                fmt::format("a pattern has more than {} dims; join neighbours", kMaxAxes));
      return dims;
    }
    c.in.expect("[");
    Dim dim;
    dim.step = c.in.integer("a step", -kMaxExtent, kMaxExtent);
    c.in.expect(",");
    dim.count = c.in.integer("a count", 1, kMaxExtent);
    c.in.expect("]");
    dims.push_back(dim);
  } while (c.in.accept(","));
  if (!c.in.accept("]")) c.in.fail_expected("',' or ']'");
  return dims;
}

Access read_access(Context& c) {
  const Token at = c.in.peek();
  const TensorId id = c.tensor();
  if (id < 0) return {};
  const Tensor& tensor = c.program.tensors[id];
  Dtype dtype = tensor.dtype;
  bool pattern = false;
  if (c.in.accept(".")) {
    if (c.in.accept("as")) {
      c.in.expect("(");
      dtype = read_dtype(c);
      c.in.expect(")");
      pattern = c.in.accept(".");
      if (pattern) c.in.expect("ap");
    } else {
      pattern = c.in.accept("ap");
      if (!pattern) c.in.fail_expected("'ap' or 'as'");
    }
  }
  Result<Access> access = Access{.tensor = id, .dtype = dtype};
  if (pattern) {
    read_pattern(c, tensor, *access);
    if (const Status s = check_extent(*access); !s.ok()) access = s;
  } else {
    const std::vector<Subscript> axes =
        c.in.peek().is("[") ? read_axes(c) : std::vector<Subscript>(tensor.shape.size());
    if (c.in.ok()) access = subscript(tensor, id, dtype, axes);
  }
  if (!access.ok()) {
    c.in.fail_at(at, access.status());
    return {};
  }
  return *access;
}

Dtype read_dtype(Context& c) {
  const Token name = c.in.name("an element type");
  if (const auto dtype = numerics::parse_dtype(name.spelled())) return *dtype;
  std::vector<std::string_view> known;
  for (const Dtype d : numerics::kAllDtypes) known.push_back(numerics::name(d));
  if (c.in.ok()) {
    c.in.fail_at(name, "TY-TXT-003",
                 fmt::format("no element type is called '{}'{}", shown(name.spelled()),
                             hint(name.spelled(), known)));
  }
  return Dtype::F32;
}

Engine read_engine(Context& c) {
  const Token name = c.in.name("an engine");
  std::vector<std::string_view> known;
  for (const Engine e : hw::kEngines) {
    if (hw::name(e) == name.spelled()) return e;
    known.push_back(hw::name(e));
  }
  if (c.in.ok()) {
    c.in.fail_at(name, "TY-TXT-003",
                 fmt::format("no engine is called '{}'{}", shown(name.spelled()),
                             hint(name.spelled(), known)));
  }
  return Engine::Sync;
}

RegisterOperand read_register_operand(Context& c) {
  if (c.in.peek().is_name()) return c.reg();
  return c.in.integer("a register or a number", kLeast, kMost);
}

}  // namespace trainyard::isa::text
