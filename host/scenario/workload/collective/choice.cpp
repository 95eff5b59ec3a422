#include "host/scenario/workload/collective/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "host/base/error.hpp"
#include "host/scenario/workload/collective/channels.hpp"
#include "io/results/bandwidth.hpp"
#include "kernels/base/units.hpp"

namespace heddle {
namespace {

/// Send/recv of up to so many bytes per peer uses LL (NCCL_P2P_LL_THRESHOLD).
constexpr u64 kMaxLlPeerBytes = 16 << 10;

bool serves(const Layout& layout, CollectiveKind kind) {
  return std::ranges::find(layout.kinds, kind) != layout.kinds.end();
}

bool allows(const std::string& key, std::string_view name) { return key == "auto" || key == name; }

/// The layout of an algorithm for a kind.
u32 layout_of(CollectiveKind kind, Algorithm algorithm) {
  u32 i = 0;
  while (layouts()[i].algorithm != algorithm || !serves(layouts()[i], kind)) ++i;
  return i;
}

bool has_algorithm(CollectiveKind kind, const std::string& name) {
  return std::ranges::any_of(layouts(), [&](const Layout& layout) {
    return name == algorithm_name(layout.algorithm) && serves(layout, kind);
  });
}

bool by_send_recv(CollectiveKind kind) {
  return std::ranges::any_of(
      layouts(), [&](const Layout& layout) { return layout.algorithm == Algorithm::p2p && serves(layout, kind); });
}

/// Refuses NVLS with protocols of flags in the data, which the switches of servers lack, on GPUs whose switches do not
/// reduce, and in servers of too few GPUs.
void check_nvls(const JobOptions& options, u32 job) {
  if (options.algorithm != "nvls") return;
  if (options.protocol != "auto" && options.protocol != "simple") {
    throw ConfigError(fmt::format(
        "job[{0}].protocol = \"{1}\": nvls has the simple protocol alone, as NVSwitches sum data, not flags; leave "
        "job[{0}].protocol at auto or choose another algorithm",
        job, options.protocol));
  }
  if (options.gpu != "hopper") {
    throw ConfigError(
        fmt::format("job[{0}].algorithm = \"nvls\": the switches of job[{0}].gpu = \"{1}\" do not reduce; choose auto, "
                    "ring or tree",
                    job, options.gpu));
  }
  if (!options.nvls) {
    throw ConfigError(
        fmt::format("job[{0}].algorithm = \"nvls\": job[{0}].nvls is false, as the switches of these servers "
                    "(collective.host) do not "
                    "reduce; choose auto, ring or tree, or set job[{0}].nvls = true",
                    job));
  }
  if (options.gpus_per_server < kMinNvlsGpus || options.gpus_per_server > kMaxNvlsGpus) {
    throw ConfigError(
        fmt::format("job[{0}].algorithm = \"nvls\": the switch of a server joins {1} to {2} GPUs, and "
                    "job[{0}].gpus_per_server is {3}; choose tree, or set gpus_per_server",
                    job, kMinNvlsGpus, kMaxNvlsGpus, options.gpus_per_server));
  }
}

/// Checks a list's algorithm against all of its kinds that have algorithms.
void check_kind(const JobOptions& options, u32 job, CollectiveKind kind) {
  std::string others;
  for (const Layout& layout : layouts()) {
    if (!serves(layout, kind)) continue;
    if (options.algorithm == algorithm_name(layout.algorithm)) return;
    others += (others.empty() ? "" : " or ") + std::string(algorithm_name(layout.algorithm));
  }
  throw ConfigError(
      fmt::format("job[{0}].algorithm = \"{1}\": {2} has none of that name; choose auto or {3}, or give "
                  "its {2} to another job with share_gpus = true",
                  job, options.algorithm, collective_name(kind), others));
}

/// Refuses composed collectives outside of a list, as programs are only made for those.
void check_composed(const JobOptions& options, u32 job) {
  throw ConfigError(
      fmt::format("job[{}].algorithm = \"{}\": only collectives of [[job.collective]] can be composed of stages, not "
                  "those of training jobs and traces; choose auto, ring or tree",
                  job, options.algorithm));
}

/// Send/recv has no LL128, so a request for that gets simple, as in NCCL.
Choice choose_send_recv(const JobOptions& options, CollectiveKind kind, u64 bytes, u64 ranks) {
  const bool small = peer_bytes(kind, bytes, ranks) <= kMaxLlPeerBytes;  // all_to_all_v: bytes of its busiest rank
  const bool ll = options.protocol == "ll" || (options.protocol == "auto" && small);
  return {layout_of(kind, Algorithm::p2p), ll ? Protocol::ll : Protocol::simple};
}

}  // namespace

CollectiveKind kind_of(const std::string& word, u32 job) {
  std::string known;
  for (u32 i = 0;; ++i) {
    const auto kind = static_cast<CollectiveKind>(i);
    const std::string_view name = collective_name(kind);
    if (name.empty()) break;
    if (name == word) return kind;
    known.append(known.empty() ? "" : ", ").append(name);
  }
  throw ConfigError(fmt::format("job[{}].collective.kind: \"{}\" is unknown; choose one of {}", job, word, known));
}

const Layout* composed_layout(const JobOptions& options, CollectiveKind kind) {
  for (const Layout& layout : layouts()) {
    const bool asked = options.algorithm == algorithm_name(layout.algorithm) || carries_tokens(kind);
    if (layout.stages != nullptr && asked && serves(layout, kind)) return &layout;
  }
  return nullptr;
}

TunerInput tuner_input(const World& world, const JobOptions& options) {
  TunerInput input;
  input.ranks = options.gpus;
  input.gpus_per_server = options.gpus_per_server;
  input.nics = nics_of(options);
  input.nccl = options.nccl;
  input.gpu = options.gpu;
  input.cpu = options.cpu;
  input.nvls = options.nvls;
  const Fabric& fabric = world.fabric;
  input.nic_GBps = fabric.nic_ports *
                   static_cast<double>(bits_per_s_of(fabric.links[fabric.nodes[0].first_link].ps_per_byte_q16)) / 8e9;
  input.nvlink_GBps = static_cast<double>(bits_per_s_of(world.collectives.settings.nvlink_ps_per_byte_q16)) / 8e9;
  input.nvls_GBps = static_cast<double>(bits_per_s_of(world.collectives.settings.nvls_ps_per_byte_q16)) / 8e9;
  input.channels = options.channels != 0 ? options.channels : default_channels(input);
  return input;
}

void check_algorithm_of_list(const JobOptions& options, u32 job, std::span<const CollectiveCall> calls) {
  if (options.algorithm == "auto") return;
  check_nvls(options, job);
  bool any = false;
  for (const CollectiveCall& call : calls) {
    if (carries_tokens(call.kind) || (by_send_recv(call.kind) && composed_layout(options, call.kind) == nullptr))
      continue;
    check_kind(options, job, call.kind);
    any = true;
  }
  if (any) return;
  const CollectiveKind kind = calls[0].kind;
  const char* why =
      carries_tokens(kind) ? "goes the one way that DeepEP has" : "travels by send/recv, which has no algorithms";
  throw ConfigError(fmt::format("job[{}].algorithm = \"{}\": {} {}; leave it at auto", job, options.algorithm,
                                collective_name(kind), why));
}

void check_algorithm_of_programs(const JobOptions& options, u32 job, const Communicators& communicators) {
  if (options.algorithm == "auto") return;
  check_nvls(options, job);
  std::set<std::string> kinds;
  for (const Sequence& sequence : communicators.sequences) {
    for (const CollectiveCall& call : sequence.calls) {
      if (composed_layout(options, call.kind) != nullptr) check_composed(options, job);
      const bool in_servers = options.algorithm != "nvls" || sequence.options.gpus_per_server >= kMinNvlsGpus;
      if (has_algorithm(call.kind, options.algorithm) && in_servers) return;
      kinds.emplace(collective_name(call.kind));
    }
  }
  std::string words;
  for (const std::string& kind : kinds) words += (words.empty() ? "" : ", ") + kind;
  throw ConfigError(
      fmt::format("job[{}].algorithm = \"{}\": none of the job's collectives has it ({}{}); leave it at auto", job,
                  options.algorithm, words,
                  options.algorithm == "nvls" ? "; nvls: an all_reduce of at least 3 GPUs of a server" : ""));
}

bool auto_may_choose(const JobOptions& options, Algorithm algorithm) {
  return algorithm != Algorithm::nvls || options.nvls;
}

Choice choose(const JobOptions& options, CollectiveKind kind, u64 bytes, TunerInput input) {
  if (const Layout* composed = composed_layout(options, kind))
    return {static_cast<u32>(composed - layouts().data()), Protocol::simple};
  if (by_send_recv(kind)) return choose_send_recv(options, kind, bytes, input.ranks);
  input.kind = kind;
  input.bytes = bytes;
  std::vector<Estimate> possible = estimates(input);
  const bool possible_here = std::ranges::any_of(
      possible, [&](const Estimate& e) { return options.algorithm == algorithm_name(e.algorithm); });
  const std::string algorithm = possible_here ? options.algorithm : "auto";
  std::erase_if(possible, [&](const Estimate& e) {
    const bool allowed =
        algorithm == "auto" ? auto_may_choose(options, e.algorithm) : algorithm == algorithm_name(e.algorithm);
    return !allowed || !allows(options.protocol, protocol_name(e.protocol));
  });
  const auto best = std::ranges::min_element(possible, {}, &Estimate::time_us);
  return {layout_of(kind, best->algorithm), best->protocol,
          used_channels(options, input, best->algorithm, best->protocol)};
}

}  // namespace heddle
