#include "random_body.h"

#include <fmt/format.h>

#include <random>
#include <vector>

namespace trainyard::check_test {
namespace {

constexpr int kPartitions = 2;

struct Tensor {
  std::string name;
  int width = 1;
  bool psum = false, hbm = false;
  std::string root;  // whose bytes it has: itself, or what it is a view of
};

struct Counter {
  std::string name;
  int most = 1;  // it stays below
};

class Writer {
 public:
  Writer(uint64_t seed, const BodyOptions& options)
      : random_(seed), options_(options), left_(options.statements) {}

  std::string run() {
    text_ = "program random target trn2\n";
    if (options_.control) text_ += "reg n, i, flag\nbounds: hbm i32[2] in\n";
    text_ += "x: hbm f32[2,8] in\ny: hbm f32[2,8] out\n";
    if (options_.control) {
      line("register_load n <- bounds[0]");
      line("register_load flag <- bounds[1]");
    }
    declare();
    while (left_ > 0) block_statement();
    line(fmt::format("dma_copy y[:, 0+:1] <- {}", slice(pick(1, false), 1)));
    return text_;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }

  void line(const std::string& what) {
    text_ += std::string(2 * (depth_ + 1), ' ') + what + "\n";
    --left_;
  }

  // A tensor of the block, written at once.
  void declare() {
    Tensor t{fmt::format("t{}", names_++), 1 << below(3), chance(25), false, ""};
    t.root = t.name;
    if (!t.psum) t.hbm = chance(10);
    text_ += fmt::format("{}{}: {} f32[{},{}]\n", std::string(2 * (depth_ + 1), ' '), t.name,
                         t.psum  ? "psum"
                         : t.hbm ? "hbm"
                                 : "sbuf",
                         kPartitions, t.width);
    if (t.hbm) {
      line(fmt::format("dma_copy {} <- x[:, {}+:{}]", t.name, below(8 - t.width + 1), t.width));
    } else if (t.psum) {
      begin_sum(t);
    } else {
      begin_tile(t);
    }
    tensors_.push_back(t);
    if (t.width > 1 && !t.hbm && chance(20)) declare_view(t);
  }

  void declare_view(const Tensor& of) {
    Tensor t{fmt::format("v{}", names_++), of.width / 2, of.psum, false, of.root};
    text_ += fmt::format("{}{}: {} f32[{},{}] view {} + {}\n", std::string(2 * (depth_ + 1), ' '),
                         t.name, t.psum ? "psum" : "sbuf", kPartitions, t.width, of.name,
                         4 * below(of.width - t.width + 1));
    tensors_.push_back(t);
  }

  void begin_tile(const Tensor& t) {
    switch (below(3)) {
      case 0:
        return line(fmt::format("memset {} value=1.0{}", t.name, chance(30) ? " on gpsimd" : ""));
      case 1:
        return line(
            fmt::format("dma_copy {} <- x[:, {}+:{}]", t.name, below(8 - t.width + 1), t.width));
      default:
        for (int i = 0; i < t.width; ++i)
          line(fmt::format("dma_copy {}[:, {}+:1] <- x[:, {}+:1]", t.name, i, below(8)));
    }
  }

  void begin_sum(const Tensor& t) {
    const Tensor* a = find(2, true);
    const Tensor* b = find(t.width, true);
    if (a == nullptr || b == nullptr || chance(20))
      return line(fmt::format("memset {} value=0.0", t.name));
    if (chance(50)) return line(product(t, *a, *b, "overwrite"));
    const Counter k{fmt::format("k{}", names_++), 1 + below(3)};
    text_ += fmt::format("{}repeat {} {} {{\n", std::string(2 * (depth_ + 1), ' '), k.name, k.most);
    ++depth_;
    counters_.push_back(k);
    line(product(t, *a, *b, "first_write"));
    counters_.pop_back();
    --depth_;
    text_ += std::string(2 * (depth_ + 1), ' ') + "}\n";
  }

  std::string product(const Tensor& t, const Tensor& a, const Tensor& b, const char* how) {
    return fmt::format("nc_matmul {} <- {}, {} {}", t.name, slice(a, 2), slice(b, t.width), how);
  }

  // A visible tensor at least `width` wide; SBUF alone if `sbuf`.
  const Tensor* find(int width, bool sbuf) {
    std::vector<const Tensor*> fit;
    for (const Tensor& t : tensors_) {
      if (t.width >= width && !t.hbm && !(sbuf && t.psum)) fit.push_back(&t);
    }
    return fit.empty() ? nullptr : fit[static_cast<size_t>(below(static_cast<int>(fit.size())))];
  }
  Tensor pick(int width, bool sbuf) {
    const Tensor* t = find(width, sbuf);
    if (t != nullptr) return *t;
    Tensor fresh{fmt::format("t{}", names_++), std::max(2, width), false, false, ""};
    fresh.root = fresh.name;
    text_ += fmt::format("{}{}: sbuf f32[{},{}]\n", std::string(2 * (depth_ + 1), ' '), fresh.name,
                         kPartitions, fresh.width);
    line(fmt::format("memset {} value=2.0", fresh.name));
    tensors_.push_back(fresh);
    return fresh;
  }

  // `width` columns of `rows` partitions of t, by numbers or by counters.
  std::string slice(const Tensor& t, int width, int rows = kPartitions, const char* as = "") {
    const int room = t.width - width + 1;
    std::string columns = fmt::format("{}+:{}", below(room), width);
    if (width == 2 && t.width == 4 && chance(25)) columns = fmt::format("{}+:2:2", below(2));
    if (width == 2 && t.width == 2 && chance(10)) columns = "1+:2:-1";
    if (chance(50)) {
      for (const Counter& c : counters_) {
        if (c.most <= room && chance(60)) columns = fmt::format("{}+:{}", c.name, width);
      }
    }
    if (rows < kPartitions) return fmt::format("{}{}[{}+:1, {}]", t.name, as, below(2), columns);
    if (width == t.width && *as == 0 && chance(60)) return t.name;
    return fmt::format("{}{}[:, {}]", t.name, as, columns);
  }

