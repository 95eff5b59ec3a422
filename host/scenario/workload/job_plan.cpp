#include "host/scenario/workload/job_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/error.hpp"
#include "host/scenario/workload/collective/channels.hpp"
#include "host/scenario/workload/collective/choice.hpp"
#include "host/scenario/workload/collective/composed.hpp"
#include "host/scenario/workload/trace/replay.hpp"
#include "host/scenario/workload/training/training.hpp"

namespace heddle {
namespace {

/// A library's barrier is an all-reduce of one number.
constexpr u64 kBarrierBytes = 4;

void check_matrix(const CollectiveStepOptions& step, u32 job, size_t number, u32 ranks) {
  if (!step.sizes_bytes.empty()) {
    throw ConfigError(fmt::format(
        "job[{}].collective[{}].sizes: matrix_file says what an all_to_all_v carries; leave sizes out", job, number));
  }
  if (step.matrix == nullptr) {
    throw ConfigError(
        fmt::format("job[{}].collective[{}].matrix_file: an all_to_all_v needs it; give a file with a line of bytes "
                    "for each rank, or use all_to_all if all ranks send each other the same",
                    job, number));
  }
  if (step.matrix->ranks != ranks) {
    throw ConfigError(
        fmt::format("job[{}].collective[{}].matrix_file: {} is for {} ranks, and the job has {} GPUs; change "
                    "job[{}].gpus or the file",
                    job, number, step.matrix_file, step.matrix->ranks, ranks, job));
  }
  if (bytes_of_busiest(*step.matrix) == 0) {
    throw ConfigError(
        fmt::format("job[{}].collective[{}].matrix_file: in {} nobody sends anything to another rank, so "
                    "there is nothing to simulate",
                    job, number, step.matrix_file));
  }
}

/// The bytes of each of a step's collectives.
std::vector<u64> sizes_of(const CollectiveStepOptions& step, CollectiveKind kind, const TokenTraffic* tokens, u32 job) {
  if (kind == CollectiveKind::barrier) {
    if (!step.sizes_bytes.empty())
      throw ConfigError(
          fmt::format("job[{}].collective.sizes: a barrier carries nothing of its own; leave it out", job));
    return {kBarrierBytes};
  }
  if (kind == CollectiveKind::all_to_all_v) return {bytes_of_busiest(*step.matrix)};
  if (tokens != nullptr) return {counted_bytes(*tokens)};
  if (step.sizes_bytes.empty() || step.repeat == 0) {
    throw ConfigError(fmt::format(
        "job[{}].collective: {} has no sizes (or repeat = 0); give sizes, such as [\"64 MiB\"]", job, step.kind));
  }
  if (std::ranges::find(step.sizes_bytes, 0U) != step.sizes_bytes.end())
    throw ConfigError(fmt::format("job[{}].collective.sizes: 0 B; give at least 1", job));
  return step.sizes_bytes;
}

void check_sms(const JobOptions& options, u32 job) {
  if (options.sms % 2 == 0) return;
  throw ConfigError(fmt::format(
      "job[{}].sms = {}: a channel of dispatch and combine takes two of them; give an even number", job, options.sms));
}

/// Adds the calls of every size, `repeat` times each; with an interval one by one, each with its own start.
void add_calls(const CollectiveStepOptions& step, const JobOptions& options, u32 job, size_t number,
               std::vector<CollectiveCall>& calls) {
  const CollectiveKind kind = kind_of(step.kind, job);
  if (kind == CollectiveKind::all_to_all_v) check_matrix(step, job, number, options.gpus);
  std::shared_ptr<const TokenTraffic> tokens;
  if (carries_tokens(kind)) {
    check_sms(options, job);
    tokens = std::make_shared<const TokenTraffic>(route_tokens(step, kind, options.gpus, options.gpus_per_server,
                                                               fmt::format("job[{}].collective[{}]", job, number)));
  }
  TimePs start_ps = step.start_ps;
  for (const u64 bytes : sizes_of(step, kind, tokens.get(), job)) {
    if (step.interval_ps == 0) {
      calls.push_back({kind, bytes, start_ps, step.repeat, step.matrix, tokens});
      continue;
    }
    for (u32 i = 0; i < step.repeat; ++i) {
      if (start_ps > kNever)
        throw ConfigError(fmt::format(
            "job[{}].collective.interval: {} sizes, {} times each, {} ps apart would last beyond the longest run of "
            "{} s; take fewer of them or a shorter interval",
            job, step.sizes_bytes.size(), step.repeat, step.interval_ps, kNever / 1'000'000'000'000));
      calls.push_back({kind, bytes, start_ps, 1, step.matrix, tokens});
      start_ps += step.interval_ps;
    }
  }
}

/// The communicator of all ranks, which runs the job's collectives one after the other.
Communicators plain_communicators(const JobOptions& options, u32 job, const std::vector<EndpointId>& gpus,
                                  ProgramPlan& programs) {
  if (options.collectives.empty()) {
    throw ConfigError(fmt::format(
        "job[{}]: has no [[job.collective]], [job.training] or [job.trace], so it would do nothing; add one", job));
  }
  Sequence sequence{options, {}};
  sequence.options.gpus = static_cast<u32>(gpus.size());
  for (size_t c = 0; c < options.collectives.size(); ++c)
    add_calls(options.collectives[c], sequence.options, job, c, sequence.calls);
  check_algorithm_of_list(options, job, sequence.calls);
  Communicators communicators{{std::move(sequence)}, {{.ranks = gpus}}};
  compose(options, job, communicators, programs);
  return communicators;
}

}  // namespace

PlannedJob plan_job(const JobOptions& options, u32 job, const std::vector<EndpointId>& gpus, World& world) {
  if (options.training.present() + options.trace.present() + !options.collectives.empty() > 1) {
    throw ConfigError(fmt::format(
        "job[{}]: has more than one of [job.training], [job.trace] and [[job.collective]]; make them jobs of "
        "their own, with share_gpus = true if they run on the same GPUs",
        job));
  }
  PlannedJob plan;
  plan.communicators = options.training.present() ? add_training(options, job, gpus, world.programs)
                       : options.trace.present()  ? add_trace(options, job, gpus, *options.replayed, world.programs)
                                                  : plain_communicators(options, job, gpus, world.programs);
  if (options.collectives.empty()) check_algorithm_of_programs(options, job, plan.communicators);
  for (Sequence& sequence : plan.communicators.sequences) {
    sequence.options.cross_nic = cross_nic_on(world.fabric, sequence.options);
    plan.sequences.push_back(plan_sequence(sequence, job, world));
  }
  return plan;
}

Job job_of(const Communicator& communicator, const Sequence& sequence, u32 job) {
  Job made;
  made.ranks = communicator.ranks;
  made.number = job;
  made.group = communicator.group;
  made.by_program = communicator.by_program;
  made.composed = communicator.composed;
  made.gpus_per_server = sequence.options.gpus_per_server;
  made.scaling = sequence.options.qp_scaling == "split" ? QpScaling::split : QpScaling::round_robin;
  made.slices_per_cts = sequence.options.slices_per_cts;
  return made;
}

}  // namespace heddle
