#include "host/check/estimates/first_moments.hpp"

#include <algorithm>

namespace heddle {
namespace {

constexpr u32 kMinIterations = 2;  // collectives of the second may begin before the first is over

/// The task of a job that trains: an equal part of the job's collectives belongs to each iteration.
const Task* task_of(const World& world, const Job& job) {
  if (!job.by_program) return nullptr;
  const auto of_job = [&](const Task& task) { return task.trains && task.job == job.number; };
  const auto found = std::ranges::find_if(world.programs.tasks, of_job);
  return found == world.programs.tasks.end() ? nullptr : &*found;
}

u32 iterations_left(const Task& task, u64 collectives, u64 max_collectives) {
  const u64 left = task.iterations * max_collectives / std::max<u64>(collectives, 1);
  return static_cast<u32>(std::clamp<u64>(left, std::min(kMinIterations, task.iterations), task.iterations));
}

}  // namespace

World first_moments(const World& world, u64 max_collectives) {
  World first;
  first.seed = world.seed;
  first.clocks = world.clocks;
  first.fabric = world.fabric;
  first.failures = world.failures;
  first.routing = world.routing;
  first.roce = world.roce;
  first.tcp = world.tcp;
  first.congestion = world.congestion;
  first.traffic = world.traffic;
  first.programs = world.programs;
  const CollectivePlan& plan = world.collectives;
  CollectivePlan& made = first.collectives;
  made.settings = plan.settings;
  made.schedules = plan.schedules;
  made.connections = plan.connections;
  made.channel_ends = plan.channel_ends;
  const u64 collectives = plan.collectives.size();
  for (Task& task : first.programs.tasks) {
    if (task.trains) task.iterations = iterations_left(task, collectives, max_collectives);
  }
  for (const Job& job : plan.jobs) {
    Job part = job;
    const Task* const task = task_of(world, job);
    const u64 of_iteration = task == nullptr ? 0 : job.collectives.size() / task->iterations;
    if (task != nullptr) part.collectives.resize(of_iteration * iterations_left(*task, collectives, max_collectives));
    for (u32& id : part.collectives) {
      made.collectives.push_back(plan.collectives[id]);
      id = static_cast<u32>(made.collectives.size() - 1);
    }
    made.jobs.push_back(std::move(part));
  }
  return first;
}

}  // namespace heddle
