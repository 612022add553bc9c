// Programs, blocks, declarations and control statements.
#include <utility>

#include "isa/gpsimd/text.h"
#include "isa/gpsimd/verify.h"
#include "isa/subscript.h"
#include "isa/text/statements.h"
#include "isa/text/text.h"
#include "isa/text/values.h"

namespace trainyard::isa {
namespace text {
namespace {

// Memory of a GpSimd program per byte of its text: an operation takes few letters.
constexpr size_t kGpsimdBytesPerByte = 64;
constexpr gpsimd::Limits kNoLimits = {
    .strip = gpsimd::kMostStrip, .working_bytes = kMaxExtent, .scratch_bytes = kMaxExtent};

class Parser {
 public:
  Parser(std::string_view text, std::string file) : c_(text, file) {
    c_.program.files.push_back(std::move(file));
  }

  Result<Program> run() {
    read_header();
    c_.program.body = read_block({});
    if (c_.in.ok() && !c_.in.at_end()) c_.in.fail_expected("a statement");
    c_.in.finish();
    name_unlabelled();
    resolve_edges();
    if (!c_.in.ok()) return c_.in.status();
    return std::move(c_.program);
  }

 private:
  // Where a block stands. `exits` counts the exit_unless of a run-time loop without bounds; null
  // where none may stand.
  struct Where {
    int depth = 0;
    int* exits = nullptr;
  };

  void read_header();
  Block read_block(Where where);
  Block read_braced(Where where);
  bool read_statement(Block& block, Where where);
  void read_names(NameKind kind, std::vector<std::string>& into);
  void read_gpsimd();
  void read_tensor(Block& block, const Token& name);
  std::vector<int64_t> read_shape(Memory memory, Dtype dtype);
  void read_inst(Block& block, const Token* label);
  void read_repeat(Block& block, Where where);
  void read_loop(Block& block, Where where);
  void read_branch(Block& block, Where where);
  void read_exit(Block& block, Where where);
  void read_trips(Trips& trips);
  LoopId add_loop(Loop loop);
  void name_unlabelled();
  void resolve_edges();

