#include "cluster/training/layer_kernels.h"

#include <algorithm>

namespace trainyard::cluster {
namespace {

// Vector and scalar passes over each element, and bytes to and from memory, of element-wise work in
// 16-bit formats. Bytes count each tensor once per kernel: x in, y out. [cluster 12.2]
struct PassCost {
  double vector, scalar, bytes;
};
constexpr PassCost kNormForward = {3, 1, 4};
constexpr PassCost kNormBackward = {10, 1, 8};
constexpr PassCost kRope = {3, 0, 4};
constexpr PassCost kResidual = {1, 0, 6};
constexpr PassCost kDropout = {3, 0, 4};  // random numbers, mask, scale; the mask is kept
constexpr PassCost kGeluForward = {1, 1, 4};
constexpr PassCost kGeluBackward = {8, 1, 6};
constexpr PassCost kGatedForward = {2, 1, 6};
constexpr PassCost kGatedBackward = {8, 1, 10};
constexpr PassCost kLossForward = {3, 1, 8};  // fp32 logits: largest, exponential, sum
constexpr PassCost kLossBackward = {2, 1, 6};
constexpr PassCost kConvForward = {2, 1, 8};  // batch norm and activation
constexpr PassCost kConvBackward = {6, 1, 12};

Kernel pass(std::string_view name, double elements, const PassCost& cost) {
  return {.kind = KernelKind::Pass,
          .name = name,
          .elements = elements,
          .vector = cost.vector,
          .scalar = cost.scalar,
          .bytes = cost.bytes};
}

struct Product {
  std::string_view forward, dgrad, wgrad;
  double m, k, n, count = 1;
};

Kernel gemm(std::string_view name, const Shard& s, double m, double k, double n, double count) {
  return {.kind = KernelKind::Gemm,
          .name = name,
          .compute = s.precision.compute,
          .count = count,
          .m = m,
          .k = k,
          .n = n,
          .in_bytes = s.precision.compute == Compute::Fp8    ? 1.0
                      : s.precision.compute == Compute::Half ? 2.0
                                                             : 4.0};
}

Kernel forward(const Product& p, const Shard& s) {
  return gemm(p.forward, s, p.m, p.k, p.n, p.count);
}

// dx = dy w', dw = x' dy. The contraction of the second runs over the tokens.
void backward(const Product& p, const Shard& s, KernelList& list) {
  list.add(gemm(p.dgrad, s, p.m, p.n, p.k, p.count));
  Kernel weights = gemm(p.wgrad, s, p.k, p.m, p.n, p.count);
  weights.out_bytes = s.precision.gradient * (s.accumulates ? 2 : 1);
  list.add(weights);
}

// Sizes of a transformer layer on one rank.
struct BlockShard {
  double tokens, norm_tokens, heads, q, kv, ffn;
  double experts, expert_tokens;  // local experts, and tokens of each