  void work() {
    const int width = 1 << below(2);
    const int rows = chance(25) ? 1 : kPartitions;
    const Tensor d = pick(width, false);
    const Tensor a = pick(width, d.psum);
    const Tensor b = pick(width, true);
    const auto part = [&](const Tensor& t) { return slice(t, width, rows); };
    switch (below(9)) {
      case 0:
        return line(fmt::format("tensor_copy {} <- {}", part(d), part(a)));
      case 1:
        return line(fmt::format("tensor_tensor {} <- {}, {} op=add", part(d), part(a), part(b)));
      case 2:
        return line(fmt::format("activation {} <- {} op=exp", part(d), part(a)));
      case 3:
        return line(fmt::format("tensor_scalar {} <- {} op0=add operand0={}", part(d), part(a),
                                slice(pick(1, true), 1, rows)));
      case 4: {
        const Tensor to = pick(width, true), from = pick(width, true);
        return line(fmt::format("dma_copy {} <- {}", part(to), part(from)));
      }
      case 5:
        return line(fmt::format("dma_copy {} <- x[:, {}+:{}]", slice(pick(width, true), width),
                                below(8 - width + 1), width));
      case 6:
        return sum_row(d, a, width);
      case 7:
        return line(fmt::format("tensor_copy_predicated {} <- {} src={}", part(d),
                                slice(b, width, rows, ".as(u32)"), part(a)));
      default:
        return transfer_out(width);
    }
  }

  // With the reduce registers; the two results must not meet.
  void sum_row(const Tensor& d, const Tensor& a, int width) {
    const Tensor r = pick(1, true);
    if (r.root == d.root)
      return line(fmt::format("activation {} <- {} op=exp reduce_cmd=reset_reduce", slice(d, width),
                              slice(a, width)));
    line(fmt::format("activation {} <- {} op=exp reduce_cmd={} reduce_res={}", slice(d, width),
                     slice(a, width), chance(50) ? "reduce" : "reset_reduce", slice(r, 1)));
  }

  void transfer_out(int width) {
    for (const Tensor& t : tensors_) {
      if (!t.hbm || t.width < width || !chance(50)) continue;
      const std::string mine = slice(pick(width, true), width);
      if (chance(50)) return line(fmt::format("dma_copy {} <- {}", slice(t, width), mine));
      return line(fmt::format("dma_copy {} <- {}", mine, slice(t, width)));
    }
    line(fmt::format("dma_copy y[:, {}+:{}] <- {}", below(8 - width + 1), width,
                     slice(pick(width, true), width)));
  }

  void block_statement() {
    if (depth_ < 3 && chance(18)) return repeat();
    if (options_.control && depth_ < 3 && chance(12)) return run_time();
    if (chance(25)) return declare();
    work();
  }

  // Opens a block, fills it and forgets what it declares.
  void inside(const std::string& head, const char* tail = "}\n") {
    text_ += std::string(2 * (depth_ + 1), ' ') + head + " {\n";
    ++depth_;
    const size_t visible = tensors_.size();
    for (int n = 1 + below(5); n > 0; --n) block_statement();
    tensors_.resize(visible);
    --depth_;
    text_ += std::string(2 * (depth_ + 1), ' ') + tail;
  }

  void repeat() {
    Counter c{fmt::format("i{}", names_++), 1 + below(4)};
    std::string count = std::to_string(c.most);
    if (!counters_.empty() && chance(25)) {
      const Counter& outer = counters_.back();
      c.most = outer.most;
      count = chance(50) ? outer.name : fmt::format("{}-{}", outer.most, outer.name);
    }
    counters_.push_back(c);
    inside(fmt::format("repeat {} {}", c.name, count));
    counters_.pop_back();
  }

  // A loop without bounds, with work before and behind its exit.
  void endless() {
    text_ += fmt::format("{}loop l{} {{\n", std::string(2 * (depth_ + 1), ' '), names_++);
    ++depth_;
    const size_t visible = tensors_.size();
    if (chance(50)) declare();
    work();
    line("exit_unless n");
    work();
    tensors_.resize(visible);
    --depth_;
    text_ += std::string(2 * (depth_ + 1), ' ') + "}\n";
  }

  void run_time() {
    if (chance(50) && !in_loop_) {
      in_loop_ = true;
      chance(50) ? inside(fmt::format("loop l{} i from 0 to n step 1", names_++)) : endless();
      in_loop_ = false;
      return;
    }
    inside(fmt::format("if b{} flag", names_++), chance(50) ? "}\n" : "} else {\n");
    if (!text_.ends_with("else {\n")) return;
    ++depth_;
    const size_t visible = tensors_.size();
    for (int n = 1 + below(3); n > 0; --n) work();
    tensors_.resize(visible);
    --depth_;
    text_ += std::string(2 * (depth_ + 1), ' ') + "}\n";
  }

  std::mt19937_64 random_;
  BodyOptions options_;
  int left_;
  std::string text_;
  int depth_ = 0, names_ = 0;
  bool in_loop_ = false;
  std::vector<Tensor> tensors_;
  std::vector<Counter> counters_;
};

}  // namespace

std::string random_body(uint64_t seed, const BodyOptions& options) {
  return Writer(seed, options).run();
}

}  // namespace trainyard::check_test
