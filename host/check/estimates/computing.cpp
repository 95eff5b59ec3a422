#include "host/check/estimates/computing.hpp"

#include <algorithm>
#include <vector>

namespace heddle {
namespace {

bool computes(const Op& op) { return op.kind == OpKind::compute; }

/// The time of the operations of a stream of one kind.
template <class OfKind>
TimePs stream_ps(const ProgramPlan& plan, const OpStream& stream, const OfKind& of_kind) {
  TimePs sum = 0;
  for (u32 i = stream.first_op; i < stream.first_op + stream.ops; ++i) sum += of_kind(plan.ops[i]) ? plan.ops[i].ps : 0;
  return sum;
}

}  // namespace

Computing computing_of(const World& world, u32 task) {
  const ProgramPlan& plan = world.programs;
  std::vector<bool> seen(plan.programs.size(), false);
  Computing computing;
  for (const ProgramRun& run : plan.runs) {
    if (run.task != task) continue;
    ++computing.gpus;
    if (seen[run.program]) continue;
    seen[run.program] = true;
    const Program& program = plan.programs[run.program];
    TimePs sum = 0;
    for (u32 s = program.first_stream; s < program.first_stream + program.streams; ++s) {
      const TimePs ps = stream_ps(plan, plan.streams[s], computes),
                   delays_ps = stream_ps(plan, plan.streams[s], stands_for_communication);
      sum += ps;
      computing.longest_stream_ps = std::max(computing.longest_stream_ps, ps + delays_ps);
    }
    computing.min_ps = std::min(computing.min_ps, sum);
    computing.max_ps = std::max(computing.max_ps, sum);
  }
  return computing;
}

TimePs computing_end_ps(const World& world) {
  TimePs end = 0;
  for (u32 t = 0; t < world.programs.tasks.size(); ++t) {
    const Task& task = world.programs.tasks[t];
    const TimePs longest = computing_of(world, t).longest_stream_ps;
    if (longest != 0) end = std::max(end, task.start_ps + static_cast<TimePs>(task.iterations) * longest);
  }
  return end;
}

}  // namespace heddle
