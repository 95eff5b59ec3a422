// [job.training]: a small transformer, divided in every way that a few GPUs allow.
#include <algorithm>

#include "tests/property/draw.hpp"
#include "tests/property/shape.hpp"

namespace heddle::property {
namespace {

struct Parallel {
  u32 tensor = 1, context = 1, pipeline = 1, data = 1, expert = 1;
  u32 replica() const { return tensor * context * pipeline; }
  u32 ranks() const { return replica() * data; }
};

Parallel draw_parallel(Draw& draw, u32 most) {
  for (;;) {
    Parallel p;
    p.tensor = draw.pick<u32>({1, 1, 2, 2, 4});
    p.context = draw.pick<u32>({1, 1, 1, 2});
    p.pipeline = draw.pick<u32>({1, 1, 2, 2, 3, 4});
    p.data = draw.pick<u32>({1, 2, 2, 3, 4});
    if (p.data % 2 == 0 && draw.percent(40)) p.expert = 2;
    if (p.ranks() >= 2 && p.ranks() <= most) return p;
  }
}

/// Draws GPUs per server such that the ranks of a group are spread evenly over servers.
u32 draw_server(Draw& draw, const Parallel& p) {
  const u32 server = draw.pick<u32>({1, 2, 4});
  const bool even = server % p.tensor == 0 || p.tensor % server == 0;
  const bool whole = p.replica() % server == 0 || server % p.replica() == 0;
  const bool parts = (p.tensor * p.context) % server == 0 || server % (p.tensor * p.context) == 0;
  return even && whole && parts && p.ranks() % server == 0 && p.data % std::max(server / p.replica(), 1u) == 0 ? server
                                                                                                               : 1;
}

/// Writes dimensions for about `packets` packets: data-parallel collectives carry some 10 B per parameter.
void write_model(Draw& draw, const Shape& shape, const Parallel& p, u32 layers, u32 packets, TomlText& toml) {
  toml.word("model", "custom");
  toml.number("layers", layers);
  u64 hidden = 16;
  while (hidden < 128 && 10 * 16 * hidden * hidden * layers * p.data < u64{packets} * shape.mtu_bytes) hidden *= 2;
  toml.number("hidden", hidden);
  toml.number("ffn_hidden", hidden * draw.between(1, 3));
  toml.number("attention_heads", 4);
  toml.number("kv_heads", draw.pick<u64>({1, 2, 4}));
  toml.number("vocabulary", draw.between(1, 64));
  const u64 experts = p.expert * draw.between(1, 2);
  toml.number("experts", experts);
  toml.number("experts_per_token", draw.between(1, experts));
  toml.number("sequence_length", (draw.between(1, 64) + p.context - 1) / p.context * p.context);
}

/// Whether a job's checkpoints are written while it computes, one behind every iteration: so they overlap reads.
bool writes_meanwhile(const Shape& shape) { return Draw(shape.seed, "checkpoints meanwhile").percent(50); }

/// `ranks` GPUs from the first one on; `others`: behind them hosts of the first fabric that the job does not use.
void write_checkpoint(const Shape& shape, u32 ranks, bool others, u32 server, u32 iterations, u32 packets,
                      TomlText& toml) {
  Draw draw(shape.seed, "checkpoints");
  const bool by_another = checkpoints_by_another_fabric(shape) && shape.endpoints % server == 0;
  if (!by_another && (!others || has_given_paths(shape) || !draw.percent(80))) return;
  toml.section("[job.training.checkpoint]");
  const u64 drawn = draw.between(1, iterations), every = writes_meanwhile(shape) ? 1 : drawn,
            hosts = by_another ? 1 : shape.endpoints - ranks;
  toml.number("every", every);
  const u64 most = std::max<u64>(u64{packets} * shape.mtu_bytes / ranks / (iterations / every) / 2, 2);
  if (draw.percent(70)) {
    toml.bytes("bytes_per_gpu", draw.between(1, most));
  } else {
    toml.number("bytes_per_parameter", draw.pick<u64>({1, 2, 14}));
  }
  const bool blocking = draw.percent(50) && !writes_meanwhile(shape);
  toml.flag("blocking", blocking);
  if (!blocking) {
    toml.word("copy_rate", draw.pick({"0.1 GB/s", "50 GB/s", "10 TB/s"}));
    toml.bytes("host_memory", draw.pick<u64>({1'000'000'000, 2'000'000'000'000}));
  }
  if (by_another) {
    toml.word("fabric", "frontend");
  } else {
    toml.number("first_host", ranks);
    toml.number("hosts", hosts);
  }
  toml.word("class", draw.pick({"lossless", "best_effort"}));
  toml.bytes("chunk", std::max<u64>(64, draw.between(most / 8, most)));
  const u64 parts = draw.between(1, std::min<u64>(hosts, 3)), parity = draw.below(parts);
  toml.number("data_parts", parts - parity);
  toml.number("parity_parts", parity);
  toml.number("chunks_at_once", draw.below(4));
}

/// As write_checkpoint(): data to train on, from the same storage servers.
void write_data(const Shape& shape, u32 ranks, bool others, u32 server, u32 iterations, u32 packets, TomlText& toml) {
  Draw draw(shape.seed, "data to train on");
  const bool by_another = checkpoints_by_another_fabric(shape) && shape.endpoints % server == 0;
  if (!by_another && (!others || has_given_paths(shape))) return;
  if (!draw.percent(90)) return;
  toml.section("[job.training.data]");
  const u64 most = std::max<u64>(u64{packets} * shape.mtu_bytes / ranks / iterations / 2, 2);
  if (draw.percent(50)) {
    toml.bytes("bytes_per_gpu", draw.between(1, most));
  } else {
    toml.number("bytes_per_token", draw.pick<u64>({1, 4, 100}));
  }
  toml.flag("prefetch", draw.percent(60));
  if (by_another) {
    toml.word("fabric", "frontend");
  } else {
    toml.number("first_host", ranks);
    toml.number("hosts", shape.endpoints - ranks);
  }
  toml.word("class", draw.pick({"lossless", "best_effort"}));
  toml.bytes("chunk", std::max<u64>(64, draw.between(most / 8, most)));
  if (draw.percent(70)) toml.bytes("request_bytes", draw.between(1, 2 * shape.mtu_bytes));
  if (draw.percent(80)) toml.time_ps("service", draw.pick<u64>({0, 1'000, 777'777, 3'000'000}));
}

}  // namespace

void write_training(Draw& draw, const Shape& shape, bool shared, u32 packets, TomlText& toml) {
  Parallel p = draw_parallel(draw, std::min(shape.endpoints, 16u));
  Draw over_context(shape.seed, "experts over context");
  if (p.context > 1 && over_context.percent(50))
    p.expert = p.context * (p.data % 2 == 0 ? over_context.pick<u32>({1, 2}) : 1);
  const u32 server = draw_server(draw, p);
  toml.section("[[job]]");
  toml.number("gpus", p.ranks());
  toml.number("gpus_per_server", server);
  toml.flag("share_gpus", shared);
  const char* placement = draw.pick({"contiguous", "contiguous", "random"});
  const bool min_cut = Draw(shape.seed, "min_cut").percent(30), contiguous = !min_cut && placement[0] == 'c';
  toml.word("placement", min_cut ? "min_cut" : placement);
  toml.number("qps_per_connection", draw.between(1, 2));
  const char* protocol = draw.pick({"auto", "simple", "ll"});
  const bool nvls =
      server >= 3 * p.tensor * p.context * p.pipeline && p.data > 1 && Draw(shape.seed, "nvls in training").percent(60);
  if (nvls) {
    toml.word("algorithm", "nvls");
    toml.word("gpu", "hopper");
    toml.flag("nvls", true);
  }
  toml.word("protocol", nvls ? "auto" : protocol);
  Draw eager(shape.seed, "eager in training");
  if (eager.percent(30)) toml.bytes("eager", eager.pick<u64>({256, 4096, 1'000'000'000}));
  if (draw.percent(50)) toml.number("channels", draw.between(1, 6));
  Draw by_size(shape.seed, "channels by size");
  toml.bytes("min_channel_bytes", by_size.pick<u64>({0, 1, 1024}));
  toml.number("nics_per_server", by_size.percent(50) ? 0 : by_size.between(1, server));
  toml.word("cross_nic", Draw(shape.seed, "rails of channels").pick({"auto", "yes", "no"}));
  if (draw.percent(50)) toml.bytes("slice", std::max<u64>(shape.mtu_bytes / 16 * 16 * draw.between(1, 8), 16));
  toml.section("[job.training]");
  const u32 chunks = p.pipeline > 1 && draw.percent(40) ? 2 : 1;
  const u32 layers = p.pipeline * chunks + static_cast<u32>(draw.below(3)),
            drawn_iterations = static_cast<u32>(draw.between(1, 3)),
            iterations = writes_meanwhile(shape) ? 3 : drawn_iterations;
  write_model(draw, shape, p, layers, packets / iterations, toml);
  toml.number("tensor_parallel", p.tensor);
  toml.number("context_parallel", p.context);
  toml.number("pipeline_parallel", p.pipeline);
  toml.number("expert_parallel", p.expert);
  const bool either_order = p.tensor * p.context % server == 0;
  toml.word("rank_order", either_order && Draw(shape.seed, "rank_order").percent(50) ? "tp-cp-dp-pp" : "tp-cp-pp-dp");
  toml.number("virtual_stages", chunks);
  toml.number("micro_batches", chunks > 1 ? p.pipeline * draw.between(1, 2) : draw.between(1, 4));
  toml.number("micro_batch_size", draw.between(1, 2));
  const char* drawn = draw.pick({"fsdp", "fsdp", "all_reduce"});
  const std::string data_parallel = nvls ? "all_reduce" : drawn;
  toml.word("data_parallel", data_parallel);
  if (data_parallel == "fsdp") toml.number("prefetch_layers", draw.below(3));
  toml.number("parameter_bytes", draw.pick<u64>({1, 2, 4}));
  toml.number("gradient_bytes", draw.pick<u64>({2, 4}));
  if (draw.percent(70)) {
    toml.time_ps("forward", draw.pick<u64>({1, 100'000, 1'000'000, 3'333'333}));
  } else {
    toml.ratio("peak_tflops", draw.pick<double>({0.5, 10.0, 989.5}));
    toml.ratio("efficiency", draw.pick<double>({0.1, 0.5}));
  }
  Draw timed(shape.seed, "timed in training");
  if (p.replica() > 1 && !nvls && timed.percent(50)) {
    const auto give = [&](const std::string& key) {
      const u64 ps = timed.between(1, 3'000'000);
      toml.time_ps(key, ps);
      Draw vocabulary(shape.seed, key + " of the vocabulary in training");
      if (vocabulary.percent(50)) toml.time_ps(key + "_vocabulary", vocabulary.between(0, ps));
    };
    if (data_parallel == "fsdp") give("gather");
    give("reduce");
  }
  if (draw.percent(60)) toml.ratio("jitter", 0.25 * static_cast<double>(draw.between(1, 8)));
  if (draw.percent(40)) {
    toml.raw("slow_ranks", "[" + std::to_string(draw.below(p.ranks())) + "]");
    toml.ratio("slow_by", 0.5);
  }
  toml.number("iterations", iterations);
  if (draw.percent(30)) toml.time_ps("start", draw.below(5'000'000));
  write_checkpoint(shape, p.ranks(), !shared && contiguous && p.ranks() < shape.endpoints, server, iterations, packets,
                   toml);
  write_data(shape, p.ranks(), !shared && contiguous && p.ranks() < shape.endpoints, server, iterations, packets, toml);
}

}  // namespace heddle::property
