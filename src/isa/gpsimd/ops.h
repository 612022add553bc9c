#pragma once
// The operations of GpSimd programs: names, groups and how many values each takes and gives.
#include <cstdint>
#include <optional>
#include <string_view>

namespace trainyard::isa::gpsimd {

// Which rules an operation follows. The attributes of an operation depend on its form alone.
enum class Form : uint8_t {
  Constant,   // a literal
  Unary,      // element by element, a -> same type
  Math,       // unary, floats only, of the elementary functions
  Binary,     // a, b -> same type
  Math2,      // binary, floats only
  Compare,    // a, b -> i1
  Test,       // float -> i1
  Select,     // i1, a, b -> a's type
  Fma,        // a, b, c floats
  Convert,    // to another type, by value
  Bitcast,    // to another type of the same width, by bits
  Iota,       // 0, 1, 2...
  Broadcast,  // scalar -> strip
  Shuffle,    // strip, index strip
  Compress,   // strip, mask -> strip, s32 count
  Reduce,     // strip, start -> scalar
  Scan,       // strip, start -> strip
  Load,       // window at base + i * step
  Store,
  Gather,  // window at an index strip
  Scatter,
  For,
  While,
  If,
  Primitive,  // works on whole windows
};

// X(code, name, form)
#define TY_GPSIMD_OPS(X)                                                                           \
  X(Constant, "constant", Constant)                                                                \
  X(Neg, "neg", Unary)                                                                             \
  X(Abs, "abs", Unary)                                                                             \
  X(Not, "not", Unary) X(Popcount, "popcount", Unary) X(Clz, "clz", Unary) X(                      \
      Round, "round", Unary) X(RoundAway, "round_away", Unary) X(Floor, "floor", Unary)            \
      X(Ceil, "ceil", Unary) X(Sign, "sign", Unary) X(Sqrt, "sqrt", Math) X(Rsqrt, "rsqrt", Math)  \
          X(Cbrt, "cbrt", Math) X(Exp, "exp", Math) X(Expm1, "expm1", Math) X(Log, "log", Math) X( \
              Log1p, "log1p", Math) X(Sin, "sin", Math) X(Cos, "cos", Math) X(Tan, "tan", Math)    \
              X(Tanh, "tanh", Math) X(Logistic, "logistic", Math) X(Erf, "erf", Math) X(           \
                  Erfc, "erfc", Math) X(ErfInv, "erf_inv", Math) X(Add, "add", Binary)             \
                  X(Sub, "sub", Binary) X(Mul, "mul", Binary) X(Div, "div", Binary) X(             \
                      Rem, "rem", Binary) X(Min, "min", Binary) X(Max, "max", Binary)              \
                      X(And, "and", Binary) X(Or, "or", Binary) X(Xor, "xor", Binary) X(           \
                          Shl, "shl", Binary) X(Shr, "shr", Binary)                                \
                          X(Sar, "sar", Binary) X(Atan2, "atan2", Math2) X(Pow, "pow", Math2) X(   \
                              Eq, "eq",                                                            \
                              Compare) X(Ne, "ne",                                                 \
                                         Compare) X(Lt, "lt", Compare)                             \
                              X(Le, "le", Compare) X(Gt, "gt", Compare) X(Ge, "ge", Compare) X(    \
                                  EqTotal, "eq_total",                                             \
                                  Compare) X(NeTotal, "ne_total",                                  \
                                             Compare) X(LtTotal, "lt_total", Compare)              \
                                  X(LeTotal, "le_total",                                           \
                                    Compare) X(GtTotal, "gt_total",                                \
                                               Compare) X(GeTotal, "ge_total", Compare)            \
                                      X(IsFinite, "is_finite", Test) X(Select, "select", Select)   \
                                          X(Fma, "fma", Fma) X(Convert, "convert", Convert) X(     \
                                              Bitcast, "bitcast",                                  \
                                              Bitcast) X(Iota, "iota", Iota)                       \
                                              X(Broadcast, "broadcast", Broadcast) X(              \
                                                  Shuffle, "shuffle",                              \
                                                  Shuffle) X(Compress, "compress",                 \
                                                             Compress) X(Reduce, "reduce", Reduce) \
                                                  X(Scan, "scan", Scan) X(Load, "load", Load) X(   \
                                                      Store, "store",                              \
                                                      Store) X(Gather, "gather", Gather)           \
                                                      X(Scatter, "scatter", Scatter) X(            \
                                                          For, "for", For)                         \
                                                          X(While, "while", While) X(If, "if", If) \
                                                              X(Sort, "sort_window", Primitive) X( \
                                                                  TopK, "top_k",                   \
                                                                  Primitive) X(SegmentedScan,      \
                                                                               "segmented_scan",   \
                                                                               Primitive)          \
                                                                  X(GatherRows, "gather_rows",     \
                                                                    Primitive) X(ScatterRows,      \
                                                                                 "scatter_rows",   \
                                                                                 Primitive)        \
                                                                      X(ReduceAxes, "reduce_axes", \
                                                                        Primitive)                 \
                                                                          X(ReduceWindow,          \
                                                                            "reduce_window",       \
                                                                            Primitive)             \
                                                                              X(Histogram,         \
                                                                                "histogram",       \
                                                                                Primitive)         \
                                                                                  X(BinarySearch,  \
                                                                                    "binary_"      \
                                                                                    "search",      \
                                                                                    Primitive)

enum class Code : uint8_t {
#define TY_X(code, name, form) code,
  TY_GPSIMD_OPS(TY_X)
#undef TY_X
};
inline constexpr int kCodeCount = static_cast<int>(Code::BinarySearch) + 1;

std::string_view name(Code code);
std::optional<Code> parse_code(std::string_view text);
Form form(Code code);

// Element by element and without effect: what combiners and comparators may consist of.
bool is_elementwise(Code code);
// Values that an operation of this form takes; -1 where it varies.
int arity(Form form);

}  // namespace trainyard::isa::gpsimd
