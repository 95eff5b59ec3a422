#include "host/check/training_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/base/quantity_text.hpp"
#include "host/check/estimates/computing.hpp"
#include "io/results/bandwidth.hpp"
#include "io/results/iterations.hpp"
#include "io/results/text_table.hpp"

namespace heddle {
namespace {

/// Collectives of an iteration by group, kind and size: those of one communicator, and the number of alike ones.
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

/// Communication that takes a given time and is not simulated, for the GPU with most of it.
std::string delays_text(const World& world, u32 task) {
  const ProgramPlan& plan = world.programs;
  struct Delays {
    u32 count = 0;
    TimePs sum_ps = 0;
  };
  std::map<u32, std::map<Group, Delays>> all;  // [program]
  for (const ProgramRun& run : plan.runs) {
    if (run.task != task || all.contains(run.program)) continue;
    std::map<Group, Delays>& own = all[run.program];
    const Program& program = plan.programs[run.program];
    for (u32 s = program.first_stream; s < program.first_stream + program.streams; ++s) {
      for (u32 o = plan.streams[s].first_op; o < plan.streams[s].first_op + plan.streams[s].ops; ++o) {
        if (plan.ops[o].kind != OpKind::delay) continue;
        Delays& delays = own[static_cast<Group>(plan.ops[o].group)];
        ++delays.count;
        delays.sum_ps += plan.ops[o].ps;
      }
    }
  }
  std::map<Group, Delays> most;
  for (const auto& [program, own] : all) {
    for (const auto& [group, delays] : own) {
      if (delays.sum_ps >= most[group].sum_ps) most[group] = delays;
    }
  }
  std::string text;
  for (const auto& [group, delays] : most)
    text +=
        fmt::format("  {}-parallel collectives are not simulated: up to {} of a GPU take given times, {} together\n",
                    group_name(group), delays.count, time_text(delays.sum_ps));
  return text;
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
                        time_text(computing.min_ps), time_text(computing.max_ps));
    text += calls_text(world, t) + delays_text(world, t);
  }
  return text;
}

}  // namespace heddle
