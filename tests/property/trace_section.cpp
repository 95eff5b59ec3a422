// [job.trace]: random schedules and workloads, as files beside the configuration.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/property/draw.hpp"
#include "tests/property/shape.hpp"

namespace heddle::property {
namespace {

/// Draws messages, some of them empty, and computations of a few ranks. Every operation waits only for those drawn
/// before it, so that the schedule can finish; but two ranks may both send, eagerly, before they receive.
std::string draw_schedule(Draw& draw, const Shape& shape, u32 ranks, u32 packets, u64 eager_bytes) {
  std::vector<std::string> text(ranks);
  std::vector<u32> labels(ranks, 0);
  std::map<std::pair<u32, std::string>, u32> last;  // (rank, peer and tag) -> label
  Draw exchanges(shape.seed, "exchanges in a schedule");
  const auto add = [&](u32 rank, const std::string& operation, const std::string& way = "") {
    const u32 own = labels[rank]++;
    text[rank] += "l" + std::to_string(own) + ": " + operation + way + "\n";
    // Messages of one pair and tag are matched in order of arrival: out of order, ranks could wait in a circle.
    const auto [found, is_first] = last.try_emplace({rank, way}, own);
    if (!way.empty() && !is_first)
      text[rank] +=
          "l" + std::to_string(own) + " requires l" + std::to_string(std::exchange(found->second, own)) + "\n";
    for (u32 waits = own == 0 ? 0 : static_cast<u32>(draw.below(3)); waits > 0; --waits)
      text[rank] += "l" + std::to_string(own) + " requires l" + std::to_string(draw.below(own)) + "\n";
  };
  const u64 steps = draw.between(1, 20), max_bytes = std::max<u64>(packets / steps, 1) * shape.mtu_bytes;
  for (u64 step = 0; step < steps; ++step) {
    const u32 src = static_cast<u32>(draw.below(ranks));
    if (step != 0 && draw.percent(30)) {
      add(src, "calc " + std::to_string(draw.below(3000)) + " cpu " + std::to_string(draw.below(2)));
      continue;
    }
    const u32 dst = (src + 1 + static_cast<u32>(draw.below(ranks - 1))) % ranks;
    const std::string size = std::to_string(draw.percent(10) ? 0 : draw.between(1, max_bytes)) + "b ",
                      tag = " tag " + std::to_string(draw.below(2));
    add(src, "send " + size, "to " + std::to_string(dst) + tag);
    const bool answers = exchanges.percent(30), waits = exchanges.percent(70);
    if (!answers) {
      add(dst, "recv " + size, "from " + std::to_string(src) + tag);
      continue;
    }
    const std::string eager = std::to_string(exchanges.between(0, std::min(max_bytes, eager_bytes))) + "b ";
    add(dst, "send " + eager, "to " + std::to_string(src) + tag);
    const u32 sent = labels[dst] - 1;
    add(dst, "recv " + size, "from " + std::to_string(src) + tag);
    if (waits) text[dst] += "l" + std::to_string(sent + 1) + " requires l" + std::to_string(sent) + "\n";
    add(src, "recv " + eager, "from " + std::to_string(dst) + tag);
  }
  std::string all = "num_ranks " + std::to_string(ranks) + "\n";
  for (u32 rank = 0; rank < ranks; ++rank) all += "rank " + std::to_string(rank) + " {\n" + text[rank] + "}\n";
  return all;
}

/// Draws layers of ranks in tensor- and expert-parallel groups.
std::string draw_workload(Draw& draw, const Shape& shape, u32 tensors, u32 experts, u32 packets) {
  const u64 layers = draw.between(1, 3), max_bytes = std::max<u64>(packets / (layers * 16), 1) * shape.mtu_bytes;
  const auto pass = [&](bool gradients = false) {
    // A file in which no rank sends is refused; gradients have at least two ranks.
    const std::string kind =
        gradients ? draw.pick({"ALLREDUCE", "ALLGATHER", "REDUCESCATTER"})
                  : draw.pick({"NONE", "ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL_EP", "ALLGATHER_DP_EP"});
    return std::to_string(draw.below(2000)) + "\t" + kind + "\t" +
           (kind == "NONE" ? "0" : std::to_string(draw.between(1, max_bytes))) + "\t";
  };
  std::string text = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: " + std::to_string(tensors) +
                     " ep: " + std::to_string(experts) + " checkpoints: 0\n" + std::to_string(layers) + "\n";
  for (u64 layer = 0; layer < layers; ++layer)
    text += "layer\t-1\t" + pass() + pass() + pass(layer == 0) + std::to_string(draw.below(3) * 500) + "\n";
  return text;
}

}  // namespace

void write_trace(Draw& draw, const Shape& shape, bool shared, u32 packets, TomlText& toml) {
  const u32 most = std::min(shape.endpoints, 16u);
  const bool layers = most >= 4 && draw.percent(40);
  const u32 tensors = draw.pick<u32>({1, 2}), experts = draw.pick<u32>({1, 2});
  u32 ranks = layers ? 4 * static_cast<u32>(draw.between(1, most / 4)) : static_cast<u32>(draw.between(2, most));
  ranks -= ranks % shape.server_gpus(1);
  toml.section("[[job]]");
  toml.number("gpus", ranks);
  toml.number("gpus_per_server", shape.server_gpus(ranks % 2 == 0 ? draw.pick<u32>({1, 2}) : 1));
  toml.flag("share_gpus", shared);
  toml.word("protocol", draw.pick({"auto", "simple", "ll"}));
  toml.number("qps_per_connection", draw.between(1, 2));
  toml.section("[job.trace]");
  const u32 iterations = static_cast<u32>(draw.between(1, 2));
  toml.number("iterations", iterations);
  toml.ratio("compute_scale", draw.pick<double>({1.0, 0.5, 3.0}));
  if (draw.percent(30)) toml.time_ps("start", draw.below(5'000'000));
  toml.word("format", layers ? "simai" : "goal");
  const u64 eager_bytes = Draw(shape.seed, "eager sends").pick<u64>({0, shape.mtu_bytes, 65'535, 1'000'000'000});
  if (!layers) toml.bytes("eager_limit", eager_bytes);
  if (layers) {
    toml.file("file", ".layers.txt", draw_workload(draw, shape, tensors, experts, packets / iterations));
  } else {
    const std::string sends = draw_schedule(draw, shape, ranks, packets / iterations, eager_bytes);
    toml.file("file", ".goal", sends);
  }
}

}  // namespace heddle::property
