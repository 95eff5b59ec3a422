#include "host/check/training_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/base/quantity_text.hpp"
#include "host/check/estimates/computing.hpp"
#include "host/check/estimates/message_wire_bytes.hpp"
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
        if (!stands_for_communication(plan.ops[o])) continue;
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

/// The first checkpoint of a task, or the data of one of its iterations.
struct Stored {
  u64 bytes = 0, messages = 0;
  std::vector<u64> sent_wire_bytes, received_wire_bytes;  // [endpoint]

  void add(const World& world, MessageId m) {
    const Message& message = world.traffic.messages[m];
    const Qp& qp = world.traffic.qps[message.qp];
    const u64 wire = message_wire_bytes(world, message);
    bytes += message.bytes;
    ++messages;
    sent_wire_bytes[qp.src] += wire;
    received_wire_bytes[qp.dst] += wire;
  }
};

/// The NIC that takes longest to send, or to receive, and how long at its line rate.
std::string slowest_text(const World& world, const Stored& stored, const char* which) {
  double longest_ps = 0;
  std::string what;
  const auto look_at = [&](const std::vector<u64>& wire_bytes, const char* does) {
    for (EndpointId e = 0; e < wire_bytes.size(); ++e) {
      const double ps = static_cast<double>(wire_bytes[e]) * nic_ps_per_byte(world.fabric, e);
      if (ps <= longest_ps) continue;
      longest_ps = ps;
      what = fmt::format("{} {} {}", world.fabric.names[e], does, size_text(wire_bytes[e]));
    }
  };
  look_at(stored.sent_wire_bytes, "sends");
  look_at(stored.received_wire_bytes, "receives");
  return fmt::format("  {} at least {}: {} on the wire, more than any other NIC for its rate\n", which,
                     time_text(static_cast<TimePs>(longest_ps)), what);
}

/// What the GPUs of a task write.
std::string checkpoints_text(const World& world, u32 task) {
  const ProgramPlan& plan = world.programs;
  const std::vector<u64> none(world.fabric.endpoints, 0);
  Stored written{.sent_wire_bytes = none, .received_wire_bytes = none};
  u32 checkpoints = 0;
  for (const ProgramRun& run : plan.runs) {
    const BatchRange own = run.series(BatchSeries::checkpoints);
    if (run.task != task || own.count == 0) continue;
    checkpoints = own.count;
    const Batch& batch = plan.batches[own.first];
    for (u32 i = batch.first_awaited; i < batch.first_awaited + batch.awaited; ++i)
      written.add(world, plan.awaited[i].message);
  }
  if (checkpoints == 0) return "";
  return fmt::format("  {}: its GPUs write {} to storage servers each time, in {} messages (with redundancy)\n",
                     counted(checkpoints, "checkpoint"), size_text(written.bytes), written.messages) +
         slowest_text(world, written, "a checkpoint takes");
}

/// What the GPUs of a task read for an iteration: requests, and the answers that they await.
std::string data_text(const World& world, u32 task) {
  const ProgramPlan& plan = world.programs;
  const std::vector<u64> none(world.fabric.endpoints, 0);
  Stored asked{.sent_wire_bytes = none, .received_wire_bytes = none};
  u64 bytes = 0, answers = 0;
  u32 gpus = 0;
  for (const ProgramRun& run : plan.runs) {
    const BatchRange own = run.series(BatchSeries::loads);
    if (run.task != task || own.count == 0) continue;
    ++gpus;
    const Batch& batch = plan.batches[own.first];
    for (u32 i = batch.first_posted; i < batch.first_posted + batch.posted; ++i) asked.add(world, plan.posted[i]);
    for (u32 i = batch.first_awaited; i < batch.first_awaited + batch.awaited; ++i) {
      asked.add(world, plan.awaited[i].message);
      bytes += world.traffic.messages[plan.awaited[i].message].bytes;
      ++answers;
    }
  }
  if (gpus == 0) return "";
  return fmt::format("  data: {} GPUs read {} from storage servers for each iteration, in {}\n", gpus, size_text(bytes),
                     counted(answers, "request")) +
         slowest_text(world, asked, "the data of the first one take");
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
    text += calls_text(world, t) + delays_text(world, t) + checkpoints_text(world, t) + data_text(world, t);
  }
  return text;
}

}  // namespace heddle
