// [[job]]: which GPUs, which collectives.
#include <algorithm>
#include <bit>
#include <map>

#include "tests/property/draw.hpp"
#include "tests/property/shape.hpp"

namespace heddle::property {
namespace {

u64 multiple_of_16(u64 bytes) { return std::max<u64>(bytes / 16 * 16, 16); }

struct JobShape {
  u32 ranks = 2, gpus_per_server = 1, first_server = 0;
  const char* placement = "contiguous";
  bool shared = false;
  bool all_pairs = false;  // an all-to-all in closed form: every pair has a connection
};

/// Number of servers that the job's placement finds from its first one on; "fragmented" finds half of those of each
/// rack.
u32 servers_found(const JobShape& job, const Shape& shape) {
  const u32 servers = shape.endpoints / job.gpus_per_server;
  if (job.placement != std::string("fragmented")) return servers - job.first_server;
  std::map<u32, u32> servers_of_rack;
  for (u32 s = job.first_server; s < servers; ++s) ++servers_of_rack[shape.rack_of(u64{s} * job.gpus_per_server)];
  u32 found = 0;
  for (const auto& [rack, count] : servers_of_rack) found += count / 2;
  return found;
}

JobShape draw_job(Draw& draw, const Shape& shape, bool shared) {
  JobShape job;
  job.shared = shared;
  job.gpus_per_server = shape.server_gpus(draw.pick<u32>({1, 1, 2, 2, 4}));
  while (job.gpus_per_server * 2 > shape.endpoints) job.gpus_per_server = std::max(job.gpus_per_server / 2, 1u);
  const u32 servers = shape.endpoints / job.gpus_per_server;
  const u32 least = job.gpus_per_server == 1 ? 2 : 1;
  job.placement = draw.pick({"contiguous", "contiguous", "random", "fragmented"});
  if (draw.percent(25)) job.first_server = static_cast<u32>(draw.below(servers));
  const bool racks_known = shape.kind != "hpcc";  // an imported graph has switches in place of racks
  if (!racks_known && job.placement == std::string("fragmented")) job.placement = "random";
  // min_cut finds as many servers as "contiguous" and "random". It has a stream of its own, so that other worlds stay
  // the same.
  if (job.placement != std::string("fragmented") && Draw(shape.seed, "min_cut").percent(20)) job.placement = "min_cut";
  if (servers_found(job, shape) < least) job.placement = "contiguous", job.first_server = 0;
  const u32 most = std::max(least, std::min(servers_found(job, shape), 16 / job.gpus_per_server));
  job.ranks = job.gpus_per_server * static_cast<u32>(draw.between(least, most));
  return job;
}

using Kinds = std::vector<std::string>;  // of a job's collectives, in order

bool any_of(const Kinds& kinds, std::initializer_list<const char*> words) {
  return std::any_of(kinds.begin(), kinds.end(), [&](const std::string& kind) {
    return std::any_of(words.begin(), words.end(), [&](const char* word) { return kind == word; });
  });
}

bool has_peer_channels(const Kinds& kinds) {
  return any_of(kinds, {"all_to_all", "all_to_all_v", "gather", "scatter", "send_recv"});
}
bool has_tokens(const Kinds& kinds) { return any_of(kinds, {"dispatch", "combine"}); }
bool has_send_recv(const Kinds& kinds) { return has_peer_channels(kinds) || has_tokens(kinds); }
bool has_rings(const Kinds& kinds) {
  return any_of(kinds, {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "barrier"});
}

/// Whether the kinds can be composed of stages, which have communicators of their own.
bool can_be_composed(const Kinds& kinds) {
  return !any_of(kinds, {"broadcast", "reduce", "gather", "scatter", "send_recv", "barrier"});
}

/// Whether the switches of servers do the all-reduces (NVLS).
bool by_switches(const Shape& shape, const JobShape& job, const Kinds& kinds) {
  const bool all_reduces = std::ranges::all_of(kinds, [](const std::string& kind) { return kind == "all_reduce"; });
  return all_reduces && job.gpus_per_server >= 3 && Draw(shape.seed, "nvls").percent(60);
}

/// Whether the job has rings whose chunks have two slices, which one CTS admits.
bool admits_chunks(const Shape& shape, const Kinds& kinds) {
  const bool chunks = std::ranges::all_of(kinds, [](const std::string& kind) {
    return any_of({kind}, {"all_reduce", "all_gather", "reduce_scatter"});
  });
  return chunks && Draw(shape.seed, "slices per CTS").percent(25);
}

void write_algorithm(const Shape& shape, const JobShape& job, const Kinds& kinds, bool only_all_reduce, bool chunks,
                     Draw& draw, TomlText& toml) {
  const std::string by_channel_ends =
      only_all_reduce ? draw.pick({"auto", "ring", "tree"}) : draw.pick({"auto", "auto", "ring"});
  if (by_switches(shape, job, kinds)) return toml.word("algorithm", "nvls");
  if (chunks) return toml.word("algorithm", "ring");
  Draw composed(shape.seed, "composed");
  if (!can_be_composed(kinds) || job.shared || !composed.percent(30)) return toml.word("algorithm", by_channel_ends);
  const bool halving = std::has_single_bit(job.ranks) && composed.percent(40);
  toml.word("algorithm", halving ? "halving_doubling" : "hierarchical");
  toml.number("pieces", composed.between(1, 3));
}

/// Small collectives take one channel of many, unless min_channel_bytes is small, too.
void write_tuner(const Shape& shape, const JobShape& job, bool nvls, TomlText& toml) {
  Draw draw(shape.seed, "tuner");
  toml.bytes("min_channel_bytes", draw.pick<u64>({0, 1, 1, 1024, 16'384}));
  toml.number("nics_per_server", draw.percent(50) ? 0 : draw.between(1, job.gpus_per_server));
  toml.word("cross_nic", Draw(shape.seed, "rails of channels").pick({"auto", "yes", "no"}));
  toml.word("nccl", draw.pick({"v2.19", "v2.26", "v2.30"}));
  toml.word("gpu", nvls ? "hopper" : draw.pick({"hopper", "hopper", "ampere"}));
  toml.word("cpu", draw.pick({"intel", "amd"}));
  if (nvls) toml.flag("nvls", true);
}

/// Writes the options of rings and of send/recv, which have keys of their own.
void write_job_options(Draw& draw, const Shape& shape, const JobShape& job, const Kinds& kinds, TomlText& toml) {
  toml.section("[[job]]");
  toml.number("gpus", job.ranks);
  toml.number("gpus_per_server", job.gpus_per_server);
  toml.flag("share_gpus", job.shared);
  toml.word("placement", job.placement);
  if (job.first_server != 0) toml.number("first_gpu", job.first_server * job.gpus_per_server);
  const u64 slots = draw.percent(40) ? 0 : draw.percent(40) ? 1 : draw.between(1, 8);
  toml.number("slots", slots);
  const bool nvls = by_switches(shape, job, kinds), chunks = !nvls && slots != 1 && admits_chunks(shape, kinds);
  if (chunks) toml.number("slices_per_cts", 2);
  Draw eager(shape.seed, "eager");
  if (eager.percent(30)) toml.bytes("eager", eager.pick<u64>({64, 4096, 1'000'000'000}));
  const bool tight = slots == 1 && has_rings(kinds) && draw.percent(60);  // some of these rings stall
  if (has_rings(kinds)) {
    const bool only_all_reduce = !any_of(
        kinds, {"all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all", "gather", "scatter", "send_recv"});
    if (!has_send_recv(kinds)) write_algorithm(shape, job, kinds, only_all_reduce, chunks, draw, toml);
    toml.number("channels", draw.below(7));
    toml.bytes("slice", multiple_of_16(shape.mtu_bytes * draw.pick<u64>({1, 2, 4, 8}) + draw.below(3) * 16));
    if (any_of(kinds, {"all_reduce", "all_gather", "reduce_scatter", "barrier"})) {
      // With one slot and two slices a ring's ranks may all wait for each other: the run stalls.
      const u64 slices = slots == 1 && draw.percent(80) ? 2 : draw.between(1, 2);
      toml.number("slices_per_chunk", chunks ? 2 : slices);
      toml.bytes("min_slice", draw.pick<u64>({0, 1024, 32'768}));
    }
  }
  if (has_send_recv(kinds)) {
    Draw composed(shape.seed, "a composed all-to-all");
    const bool allowed =
        !has_rings(kinds) && can_be_composed(kinds) && any_of(kinds, {"all_to_all"}) && !job.shared && !job.all_pairs;
    const bool is_composed = allowed && composed.percent(25);
    if (is_composed) {
      toml.word("algorithm", "hierarchical");
      toml.number("pieces", composed.between(1, 2));
    }
    Draw pxn(shape.seed, "relays of an all-to-all");
    if (any_of(kinds, {"all_to_all"}) && !is_composed && !job.all_pairs) toml.flag("pxn", pxn.percent(50));
    if (has_peer_channels(kinds)) toml.number("p2p_channels", draw.between(1, 2));
    if (has_tokens(kinds)) toml.number("sms", 2 * Draw(shape.seed, "channels of tokens").between(1, 2));
    toml.bytes("p2p_slice", multiple_of_16(shape.mtu_bytes * draw.pick<u64>({1, 2, 4}) + draw.below(3) * 16));
    toml.number("p2p_window", draw.below(4));
  }
  const char* protocol = tight                  ? "simple"
                         : has_send_recv(kinds) ? draw.pick({"auto", "simple", "ll"})
                                                : draw.pick({"auto", "simple", "simple", "ll", "ll128"});
  toml.word("protocol", nvls || chunks ? "simple" : protocol);
  toml.number("qps_per_connection", draw.between(1, 4));
  toml.word("qp_scaling", draw.pick({"round_robin", "split"}));
  if (has_rings(kinds)) write_tuner(shape, job, nvls, toml);
}

enum class Pattern : u8 { all_reduce, rings, all_to_all, rooted, mixed };
constexpr u64 kPatterns = 5;

Kinds draw_kinds(Draw& draw, Pattern pattern) {
  Kinds kinds(draw.between(1, 3));
  for (std::string& kind : kinds) {
    switch (pattern) {
      case Pattern::all_reduce:
        kind = "all_reduce";
        break;
      case Pattern::rings:
        kind = draw.pick({"all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce"});
        break;
      case Pattern::all_to_all:
        kind = "all_to_all";
        break;
      case Pattern::rooted:
        kind = draw.pick({"gather", "scatter", "broadcast", "reduce", "send_recv", "barrier"});
        break;
      case Pattern::mixed:
        kind = draw.pick({"all_reduce", "all_gather", "broadcast", "reduce", "all_to_all", "gather", "scatter"});
        break;
    }
  }
  return kinds;
}

/// Makes some of the all-to-alls uneven. In closed form they would need tables, so only a few there.
void make_uneven(const Shape& shape, const JobShape& job, Kinds& kinds) {
  Draw draw(shape.seed, "uneven all-to-alls");
  const bool some = draw.percent(job.all_pairs ? 5 : 50);
  for (std::string& kind : kinds) {
    if (some && kind == "all_to_all" && draw.percent(60)) kind = "all_to_all_v";
  }
}

/// Makes some of the all-to-alls those of tokens, which need programs: GPUs of another job may have one already.
void make_tokens(const Shape& shape, const JobShape& job, Kinds& kinds) {
  Draw draw(shape.seed, "tokens");
  if (job.shared || job.all_pairs || !draw.percent(50)) return;
  for (std::string& kind : kinds) {
    if (kind == "all_to_all" && draw.percent(60)) kind = draw.pick({"dispatch", "combine"});
  }
}

void write_tokens(Draw& draw, const JobShape& job, u64 max_bytes, TomlText& toml) {
  const u64 tokens = draw.between(1, 12), experts_per_gpu = draw.between(1, 3);
  toml.number("tokens", tokens);
  toml.bytes("token_size", draw.between(1, std::max<u64>(max_bytes / tokens, 1)));
  toml.number("experts", job.ranks * experts_per_gpu);
  toml.number("top_k", draw.between(1, experts_per_gpu * job.gpus_per_server));
  toml.number("top_groups", draw.between(1, 4));
  toml.number("chunk_tokens", draw.between((tokens + 1) / 2, tokens));
  toml.number("routing_seed", draw.below(1000));
}

/// Returns a matrix: a third of the pairs has nothing to send, another third very little.
std::string matrix_text(Draw& draw, u32 ranks, u64 max_bytes) {
  std::string text;
  for (u32 from = 0; from < ranks; ++from) {
    for (u32 to = 0; to < ranks; ++to) {
      const bool some = (from == 0 && to == 1) || draw.percent(67);
      text += (to == 0 ? "" : " ") + std::to_string(!some              ? 0
                                                    : draw.percent(50) ? draw.between(1, 64)
                                                                       : draw.between(1, max_bytes));
    }
    text += "\n";
  }
  return text;
}

void write_job(Draw& draw, const Shape& shape, const JobShape& job, Pattern pattern, u32 packets, TomlText& toml) {
  Kinds kinds = draw_kinds(draw, pattern);
  make_uneven(shape, job, kinds);
  make_tokens(shape, job, kinds);
  write_job_options(draw, shape, job, kinds, toml);
  if (any_of(kinds, {"gather", "scatter", "broadcast", "reduce"})) toml.number("root", draw.below(job.ranks));
  Draw intervals(shape.seed, "intervals of collectives");
  for (const std::string& kind : kinds) {
    toml.section("[[job.collective]]");
    toml.word("kind", kind);
    const u64 most = std::max<u64>(u64{packets} * shape.mtu_bytes / (2 * job.ranks * kinds.size()), 16);
    const u64 size = kind == "barrier" ? 0 : draw.percent(20) ? draw.between(1, 64) : draw.between(1, most);
    if (kind == "all_to_all_v") {
      Draw matrix(shape.seed, "a matrix of bytes");
      const std::string text = matrix_text(matrix, job.ranks, std::max<u64>(size / job.ranks, 1));
      toml.file("matrix_file", "." + std::to_string(toml.files().size()) + ".matrix", text);
    } else if (has_tokens({kind})) {
      Draw tokens(shape.seed, "what tokens are");
      write_tokens(tokens, job, size / job.ranks, toml);
    } else if (kind != "barrier") {
      toml.raw("sizes", "[\"" + std::to_string(size) + " B\"]");
    }
    if (draw.percent(30)) toml.number("repeat", 2);
    if (draw.percent(30)) toml.time_ps("start", draw.below(20'000'000));
    if (intervals.percent(20)) toml.time_ps("interval", intervals.below(20'000'000));
  }
}

Pattern draw_pattern(Draw& draw) { return static_cast<Pattern>(draw.below(kPatterns)); }

}  // namespace

void write_jobs(Draw& draw, const Shape& shape, u32 packets, TomlText& toml) {
  const bool two = draw.percent(40);
  const bool training = Draw(shape.seed, "training").percent(30);
  if (training) {
    Draw own(shape.seed, "a training job");
    const bool trace = own.percent(35) || shape.rails != 0;  // a stage fits few sizes of servers
    if (trace) {
      write_trace(own, shape, two, packets / (two ? 2 : 1), toml);
    } else {
      write_training(own, shape, two, packets / (two ? 2 : 1), toml);
    }
  }
  for (u32 i = training; i <= u32{two}; ++i) {
    const JobShape job = draw_job(draw, shape, two);
    write_job(draw, shape, job, draw_pattern(draw), packets / (two ? 2 : 1), toml);
  }
}

void write_silent_job(const Shape& shape, u32 packets, TomlText& toml) {
  Draw draw(shape.seed, "a job with silent racks");
  const u32 ranks = std::min(shape.endpoints, 3 * shape.gpus_per_rack);
  toml.section("[[job]]");
  toml.number("gpus", ranks);
  toml.number("gpus_per_server", 1);
  toml.number("qps_per_connection", draw.between(1, 2));
  toml.word("protocol", draw.pick({"auto", "simple", "ll"}));
  toml.section("[[job.collective]]");
  toml.word("kind", "all_to_all_v");
  const u64 most = std::max<u64>(u64{packets} * shape.mtu_bytes / (ranks * ranks), 16);
  std::string text;
  for (u32 from = 0; from < ranks; ++from) {
    bool silent = false;
    for (u32 to = 0; to < ranks; ++to) {
      if (to % shape.gpus_per_rack == 0) silent = draw.percent(50);
      const bool none = silent && !(from == 0 && to == ranks - 1);
      text += (to == 0 ? "" : " ") + std::to_string(none ? 0 : draw.between(1, most));
    }
    text += "\n";
  }
  toml.file("matrix_file", "." + std::to_string(toml.files().size()) + ".matrix", text);
  toml.number("repeat", draw.between(1, 2));
}

Hosts write_own_jobs(Draw& draw, const Shape& shape, u32 packets, TomlText& toml) {
  JobShape job;
  job.all_pairs = true;
  job.gpus_per_server = shape.server_gpus(draw.pick<u32>({1, 1, 2, 4}));
  while (job.gpus_per_server * 2 > shape.endpoints) job.gpus_per_server /= 2;
  const u32 least = job.gpus_per_server == 1 ? 2 : 1, most = 16 / job.gpus_per_server;
  const u32 servers = shape.endpoints / job.gpus_per_server;
  const auto draw_servers = [&](u32 fewest, u32 left) {
    return static_cast<u32>(draw.between(fewest, std::max(fewest, std::min(left, most))));
  };
  const u32 first = draw_servers(least, servers * static_cast<u32>(draw.between(1, 3)) / 3);
  const u32 second = servers - first >= 2 && draw.percent(50) ? draw_servers(2, servers - first) : 0;
  const bool spread = draw.percent(30);  // the last job, over all remaining hosts
  const auto write = [&](u32 servers_of_job, Pattern pattern, bool last) {
    const bool min_cut = Draw(shape.seed, "min_cut").percent(20);
    job.placement = spread && last ? (min_cut ? "min_cut" : "random") : "contiguous";
    job.ranks = servers_of_job * job.gpus_per_server;
    write_job(draw, shape, job, pattern, packets / (second == 0 ? 1 : 2), toml);
    job.first_server += servers_of_job;
  };
  write(first, Pattern::all_to_all, second == 0);
  if (second != 0) write(second, draw.percent(60) ? Pattern::all_to_all : draw_pattern(draw), true);
  const u64 used = spread ? shape.endpoints : u64{job.first_server} * job.gpus_per_server;
  return {used, shape.endpoints - used};
}

}  // namespace heddle::property
