#include "tests/property/contended_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tests/property/draw.hpp"

namespace heddle::property {
namespace {

struct Shape {
  u32 hosts = 8;
  std::string text;
};

Shape draw_shape(u64 seed) {
  Draw draw(seed, "contended fabric");
  if (draw.percent(25)) {
    const u32 hosts = draw.pick<u32>({8, 16, 32});
    return {hosts, fmt::format("[topology]\nkind = \"star\"\nhosts = {}\n", hosts)};
  }
  const u32 racks = draw.pick<u32>({2, 4, 6}), gpus = draw.pick<u32>({8, 16}), uplinks = draw.pick<u32>({4, 8, 16});
  return {
      racks * gpus,
      fmt::format("[topology]\nkind = \"ai_zone\"\nracks = {}\ngpus_per_rack = {}\nctsws = {}\nuplinks_per_rtsw = {}\n",
                  racks, gpus, std::min(uplinks, draw.pick<u32>({2, 4, 8})), uplinks)};
}

std::string settings(u64 seed) {
  Draw draw(seed, "contended settings");
  std::string text = fmt::format("[simulation]\nseed = {}\n[dcqcn]\nenabled = false\n", seed);
  text += fmt::format("[routing]\npolicy = \"{}\"\n", draw.pick({"ecmp", "e_ecmp", "path_pinning"}));
  if (draw.percent(30)) text += fmt::format("[buffer.rtsw]\nbytes = \"{} MB\"\n", draw.pick<u32>({8, 16}));
  if (draw.percent(20)) text += fmt::format("[link]\nhost_rate = \"{} Gb/s\"\n", draw.pick<u32>({100, 200}));
  text +=
      fmt::format("[roce]\nack_every = {}\nack_high_priority = {}\n", draw.pick<u32>({1, 4, 16, 16}), draw.percent(70));
  return text;
}

std::string messages(Draw& draw, u32 hosts) {
  const std::string kind = draw.percent(35) ? fmt::format("kind = \"incast\"\nfan_in = {}\n", draw.pick<u32>({2, 4, 7}))
                                            : std::string("kind = \"permutation\"\n");
  const u32 budget_KiB = 200'000 / hosts;  // of a GPU
  const u32 count = draw.pick<u32>({1, 1, 2, 4});
  return fmt::format("[[generator]]\n{}bytes = \"{} KiB\"\nmessages = {}\n", kind,
                     std::max(budget_KiB / count, 512u) + draw.below(100), count);
}

std::string job(Draw& draw, u32 gpus, u32 first) {
  const char* kind = draw.pick({"all_reduce", "all_reduce", "all_gather", "reduce_scatter", "all_to_all"});
  const bool rings = std::string(kind) != "all_to_all";
  std::string text = fmt::format(
      "[[job]]\ngpus = {}\nfirst_gpu = {}\ngpus_per_server = {}\nqps_per_connection = {}\nqp_scaling = \"{}\"\n", gpus,
      first, std::min(draw.pick<u32>({1, 2, 4, 8}), gpus / 2), draw.pick<u32>({1, 1, 2, 4}),
      draw.pick({"round_robin", "split"}));
  text += rings ? fmt::format("channels = {}\nalgorithm = \"ring\"\nprotocol = \"simple\"\n", draw.pick<u32>({1, 2, 4}))
                : fmt::format("p2p_channels = {}\n", draw.pick<u32>({1, 2}));
  return text + fmt::format("[[job.collective]]\nkind = \"{}\"\nsizes = [\"{} MiB\"]\nrepeat = {}\n", kind,
                            draw.pick<u32>({16, 32, 64}), draw.pick<u32>({1, 2}));
}

}  // namespace

std::string contended_world(u64 seed) {
  const Shape shape = draw_shape(seed);
  const std::string text = settings(seed) + shape.text;
  Draw draw(seed, "contended work");
  const u64 work = draw.below(100);
  if (work < 50) return text + messages(draw, shape.hosts);
  if (work < 75) return text + job(draw, shape.hosts, 0);
  return text + job(draw, shape.hosts / 2, 0) + job(draw, shape.hosts / 2, shape.hosts / 2);
}

}  // namespace heddle::property
