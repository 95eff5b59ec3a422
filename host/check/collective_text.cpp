#include "host/check/collective_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "host/config/units.hpp"
#include "host/workload/collective/choice.hpp"
#include "io/results/bandwidth.hpp"
#include "io/results/iterations.hpp"

namespace heddle {
namespace {

constexpr size_t kMostSizes = 12;

std::string label(Algorithm algorithm, Protocol protocol) {
  return fmt::format("{} {}", algorithm_name(algorithm), protocol_name(protocol));
}

/// The model's latency does not depend on the size, but for the plateau of rings; that of the smallest is shown.
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

std::string taken(const Collective& c, TunerInput input) {
  input.bytes = c.bytes;
  for (const Estimate& e : estimates(input)) {
    if (e.algorithm != c.algorithm || e.protocol != c.protocol) continue;
    return fmt::format("  {:<14} {} (model: {:.1f} us)\n",
                       human_quantity(static_cast<double>(c.bytes), Quantity::bytes), label(c.algorithm, c.protocol),
                       e.time_us);
  }
  return "";
}

}  // namespace

std::string collective_text(const World& world) {
  const CollectivePlan& plan = world.collectives;
  std::string text;
  std::set<std::tuple<u32, Group, size_t, u32, CollectiveKind>> told;  // communicators of one group are alike
  for (const Job& job : plan.jobs) {
    std::map<CollectiveKind, std::map<u64, const Collective*>> kinds;
    for (const u32 id : job.collectives) {
      const Collective& c = plan.collectives[id];
      if (c.algorithm != Algorithm::p2p && !c.composed) kinds[c.kind].try_emplace(c.bytes, &c);
    }
    for (const auto& [kind, sizes] : kinds) {
      if (!told.insert({job.number, job.group, job.ranks.size(), job.gpus_per_server, kind}).second) continue;
      TunerInput input = tuner_input(world, static_cast<u32>(job.ranks.size()), job.gpus_per_server, job.channels);
      input.kind = kind;
      text += fmt::format(
          "\njob {}: {}{} on {} GPUs, by NCCL's model, and what each size takes (by job.algorithm and job.protocol)\n",
          job.number,
          job.group == Group::all     ? ""
          : job.group == Group::stage ? "a stage's "
                                      : fmt::format("{}-parallel ", group_name(job.group)),
          collective_name(kind), job.ranks.size());
      text += model_table(input);
      size_t rows = 0;
      for (const auto& [bytes, collective] : sizes) {
        if (rows++ < kMostSizes) text += taken(*collective, input);
      }
      if (sizes.size() > kMostSizes) text += fmt::format("  and {} more sizes\n", sizes.size() - kMostSizes);
    }
  }
  return text;
}

}  // namespace heddle
