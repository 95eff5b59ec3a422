#include "host/check/training_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/check/computing.hpp"
#include "host/config/units.hpp"
#include "io/results/bandwidth.hpp"
#include "io/results/iterations.hpp"
#include "io/results/text_table.hpp"

namespace heddle {
namespace {

std::string time_text(TimePs t) { return human_quantity(static_cast<double>(t), Quantity::time_ps); }

/// Collectives of an iteration by group, kind and size: of one communicator, and how many there are alike.
std::string calls_text(const World& world, u32 task) {
  const CollectivePlan& plan = world.collectives;
  const u32 iterations = world.programs.tasks[task].iterations;
  struct Calls {
    u64 communicators = 0, in_iteration = 0;
  };
  std::map<std::tuple<Group, CollectiveKind, u64, u64, u32>, Calls> all;  // ..., bytes, ranks, ranks in a server
  for (const Job& job : plan.jobs) {
    if (!job.by_program || job.number != world.programs.tasks[task].job) continue;
    std::map<std::pair<CollectiveKind, u64>, u64> own;
    for (const u32 id : job.collectives) ++own[{plan.collectives[id].kind, plan.collectives[id].bytes}];
    for (const auto& [what, count] : own) {
      Calls& calls = all[{job.group, what.first, what.second, job.ranks.size(), job.gpus_per_server}];
      ++calls.communicators;
      calls.in_iteration = std::max<u64>(calls.in_iteration, count / iterations);
    }
  }
  TextTable table(2);
  table.row({"group", "collective", "size", "ranks", "in a server", "communicators", "each, an iteration"});
  for (const auto& [key, calls] : all) {
    const auto& [group, kind, bytes, ranks, in_server] = key;
    table.row({std::string(group_name(group)), std::string(collective_name(kind)), size_text(bytes),
               std::to_string(ranks), std::to_string(in_server), std::to_string(calls.communicators),
               std::to_string(calls.in_iteration)});
  }
  return table.text();
}

}  // namespace

std::string training_text(const World& world) {
  const ProgramPlan& plan = world.programs;
  std::string text;
  for (u32 t = 0; t < plan.tasks.size(); ++t) {
    if (!plan.tasks[t].trains) continue;
    const Computing computing = computing_of(world, t);
    text += fmt::format("\njob {}: {} GPUs, {} iteration{}; a GPU computes {} to {} in each\n", plan.tasks[t].job,
                        computing.gpus, plan.tasks[t].iterations, plan.tasks[t].iterations == 1 ? "" : "s",
                        time_text(computing.least_ps), time_text(computing.most_ps));
    text += calls_text(world, t);
  }
  return text;
}

}  // namespace heddle