  Context c_;
};

void Parser::read_header() {
  Reader& in = c_.in;
  in.expect("program");
  c_.program.name = in.name("the program's name").spelled();
  if (in.at_word("target")) {
    in.take();
    c_.program.target = in.name("a target").spelled();
  }
  if (in.at_word("placed")) {
    in.take();
    c_.program.placement.complete = true;
  }
}

Block Parser::read_block(Where where) {
  Block block;
  if (where.depth > kMaxDepth) {
    c_.in.fail("TY-TXT-011",
               fmt::format("blocks are nested more than {} deep; join or unroll some", kMaxDepth));
    return block;
  }
  const size_t first_tensor = c_.program.tensors.size();
  while (c_.in.ok() && !c_.in.at_end() && !c_.in.peek().is("}")) {
    if (!read_statement(block, where)) break;
  }
  for (size_t t = first_tensor; t < c_.tensor_open.size(); ++t) c_.tensor_open[t] = false;
  return block;
}

Block Parser::read_braced(Where where) {
  c_.in.expect("{");
  ++where.depth;
  Block block = read_block(where);
  if (!c_.in.accept("}")) c_.in.fail_expected("a statement or '}'");
  return block;
}

bool Parser::read_statement(Block& block, Where where) {
  Reader& in = c_.in;
  if (in.at_label()) {
    const Token name = in.take();
    in.take();
    const bool is_tensor = in.peek().is("hbm") || in.peek().is("sbuf") || in.peek().is("psum");
    is_tensor ? read_tensor(block, name) : read_inst(block, &name);
  } else if (in.accept("repeat")) {
    read_repeat(block, where);
  } else if (in.accept("loop")) {
    read_loop(block, where);
  } else if (in.accept("if")) {
    read_branch(block, where);
  } else if (in.peek().is("exit_unless")) {
    read_exit(block, where);
  } else if (in.accept("reg")) {
    read_names(NameKind::Register, c_.program.registers);
  } else if (in.accept("semaphore")) {
    read_names(NameKind::Semaphore, c_.program.semaphores);
  } else if (in.peek().is("gpsimd")) {
    read_gpsimd();
  } else if (in.peek().kind == Token::Kind::Name) {
    read_inst(block, nullptr);
  } else {
    in.fail_expected("a statement");
  }
  return in.ok() && in.spend(sizeof(Statement));
}

void Parser::read_names(NameKind kind, std::vector<std::string>& into) {
  do {
    if (!c_.in.spend(4 * sizeof(std::string))) return;
    into.push_back(c_.declare(kind, static_cast<int32_t>(into.size())));
  } while (c_.in.accept(","));
}

// A program of the GpSimd engine has its own grammar: its text ends with the brace that closes it.
void Parser::read_gpsimd() {
  Reader& in = c_.in;
  const Token begin = in.peek();
  const Token name = in.peek_second();
  const char* end = nullptr;
  for (int depth = 0; end == nullptr || depth > 0;) {
    if (!in.ok() || in.at_end()) return in.fail_expected("'}'");
    const Token token = in.take();
    if (token.is("{")) ++depth;
    const bool closes = token.is("}") && --depth <= 0;
    if (closes) end = token.text.data() + token.text.size();
  }
  const std::string_view text(begin.text.data(), static_cast<size_t>(end - begin.text.data()));
  if (!in.spend(kGpsimdBytesPerByte * text.size())) return;
  Result<gpsimd::Program> program = gpsimd::parse_text(text, "", begin.line);
  if (!program.ok()) return in.fail_at(begin, program.status());
  // What follows (the printer, too) relies on a program that is whole; the core's limits come
  // later.
  const Status whole = gpsimd::verify(*program, kNoLimits);
  if (!whole.ok()) return in.fail_at(begin, whole);
  const auto id = static_cast<int32_t>(c_.program.gpsimd.size());
  if (!c_.gpsimd_programs.emplace(program->name, id).second) {
    return in.fail_at(
        name, "TY-TXT-004",
        fmt::format("the name '{}' is taken; names are unique in a program", shown(program->name)));
  }
  c_.program.gpsimd.push_back(std::move(*program));
}

std::vector<int64_t> Parser::read_shape(Memory memory, Dtype dtype) {
  std::vector<int64_t> shape;
  const Token at = c_.in.peek();
  c_.in.expect("[");
  int64_t bytes = numerics::size_of(dtype);
  if (!c_.in.peek().is("]")) {
    do {
      const int64_t n = c_.in.integer("an axis", 1, kMaxExtent);
      if (shape.size() == kMaxAxes || bytes > kMaxExtent / n) {
        c_.in.fail_at(at, "TY-TXT-011",
                      fmt::format("a tensor has at most {} axes and {} bytes; split it", kMaxAxes,
                                  kMaxExtent));
        return {1};
      }
      bytes *= n;
      shape.push_back(n);
    } while (c_.in.accept(","));
  }
  if (!c_.in.accept("]")) c_.in.fail_expected("',' or ']'");
  if (shape.empty() && memory != Memory::Hbm) {
    c_.in.fail_at(at, "TY-TXT-006", "an on-chip tensor has at least one axis, its partitions");
  }
  return shape;
}

void Parser::read_tensor(Block& block, const Token& name) {
  Reader& in = c_.in;
  if (!in.spend(2 * sizeof(Tensor) + sizeof(TensorPlace))) return;
  Tensor tensor{.name = std::string(name.spelled()), .source = {0, name.line, name.column}};
  tensor.memory = in.accept("hbm")    ? Memory::Hbm
                  : in.accept("sbuf") ? Memory::Sbuf
                                      : (in.expect("psum"), Memory::Psum);
  tensor.dtype = read_dtype(c_);
  tensor.shape = read_shape(tensor.memory, tensor.dtype);
  for (const Io io : {Io::In, Io::Out, Io::InOut}) {
    if (!in.at_word(isa::name(io))) continue;
    in.take();
    tensor.io = io;
    break;
  }
  if (in.at_word("view")) {
    in.take();
    const TensorId base = c_.tensor();
    const int64_t offset = in.accept("+") ? in.integer("a view's offset", 0, kMaxExtent) : 0;
    tensor.view = Tensor::View{base, offset};
  }
  TensorPlace place;
  if (in.accept("@")) place = read_tensor_place(c_, tensor.memory);
  const auto id = static_cast<TensorId>(c_.program.tensors.size());
  c_.declare(NameKind::Tensor, name, id);
  c_.program.tensors.push_back(std::move(tensor));
  c_.program.placement.tensors.push_back(place);
  c_.tensor_open.push_back(true);
  block.push_back({Statement::Kind::Tensor, id});
}

void Parser::read_inst(Block& block, const Token* label) {
  Reader& in = c_.in;
  const auto id = static_cast<InstId>(c_.program.insts.size());
  // Twice: vectors grow by doubling, and the label has a second copy in the index.
  if (!in.spend(2 * (sizeof(Inst) + sizeof(InstPlace)))) return;
  Inst inst;
  inst.source = in.source();
  if (label != nullptr) {
    inst.label = label->spelled();
    c_.declare(NameKind::Label, *label, id);
    inst.source = {0, label->line, label->column};
  }
  inst.op = read_instruction(c_);
  if (in.at_word("on")) {
    in.take();
    inst.engine = read_engine(c_);
  }
  InstPlace place;
  if (in.accept("@")) place = read_inst_place(c_, id);
  c_.program.insts.push_back(std::move(inst));
  c_.program.placement.insts.push_back(std::move(place));
  block.push_back({Statement::Kind::Instruction, id});
}

LoopId Parser::add_loop(Loop loop) {
  c_.in.spend(2 * sizeof(Loop));
  c_.program.loops.push_back(std::move(loop));
  c_.loop_open.push_back(false);
  return static_cast<LoopId>(c_.program.loops.size()) - 1;
}

void Parser::read_repeat(Block& block, Where where) {
  Loop loop{.kind = Loop::Kind::Repeat, .source = c_.in.source()};
  const Token name = c_.in.name("the name of a counter");
  loop.name = name.spelled();
  const Token at = c_.in.peek();
  loop.count = read_affine(c_);
  if (loop.count.has_register()) {
    c_.in.fail_at(at, "TY-TXT-009",
                  "the count of a repeat has a register; a run-time count needs "
                  "`loop NAME r from 0 to COUNT`");
  }
  const LoopId id = add_loop(std::move(loop));
  c_.declare(NameKind::Loop, name, id);
  c_.loop_open[id] = true;
  Block body = read_braced({.depth = where.depth, .exits = nullptr});
  c_.loop_open[id] = false;
  c_.program.loops[id].body = std::move(body);
  block.push_back({Statement::Kind::Loop, id});
}

void Parser::read_trips(Trips& trips) {
  Reader& in = c_.in;
  in.expect("(");
  do {
    const Token key = in.name("min, expected or max");
    std::optional<int64_t>* const value = key.spelled() == "min"        ? &trips.min
                                          : key.spelled() == "expected" ? &trips.expected
                                          : key.spelled() == "max"      ? &trips.max
                                                                        : nullptr;
    if (!in.ok()) return;
    if (value == nullptr || value->has_value()) {
      in.fail_at(
          key, "TY-TXT-008",
          fmt::format("'{}': trips has min, expected and max, each once", shown(key.spelled())));
      return;
    }
    in.expect("=");
    *value = in.integer("a number of trips", 0, kMaxExtent);
  } while (in.accept(","));
  if (!in.accept(")")) in.fail_expected("',' or ')'");
}

void Parser::read_loop(Block& block, Where where) {
  Reader& in = c_.in;
  Loop loop{.kind = Loop::Kind::While, .source = in.source()};
  const Token name = in.name("the name of a loop");
  loop.name = name.spelled();
  if (in.peek().is("trips") && in.peek_second().is("(")) {
    in.take();
    read_trips(loop.trips);
  }
  if (in.peek().is_name()) {
    loop.kind = Loop::Kind::Counted;
    loop.counter = c_.reg();
    in.expect("from");
    loop.from = read_register_operand(c_);
    in.expect("to");
    loop.to = read_register_operand(c_);
    if (in.accept("step")) loop.step = in.integer("a step", 1, kMaxExtent);
  }
  const bool is_counted = loop.kind == Loop::Kind::Counted;
  const LoopId id = add_loop(std::move(loop));
  c_.declare(NameKind::Loop, name, id);
  int exits = 0;
  Block body = read_braced({.depth = where.depth, .exits = is_counted ? nullptr : &exits});
  if (!is_counted && exits == 0 && in.ok()) {
    in.fail_at(
        name, "TY-TXT-010",
        fmt::format("the loop '{}' has neither bounds nor an exit_unless; it would never end",
                    shown(name.spelled())));
  }
  c_.program.loops[id].body = std::move(body);
  block.push_back({Statement::Kind::Loop, id});
}

void Parser::read_branch(Block& block, Where where) {
  Reader& in = c_.in;
  if (!in.spend(2 * sizeof(Branch))) return;
  const auto id = static_cast<BranchId>(c_.program.branches.size());
  const SourceRef source = in.source();
  Branch branch;
  branch.name = c_.declare(NameKind::Branch, id);
  branch.source = source;
  branch.condition = c_.reg();
  if (in.accept("taken")) {
    in.expect("=");
    branch.taken.expected = in.integer("taken", 0, 1);
  }
  c_.program.branches.push_back(std::move(branch));
  Block then_block = read_braced({.depth = where.depth, .exits = nullptr});
  Block else_block;
  if (in.accept("else")) else_block = read_braced({.depth = where.depth, .exits = nullptr});
  c_.program.branches[id].then_block = std::move(then_block);
  c_.program.branches[id].else_block = std::move(else_block);
  block.push_back({Statement::Kind::Branch, id});
}

void Parser::read_exit(Block& block, Where where) {
  const Token at = c_.in.take();
  const RegisterId condition = c_.reg();
  block.push_back({Statement::Kind::ExitUnless, condition});
  if (!c_.in.ok()) return;
  if (where.exits == nullptr) {
    c_.in.fail_at(at, "TY-TXT-010",
                  "exit_unless stands among the statements of a `loop` without bounds, not deeper "
                  "and nowhere else");
  } else if (++*where.exits > 1) {
    c_.in.fail_at(at, "TY-TXT-010", "a loop has one exit_unless; this is the second");
  }
}

void Parser::name_unlabelled() {
  std::map<std::string_view, int> next;  // of each instruction
  for (size_t i = 0; i < c_.program.insts.size() && c_.in.ok(); ++i) {
    Inst& inst = c_.program.insts[i];
    if (!inst.label.empty()) continue;
    const std::string_view op = name(inst.op);
    int& k = next[op];
    do {
      inst.label = fmt::format("{}_{}", op, k++);
    } while (!c_.labels.emplace(inst.label, static_cast<int32_t>(i)).second);
  }
}

void Parser::resolve_edges() {
  for (const Context::Pending& p : c_.pending) {
    if (!c_.in.ok()) return;
    const auto it = c_.labels.find(p.label.spelled());
    if (it == c_.labels.end()) {
      c_.fail_unknown(p.label, "labelled instruction", c_.labels);
    } else {
      c_.program.placement.insts[p.waiter].after[p.edge].producer = it->second;
    }
  }
}

}  // namespace
}  // namespace text

Result<Program> parse_text(std::string_view text, std::string file_name) {
  if (text.size() > text::kMaxTextBytes) {
    return Status("TY-TXT-011",
                  fmt::format("the text has {} bytes, at most {}; split it or use `repeat`",
                              text.size(), text::kMaxTextBytes),
                  {file_name, 1, 1});
  }
  return text::Parser(text, std::move(file_name)).run();
}

}  // namespace trainyard::isa