  BlockShard(const Block& b, const Shard& s) {
    const double sequence = b.sequence > 0 ? static_cast<double>(b.sequence) : s.sequence;
    tokens = s.sequences * sequence / s.cp;
    norm_tokens = s.sequence_parallel ? tokens / s.tp : tokens;
    heads = static_cast<double>(b.heads) / s.tp;
    q = heads * b.head_dim;
    kv = std::max(static_cast<double>(b.kv_heads) / s.tp, 1.0) * b.head_dim;
    ffn = static_cast<double>(b.ffn) / s.tp;
    experts = b.experts > 0 ? static_cast<double>(b.experts) / s.ep : 1;
    expert_tokens = b.experts > 0 ? tokens * b.top_k / experts : tokens;
  }
};

Product qkv(const Block& b, const BlockShard& z) {
  return {"qkv", "qkv dgrad", "qkv wgrad", z.tokens, static_cast<double>(b.hidden), z.q + 2 * z.kv};
}
Product attention_out(const Block& b, const BlockShard& z) {
  return {"out", "out dgrad", "out wgrad", z.tokens, z.q, static_cast<double>(b.hidden)};
}
Product up(const Block& b, const BlockShard& z) {
  return {"up",
          "up dgrad",
          "up wgrad",
          z.expert_tokens,
          static_cast<double>(b.hidden),
          z.ffn * (b.gated ? 2 : 1),
          z.experts};
}
Product down(const Block& b, const BlockShard& z) {
  return {"down",          "down dgrad", "down wgrad",
          z.expert_tokens, z.ffn,        static_cast<double>(b.hidden),
          z.experts};
}
Product router(const Block& b, const BlockShard& z) {
  return {"router",
          "router dgrad",
          "router wgrad",
          z.tokens,
          static_cast<double>(b.hidden),
          static_cast<double>(b.experts)};
}

Kernel attention(const Block& b, const BlockShard& z, const Shard& s, bool is_backward) {
  const double sequence = b.sequence > 0 ? static_cast<double>(b.sequence) : s.sequence;
  const double keys = b.window > 0 ? std::min<double>(sequence, b.window) : sequence;
  return {.kind = KernelKind::Attention,
          .name = is_backward ? "attention backward" : "attention",
          .heads = z.heads * s.sequences,
          .queries = sequence / s.cp,
          .keys = keys,
          .head_dim = static_cast<double>(b.head_dim),
          .visible = b.causal ? 1 - 0.5 * keys / sequence : 1.0,
          .flash = s.flash,
          .fused = s.fused,
          .backward = is_backward,
          .dropout = b.dropout};
}

KernelList block_forward(const Block& b, const Shard& s) {
  const BlockShard z(b, s);
  const double hidden = z.norm_tokens * b.hidden;
  KernelList list;
  for (int i = 0; i < (b.cross ? 2 : 1); ++i) {
    list.add(pass("norm", hidden, kNormForward));
    list.add(forward(qkv(b, z), s));
    if (b.rope) list.add(pass("rope", z.tokens * (z.q + z.kv), kRope));
    list.add(attention(b, z, s, false));
    list.add(forward(attention_out(b, z), s));
    if (b.dropout) list.add(pass("dropout", hidden, kDropout));
    list.add(pass("residual", hidden, kResidual));
  }
  list.add(pass("norm", hidden, kNormForward));
  if (b.experts > 0) list.add(forward(router(b, z), s));
  list.add(forward(up(b, z), s));
  const double mlp = z.expert_tokens * z.experts * z.ffn;
  list.add(pass("activation", mlp, b.gated ? kGatedForward : kGeluForward));
  list.add(forward(down(b, z), s));
  if (b.dropout) list.add(pass("dropout", hidden, kDropout));
  list.add(pass("residual", hidden, kResidual));
  return list;
}

KernelList block_backward(const Block& b, const Shard& s) {
  const BlockShard z(b, s);
  const double hidden = z.norm_tokens * b.hidden;
  KernelList list;
  backward(down(b, z), s, list);
  const double mlp = z.expert_tokens * z.experts * z.ffn;
  list.add(pass("activation backward", mlp, b.gated ? kGatedBackward : kGeluBackward));
  backward(up(b, z), s, list);
  if (b.experts > 0) backward(router(b, z), s, list);
  list.add(pass("norm backward", hidden, kNormBackward));
  if (b.dropout) list.add(pass("dropout backward", 2 * hidden, kResidual));
  for (int i = 0; i < (b.cross ? 2 : 1); ++i) {
    backward(attention_out(b, z), s, list);
    list.add(attention(b, z, s, true));
    if (b.rope) list.add(pass("rope backward", z.tokens * (z.q + z.kv), kRope));
    backward(qkv(b, z), s, list);
    list.add(pass("norm backward", hidden, kNormBackward));
  }
  return list;
}

Product conv_product(const Conv& c, const Shard& s) {
  const auto groups = static_cast<double>(c.groups);
  return {"conv",
          "conv dgrad",
          "conv wgrad",
          s.sequences * c.out_rows * c.out_cols,
          static_cast<double>(c.in * c.kernel * c.kernel) / groups,
          static_cast<double>(c.out) / groups,
          groups};
}

Product dense_product(const Dense& d, const Shard& s) {
  return {"dense",
          "dense dgrad",
          "dense wgrad",
          s.sequences * d.rows,
          static_cast<double>(d.in),
          static_cast<double>(d.out) / s.tp};
}

// Rows gathered from a table, or scattered back: 16-bit, in and out.
Kernel lookup(const Table& t, const Shard& s, std::string_view name) {
  return {.kind = KernelKind::Pass,
          .name = name,
          .elements = s.sequences * t.lookups * t.width / s.tp,
          .vector = 1,
          .bytes = 4,
          .resident = true};
}

double tokens_of(const Model& model, const Shard& s) {
  return s.sequences *
         (model.fixed_sequence > 0 ? static_cast<double>(model.fixed_sequence) : s.sequence) / s.cp;
}

Product head_product(const Model& model, const Shard& s) {
  const double rows =
      model.head == Head::Classifier ? s.sequences : tokens_of(model, s) * model.head_positions;
  const double hidden = static_cast<double>(hidden_size(model));
  return {"head", "head dgrad", "head wgrad", rows, hidden, head_parameters(model) / hidden / s.tp};
}

}  // namespace

KernelList forward_kernels(const Layer& layer, const Shard& s) {
  if (const auto* block = std::get_if<Block>(&layer)) return block_forward(*block, s);
  KernelList list;
  if (const auto* conv = std::get_if<Conv>(&layer)) {
    const Product p = conv_product(*conv, s);
    list.add(forward(p, s));
    list.add(pass("norm", p.m * static_cast<double>(conv->out), kConvForward));
  } else if (const auto* dense = std::get_if<Dense>(&layer)) {
    const Product p = dense_product(*dense, s);
    list.add(forward(p, s));
    list.add(pass("activation", p.m * p.n, kGeluForward));
  } else {
    list.add(lookup(std::get<Table>(layer), s, "lookup"));
  }
  return list;
}

KernelList backward_kernels(const Layer& layer, const Shard& s) {
  if (const auto* block = std::get_if<Block>(&layer)) return block_backward(*block, s);
  KernelList list;
  if (const auto* conv = std::get_if<Conv>(&layer)) {
    const Product p = conv_product(*conv, s);
    list.add(pass("norm backward", p.m * static_cast<double>(conv->out), kConvBackward));
    backward(p, s, list);
  } else if (const auto* dense = std::get_if<Dense>(&layer)) {
    const Product p = dense_product(*dense, s);
    list.add(pass("activation backward", p.m * p.n, kGeluForward));
    backward(p, s, list);
  } else {
    list.add(lookup(std::get<Table>(layer), s, "scatter"));
  }
  return list;
}

KernelList embedding_kernels(const Model& model, const Shard& s) {
  KernelList list;
  if (model.vocab == 0) return list;
  const double cells = tokens_of(model, s) * static_cast<double>(hidden_size(model));
  list.add(pass("embedding", cells, kResidual));
  list.add(pass("embedding backward", cells, kResidual));
  return list;
}

KernelList head_forward_kernels(const Model& model, const Shard& s) {
  KernelList list;
  if (model.head == Head::None) return list;
  const Product p = head_product(model, s);
  list.add(forward(p, s));
  list.add(pass("loss", p.m * p.n, kLossForward));
  return list;
}

KernelList head_backward_kernels(const Model& model, const Shard& s) {
  KernelList list;
  if (model.head == Head::None) return list;
  const Product p = head_product(model, s);
  list.add(pass("loss backward", p.m * p.n, kLossBackward));
  backward(p, s, list);
  return list;
}

Kernel optimizer_kernel(double weights, const Precision& p, Optimizer optimizer) {
  // Each state is read and written, the gradient read, the 16-bit copy written.
  const double state = p.master > 0 ? p.master : p.weight;
  const double bytes =
      2 * (state + moments(optimizer) * p.moment) + p.gradient + (p.master > 0 ? p.weight : 0);
  // LAMB reads weight and update again for its norms.
  const double norms = optimizer == Optimizer::Lamb ? state + p.moment : 0;
  return {.kind = KernelKind::Pass,
          .name = "optimizer",
          .elements = weights,
          .vector = 10,
          .scalar = 2,
          .bytes = bytes + norms,
          .resident = true};
}

}  // namespace trainyard::cluster
