#include "io/results/title.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "io/results/bandwidth.hpp"

namespace heddle {
namespace {

std::string counted(u64 count, std::string_view what, std::string_view plural_end = "s") {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : plural_end);
}

/// Numbers of the configuration's jobs with composed collectives: their first communicator has the collectives that the
/// user asked for, the others have the stages.
std::set<u32> composed_jobs(const CollectivePlan& plan) {
  std::set<u32> numbers;
  for (const Job& job : plan.jobs)
    if (job.composed) numbers.insert(job.number);
  return numbers;
}

/// Returns "5 all-reduces and 2 all-to-alls", in order of appearance.
std::string operations(const CollectivePlan& plan) {
  const std::set<u32> composed = composed_jobs(plan);
  std::vector<std::pair<CollectiveKind, u64>> counts;
  for (const Collective& c : plan.collectives) {
    const Job& job = plan.jobs[c.job];
    if (!job.composed && composed.contains(job.number)) continue;
    const auto found = std::find_if(counts.begin(), counts.end(), [&](const auto& k) { return k.first == c.kind; });
    if (found == counts.end()) {
      counts.emplace_back(c.kind, 1);
    } else {
      ++found->second;
    }
  }
  std::string text;
  for (size_t i = 0; i < counts.size(); ++i) {
    std::string name(collective_name(counts[i].first));
    std::replace(name.begin(), name.end(), '_', '-');
    text += (i == 0                   ? ""
             : i + 1 == counts.size() ? " and "
                                      : ", ") +
            counted(counts[i].second, name, name.ends_with("ch") ? "es" : "s");
  }
  return text;
}

}  // namespace

std::string title_of(const World& world) {
  const Fabric& fabric = world.fabric;
  const u32 gpus = count_gpus(fabric), others = fabric.endpoints - gpus;
  std::string text = fmt::format("{}{}, {}", counted(gpus, "GPU"),
                                 others == 0 ? "" : fmt::format(", {} beside them", counted(others, "host")),
                                 counted(fabric.nodes.size() - fabric.endpoints, "switch", "es"));
  const CollectivePlan& plan = world.collectives;
  if (!plan.jobs.empty())
    text += fmt::format(", {} of {}", counted(gpus_by_job(world).size(), "job"), operations(plan));
  if (!world.traffic.messages.empty()) text += ", " + counted(world.traffic.messages.size(), "message");
  return text;
}

}  // namespace heddle
