#include "tests/property/repeating_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tests/property/draw.hpp"

namespace heddle::property {
namespace {

struct Shape {
  u32 hosts = 8, racks = 1;
  std::string text;
};

Shape draw_shape(u64 seed) {
  Draw draw(seed, "repeating fabric");
  Shape shape;
  if (draw.percent(40)) {
    shape.hosts = draw.pick<u32>({2, 4, 8, 16});
    shape.text = fmt::format("[topology]\nkind = \"star\"\nhosts = {}\n", shape.hosts);
  } else {
    const u32 racks = draw.pick<u32>({2, 2, 3}), gpus = draw.pick<u32>({4, 8}), uplinks = draw.pick<u32>({2, 4, 8});
    shape.hosts = racks * gpus;
    shape.racks = racks;
    shape.text = fmt::format(
        "[topology]\nkind = \"ai_zone\"\nracks = {}\ngpus_per_rack = {}\nctsws = {}\nuplinks_per_rtsw = {}\n", racks,
        gpus, std::min(uplinks, draw.pick<u32>({1, 2, 4})), uplinks);
  }
  return shape;
}

std::string fabric_settings(u64 seed) {
  Draw draw(seed, "repeating settings");
  std::string text = fmt::format("[simulation]\nseed = {}\n", seed);
  const std::string policy =
      draw.pick({"path_pinning", "path_pinning", "path_pinning", "e_ecmp", "ecmp", "traffic_engineering", "spray"});
  text += fmt::format("[routing]\npolicy = \"{}\"\n", policy);
  text += fmt::format("[dcqcn]\nenabled = {}\n", draw.percent(20));
  if (draw.percent(30)) text += "[ecn]\nkmin = \"20 KB\"\nkmax = \"200 KB\"\n";
  if (draw.percent(30)) text += fmt::format("[buffer.rtsw]\nbytes = \"{} MB\"\n", draw.pick<u32>({5, 8, 16}));
  if (draw.percent(20)) text += fmt::format("[link]\nhost_rate = \"{} Gb/s\"\n", draw.pick<u32>({100, 200, 400}));
  const bool apart = draw.percent(70);  // else answers share queues with data, and meet it there at the same instant
  const u32 ack_every = draw.pick<u32>({1, 4, 16});
  const std::string recovery = draw.pick({"go_back_n", "go_back_n", "selective_repeat"});
  text += fmt::format("[roce]\nack_every = {}\nrecovery = \"{}\"\nack_high_priority = {}\ncts_high_priority = {}\n",
                      ack_every, policy == "spray" ? "selective_repeat" : recovery,  // else it may never end
                      apart, apart);
  return text;
}

/// `jobs`: of the world; the more there are, the less each has to send.
std::string job(Draw& draw, u32 gpus, u32 first, u32 jobs) {
  const u32 server = draw.percent(70) ? 1 : std::min<u32>(draw.pick<u32>({2, 4}), gpus / 2);
  const char* kind =
      draw.pick({"all_reduce", "all_reduce", "all_reduce", "all_gather", "reduce_scatter", "broadcast", "all_to_all"});
  const bool rings = std::string(kind) != "all_to_all";
  const char* algorithm = !rings                              ? "auto"
                          : std::string(kind) == "all_reduce" ? draw.pick({"ring", "ring", "ring", "tree"})
                                                              : "ring";
  std::string text = fmt::format("[[job]]\ngpus = {}\nfirst_gpu = {}\ngpus_per_server = {}\nqps_per_connection = {}\n",
                                 gpus, first, std::max(server, 1u), draw.pick<u32>({1, 1, 2, 4}));
  const u32 channels = draw.pick<u32>({1, 1, 2});
  text += rings ? fmt::format("channels = {}\nalgorithm = \"{}\"\nprotocol = \"{}\"\n", channels, algorithm,
                              draw.pick({"simple", "simple", "ll128"}))
                : fmt::format("p2p_channels = {}\n", channels);
  text +=
      fmt::format("qp_scaling = \"{}\"\nslots = {}\n", draw.pick({"round_robin", "split"}), draw.pick<u32>({2, 4, 8}));
  text += fmt::format(
      "[[job.collective]]\nkind = \"{}\"\nsizes = [\"{} KiB\"]\nrepeat = {}\n", kind,
      draw.pick<u32>({16384, 65536, 131072, 196608, 262148}) * std::max(8u, gpus) / 8 / jobs / (rings ? 1 : 4),
      draw.pick<u32>({1, 1, 2}));
  return text;
}

std::string messages(Draw& draw, u32 hosts) {
  const bool incast = hosts >= 4 && draw.percent(15);
  const std::string kind = incast ? fmt::format("kind = \"incast\"\nfan_in = {}\n", draw.pick<u32>({2, 3}))
                                  : std::string("kind = \"permutation\"\n");
  return fmt::format("[[generator]]\n{}bytes = \"{} KB\"\nmessages = {}\n", kind,
                     draw.pick<u32>({12345, 40000, 100000}), draw.pick<u32>({1, 2}));
}

}  // namespace

std::string repeating_world(u64 seed) {
  const Shape shape = draw_shape(seed);
  std::string text = fabric_settings(seed) + shape.text;
  Draw draw(seed, "repeating work");
  if (shape.racks > 1 && draw.percent(15)) {  // jobs that do not touch each other
    const u32 gpus = shape.hosts / shape.racks;
    for (u32 rack = 0; rack < shape.racks; ++rack) text += job(draw, gpus, rack * gpus, shape.racks);
    return text;
  }
  if (draw.percent(75)) return text + messages(draw, shape.hosts);
  if (shape.hosts >= 8 && draw.percent(30))
    return text + job(draw, shape.hosts / 2, 0, 2) + job(draw, shape.hosts / 2, shape.hosts / 2, 2);
  return text + job(draw, shape.hosts, 0, 1);
}

}  // namespace heddle::property
