#include "host/check/collective_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "host/base/quantity_text.hpp"
#include "host/scenario/workload/collective/channels.hpp"
#include "host/scenario/workload/collective/choice.hpp"
#include "io/results/bandwidth.hpp"
#include "io/results/iterations.hpp"
#include "kernels/base/units.hpp"

namespace heddle {
namespace {

constexpr size_t kMaxSizes = 12;
/// The tuner's resolution: NCCL corrects its model by factors in steps of a tenth (treeCorrectionFactor of
/// src/graph/tuning.cc), so a prediction is not meant to be nearer than half a step.
constexpr double kNearTie = 0.05;

std::string label(Algorithm algorithm, Protocol protocol) {
  return fmt::format("{} {}", algorithm_name(algorithm), protocol_name(protocol));
}

/// The model's latency does not depend on the size, except on rings' plateau; that of the smallest size is shown.
std::string model_table(TunerInput input) {
  input.bytes = 1;
  std::string head, latency, bandwidth;
  const std::vector<Estimate> small = estimates(input);
  input.bytes = u64{1} << 34;
  const std::vector<Estimate> large = estimates(input);
  for (size_t i = 0; i < small.size(); ++i) {
    head += fmt::format(" {:>12}", label(small[i].algorithm, small[i].protocol));
    latency += fmt::format(" {:>12.1f}", small[i].latency_us);
    bandwidth += fmt::format(" {:>12.1f}", large[i].algbw_GBps);
  }
  return fmt::format("  {:<14}{}\n  {:<14}{}\n  {:<14}{}\n", "", head, "latency, us", latency, "algbw, GB/s",
                     bandwidth);
}

/// The estimates that `auto` may choose instead and that the model expects to be at most kNearTie longer or shorter.
std::vector<Estimate> near_ties(const std::vector<Estimate>& all, const Estimate& taken, const JobOptions& options) {
  std::vector<Estimate> near;
  for (const Estimate& e : all) {
    const bool same = e.algorithm == taken.algorithm && e.protocol == taken.protocol;
    if (same || !auto_may_choose(options, e.algorithm)) continue;
    if (std::abs(e.time_us - taken.time_us) <= kNearTie * taken.time_us) near.push_back(e);
  }
  return near;
}

/// "0.1 % more"
std::string difference(const Estimate& e, const Estimate& taken) {
  const double share = e.time_us / taken.time_us - 1;
  return fmt::format("{:.1f} % {}", 100 * std::abs(share), share < 0 ? "less" : "more");
}

/// The model's choice for a collective; nothing where the model does not know it.
struct Taken {
  Estimate estimate;
  std::vector<Estimate> near;
};

std::optional<Taken> taken(const Collective& c, TunerInput input, const JobOptions& options) {
  input.bytes = c.bytes;
  const std::vector<Estimate> all = estimates(input);
  for (const Estimate& e : all) {
    if (e.algorithm == c.algorithm && e.protocol == c.protocol) return Taken{e, near_ties(all, e, options)};
  }
  return {};
}

std::string size_of(const Collective& c) { return bytes_text(c.bytes); }

/// "; a channel end copies 10.3 GB/s"; nothing where only the GPU's rate bounds it.
std::string channel_text(const Collective& c) {
  if (c.channel_ps_per_byte_q16 == 0) return "";
  const ProtocolRule& rule = rule_of(c.protocol);
  return fmt::format("; a channel end copies {:.1f} GB/s",
                     static_cast<double>(bits_per_s_of(c.channel_ps_per_byte_q16)) / 8e9 *
                         static_cast<double>(rule.data_of_line) / static_cast<double>(rule.bytes_of_line));
}

std::string row_of(const Collective& c, const Taken& t, u32 channels) {
  std::string near;
  for (const Estimate& e : t.near)
    near += fmt::format("; {} {:.1f} us, {}", label(e.algorithm, e.protocol), e.time_us, difference(e, t.estimate));
  return fmt::format("  {:<14} {} on {} (model: {:.1f} us{}{}){}\n", size_of(c), label(c.algorithm, c.protocol),
                     counted(channels, "channel"), t.estimate.time_us, near, near.empty() ? "" : ": simulate both",
                     channel_text(c));
}

using Sizes = std::map<u64, const Collective*>;

/// Calls f(communicator, kind, what the tuner knows of it, a collective of each size) for every communicator of `jobs`
/// and kind that has several algorithms or protocols. Communicators of one group are alike, so f is called once for all
/// of them.
template <class F>
void for_each_tuned(const World& world, std::span<const JobOptions> jobs, const F& f) {
  const CollectivePlan& plan = world.collectives;
  std::set<std::tuple<u32, Group, size_t, u32, CollectiveKind>> seen;
  for (const Job& job : plan.jobs) {
    if (job.number >= jobs.size()) continue;
    std::map<CollectiveKind, Sizes> kinds;
    for (const u32 id : job.collectives) {
      const Collective& c = plan.collectives[id];
      if (c.algorithm != Algorithm::p2p && !c.composed) kinds[c.kind].try_emplace(c.bytes, &c);
    }
    for (const auto& [kind, sizes] : kinds) {
      if (!seen.insert({job.number, job.group, job.ranks.size(), job.gpus_per_server, kind}).second) continue;
      JobOptions options = jobs[job.number];
      options.gpus = static_cast<u32>(job.ranks.size());
      options.gpus_per_server = job.gpus_per_server;
      TunerInput input = tuner_input(world, options);
      input.kind = kind;
      f(job, kind, input, sizes);
    }
  }
}

/// "data-parallel all_gather on 128 GPUs"
std::string name_of(const Job& job, CollectiveKind kind) {
  return fmt::format("{}{} on {} GPUs",
                     job.group == Group::all     ? ""
                     : job.group == Group::stage ? "a stage's "
                                                 : fmt::format("{}-parallel ", group_name(job.group)),
                     collective_name(kind), job.ranks.size());
}

/// ", each on its rail", where rings and trees between servers are.
std::string_view rail_text(const World& world, const Job& job, const Sizes& sizes, const JobOptions& options) {
  const auto has_channels = [](const auto& size) {
    return size.second->algorithm == Algorithm::ring || size.second->algorithm == Algorithm::tree;
  };
  if (std::ranges::none_of(sizes, has_channels)) return "";
  if (job.gpus_per_server == 1 || job.ranks.size() == job.gpus_per_server) return "";
  return cross_nic_on(world.fabric, options) == "no" ? ", each on its rail" : "";
}

/// The options that select `e` instead of `taken`.
std::string settings_for(const Job& job, const Estimate& e, const Estimate& taken) {
  std::string settings;
  if (e.algorithm != taken.algorithm)
    settings += fmt::format("--set job.{}.algorithm={} ", job.number, algorithm_name(e.algorithm));
  return settings + fmt::format("--set job.{}.protocol={}", job.number, protocol_name(e.protocol));
}

}  // namespace

std::string host_text(const Config& config) {
  if (config.jobs.empty()) return "";
  const CollectiveOptions& o = config.collective;
  std::string channels;
  const auto add = [&](u64 bytes_per_s, std::string_view name) {
    if (bytes_per_s == 0) return;
    channels += fmt::format("{} {} by {}", channels.empty() ? "; a channel copies" : ",",
                            human_quantity(static_cast<double>(bytes_per_s), Quantity::bytes_per_s), name);
  };
  add(o.channel_bytes_per_s, protocol_name(Protocol::simple));
  add(o.ll_channel_bytes_per_s, protocol_name(Protocol::ll));
  add(o.ll128_channel_bytes_per_s, protocol_name(Protocol::ll128));
  add(o.nvls_channel_bytes_per_s, algorithm_name(Algorithm::nvls));
  return fmt::format("servers    collective.host {}: launch {}, send/recv {}{}\n", config.host_options.host,
                     time_text(o.launch_latency_ps), time_text(o.launch_latency_ps + o.p2p_latency_ps), channels);
}

std::string collective_text(const World& world, std::span<const JobOptions> jobs) {
  std::string text;
  for_each_tuned(world, jobs, [&](const Job& job, CollectiveKind kind, const TunerInput& input, const Sizes& sizes) {
    text += fmt::format(
        "\njob {}: {}, at most {}{}; by the model of NCCL {}, and what each size takes (by job.algorithm and "
        "job.protocol)\n",
        job.number, name_of(job, kind), counted(input.channels, "channel"),
        rail_text(world, job, sizes, jobs[job.number]), input.nccl);
    text += model_table(input);
    size_t rows = 0;
    for (const auto& [bytes, collective] : sizes) {
      if (rows++ >= kMaxSizes) continue;
      const std::optional<Taken> t = taken(*collective, input, jobs[job.number]);
      if (!t) continue;
      TunerInput of_size = input;
      of_size.bytes = bytes;
      text += row_of(*collective, *t,
                     used_channels(jobs[job.number], of_size, collective->algorithm, collective->protocol));
    }
    if (sizes.size() > kMaxSizes) text += fmt::format("  and {} more sizes\n", sizes.size() - kMaxSizes);
  });
  return text;
}

std::string near_ties_text(const World& world, std::span<const JobOptions> jobs) {
  std::string text;
  size_t rows = 0;
  for_each_tuned(world, jobs, [&](const Job& job, CollectiveKind kind, const TunerInput& input, const Sizes& sizes) {
    const bool any_algorithm = jobs[job.number].algorithm == "auto", any_protocol = jobs[job.number].protocol == "auto";
    for (const auto& [bytes, collective] : sizes) {
      const std::optional<Taken> t = taken(*collective, input, jobs[job.number]);
      if (!t) continue;
      for (const Estimate& e : t->near) {
        if (!any_algorithm && e.algorithm != t->estimate.algorithm) continue;
        if (!any_protocol && e.protocol != t->estimate.protocol) continue;
        if (rows++ >= kMaxSizes) continue;
        text += fmt::format(
            "job {}: {} of {}: auto takes {} (predicted: {:.1f} us); {} is predicted to take {}: try "
            "{}\n",
            job.number, name_of(job, kind), size_of(*collective), label(collective->algorithm, collective->protocol),
            t->estimate.time_us, label(e.algorithm, e.protocol), difference(e, t->estimate),
            settings_for(job, e, t->estimate));
      }
    }
  });
  if (rows > kMaxSizes) text += fmt::format("and {} more\n", rows - kMaxSizes);
  if (text.empty()) return "";
  return fmt::format(
             "\nnear ties of NCCL's tuner, within {:.0f} % by its own model; the simulation may say otherwise\n",
             100 * kNearTie) +
         text;
}

}  // namespace heddle
