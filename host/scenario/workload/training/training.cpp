#include "host/scenario/workload/training/training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "host/base/error.hpp"
#include "host/scenario/workload/training/checkpoint.hpp"
#include "host/scenario/workload/training/loads.hpp"
#include "host/scenario/workload/training/stage_program.hpp"

namespace heddle {
namespace {

/// Checks that heads and sequences are divided evenly.
void check_parts(const TrainingPlan& plan) {
  const auto check = [&](u64 whole, u32 parts, const char* what, const char* key) {
    if (whole % parts == 0) return;
    throw ConfigError(
        fmt::format("job[{0}].training.{1}: {2} does not divide the {3} {4}; every GPU has as many as the "
                    "next",
                    plan.job, key, parts, whole, what));
  };
  check(plan.model.attention_heads, plan.division.tensors, "attention heads", "tensor_parallel");
  check(plan.options.sequence_length, plan.division.contexts, "tokens of a sequence", "context_parallel");
}

/// Checks data-parallel collectives that are not simulated.
void check_timed(const TrainingPlan& plan) {
  const TrainingOptions& o = plan.options;
  const Division& d = plan.division;
  if (o.data_parallel == "fsdp" && (o.gather_ps == 0) != (o.reduce_ps == 0)) {
    throw ConfigError(fmt::format(
        "job[{0}].training: {1} is given, but {2} is not; with fsdp the two travel among the same GPUs, so both "
        "are simulated or neither: give {2}, too, or leave out {1}",
        plan.job, o.gather_ps == 0 ? "reduce" : "gather", o.gather_ps == 0 ? "gather" : "reduce"));
  }
  if (!o.data_is_timed()) return;
  if (d.tensors * d.contexts * d.stages == 1) {
    throw ConfigError(
        fmt::format("job[{}].training.reduce: these GPUs have nothing but data-parallel collectives to say to each "
                    "other, so nothing would be simulated; leave out gather and reduce",
                    plan.job));
  }
}

TrainingPlan plan_of(const TrainingOptions& o, u32 job, u32 gpus) {
  TrainingPlan plan{o, transformer_of(o, job), division_of(o, gpus, job), {}, job};
  const u32 chunks = plan.division.stages * o.virtual_stages;
  if (plan.model.layers < chunks) {
    throw ConfigError(
        fmt::format("job[{}].training: {} layers cannot be divided into pipeline_parallel {} x "
                    "virtual_stages {} chunks; take fewer stages",
                    job, plan.model.layers, plan.division.stages, o.virtual_stages));
  }
  if (plan.model.experts % plan.division.experts != 0) {
    throw ConfigError(fmt::format("job[{}].training.expert_parallel: {} does not divide the {} experts", job,
                                  plan.division.experts, plan.model.experts));
  }
  check_parts(plan);
  check_timed(plan);
  plan.layers = layers_of_chunks(static_cast<u32>(plan.model.layers), chunks);
  return plan;
}

/// Makes communicators in the order that communicators_of_stage() assumes.
class Maker {
 public:
  Maker(const TrainingPlan& plan, const JobOptions& options, const std::vector<EndpointId>& gpus)
      : p_(plan), d_(plan.division), options_(options), gpus_(gpus) {
    for (u32 s = 0; s < d_.stages; ++s) {
      with_.push_back(communicators_of_stage(plan, s));
      stages_.push_back(written(s, false));
    }
    if (plan.options.data.present()) stages_.push_back(written(0, true));
  }

  Communicators make() {
    add_groups(&StageCommunicators::tensor, [](RankPlace& p) { p.tensor = 0; });
    add_groups(&StageCommunicators::context, [](RankPlace& p) { p.context = 0; });
    add_groups(&StageCommunicators::data, [](RankPlace& p) { p.context = p.data = 0; });
    add_groups(&StageCommunicators::expert,
               [&](RankPlace& p) { d_.go_to_replica(d_.replica_of(p) - d_.replica_of(p) % d_.experts, p); });
    add_groups(&StageCommunicators::expert_data,
               [&](RankPlace& p) { d_.go_to_replica(d_.replica_of(p) % d_.experts, p); });
    for (u32 s = 0; s < d_.stages; ++s)
      add_pairs(&StageCommunicators::forward_out, &StageCommunicators::forward_in, s, (s + 1) % d_.stages);
    for (u32 s = 0; s < d_.stages; ++s)
      add_pairs(&StageCommunicators::backward_in, &StageCommunicators::backward_out, s, (s + 1) % d_.stages);
    return std::move(made_);
  }

  /// Of every stage; then of the GPUs of the first one that read data, if any do.
  const std::vector<StreamWriter>& stages() const { return stages_; }

 private:
  using Which = std::optional<u32> StageCommunicators::*;

  StreamWriter written(u32 stage, bool loads) const {
    StreamWriter program = write_stage(p_, stage, loads);
    if (p_.options.checkpoint.present()) program.store(checkpoint_operations(p_));
    return program;
  }

  /// In every stage: ranks for which `first` gives the same rank are one communicator.
  template <class First>
  void add_groups(Which which, const First& first) {
    for (u32 stage = 0; stage < d_.stages; ++stage) {
      if (!(with_[stage].*which)) continue;
      std::vector<std::vector<EndpointId>> ranks_of(d_.ranks());
      for (u32 rank = 0; rank < d_.ranks(); ++rank) {
        RankPlace place = d_.place_of(rank);
        if (place.stage != stage) continue;
        first(place);
        ranks_of[d_.rank_of(place)].push_back(gpus_[rank]);
      }
      const u32 own = *(with_[stage].*which);
      std::erase_if(ranks_of, [](const auto& ranks) { return ranks.empty(); });
      add_all(with_[stage].groups[own], stages_[stage].calls()[own], std::move(ranks_of));
    }
  }

  /// Adds the communicators of stage `s` with the next stage; the first rank sends.
  void add_pairs(Which own, Which of_next, u32 s, u32 next) {
    if (!(with_[s].*own)) return;
    const bool receives = own == &StageCommunicators::backward_in;
    std::vector<std::vector<EndpointId>> pairs;
    for (u32 rank = 0; rank < d_.ranks(); ++rank) {
      RankPlace place = d_.place_of(rank);
      if (place.stage != s) continue;
      place.stage = next;
      pairs.push_back({gpus_[rank], gpus_[d_.rank_of(place)]});
      if (receives) std::swap(pairs.back()[0], pairs.back()[1]);
    }
    const std::vector<CollectiveCall>& calls = stages_[s].calls()[*(with_[s].*own)];
    if (calls != stages_[next].calls()[*(with_[next].*of_next)])
      throw std::logic_error("training: two stages disagree on what they send each other");
    add_all(Group::pipeline, calls, std::move(pairs));
  }

  void add_all(Group group, const std::vector<CollectiveCall>& calls, std::vector<std::vector<EndpointId>> all) {
    for (std::vector<EndpointId>& ranks : all) {
      Communicator c;
      c.sequence = sequence_of(group, calls, ranks);
      c.group = group;
      c.by_program = true;
      c.ranks = std::move(ranks);
      made_.all.push_back(std::move(c));
    }
    first_open_ = made_.sequences.size();
  }

  /// The sequence of a communicator; those added together share one if as many of their ranks are in each server.
  u32 sequence_of(Group group, const std::vector<CollectiveCall>& calls, const std::vector<EndpointId>& ranks) {
    const u32 together = in_each_server(group, ranks);
    for (size_t s = first_open_; s < made_.sequences.size(); ++s) {
      if (made_.sequences[s].options.gpus_per_server == together) return static_cast<u32>(s);
    }
    Sequence sequence{options_, calls, p_.options.iterations};
    sequence.options.gpus = static_cast<u32>(ranks.size());
    sequence.options.root = 0;
    sequence.options.gpus_per_server = together;
    made_.sequences.push_back(std::move(sequence));
    return static_cast<u32>(made_.sequences.size() - 1);
  }

  u32 in_each_server(Group group, const std::vector<EndpointId>& ranks) const {
    const u32 together = ranks_in_each_server(ranks, options_.gpus_per_server);
    if (together != 0) return together;
    throw ConfigError(fmt::format(
        "job[{0}].training: its {1}-parallel groups have more ranks in one server than in another; with "
        "gpus_per_server = {2}, take tensor_parallel x context_parallel x pipeline_parallel (with rank_order "
        "tp-cp-dp-pp: x data-parallel replicas) that divides {2} or is a multiple of it, and so tensor_parallel and "
        "context_parallel",
        p_.job, group_word(group), options_.gpus_per_server));
  }

  static const char* group_word(Group group) {
    constexpr const char* kWords[] = {"", "tensor", "context", "pipeline", "data", "expert"};
    return kWords[static_cast<u32>(group)];
  }

  const TrainingPlan& p_;
  const Division& d_;
  const JobOptions& options_;
  const std::vector<EndpointId>& gpus_;
  std::vector<StageCommunicators> with_;  // [stage]
  std::vector<StreamWriter> stages_;      // as stages()
  Communicators made_;
  size_t first_open_ = 0;  // earlier sequences belong to other communicators
};

u32 q16(double ratio) { return static_cast<u32>(std::llround(ratio * 65536)); }

}  // namespace

Communicators add_training(const JobOptions& options, u32 job, const std::vector<EndpointId>& gpus,
                           ProgramPlan& programs) {
  const TrainingOptions& o = options.training;
  const u32 ranks = static_cast<u32>(gpus.size());
  const TrainingPlan plan = plan_of(o, job, ranks);
  Maker maker(plan, options, gpus);
  Communicators communicators = maker.make();
  const u32 first_program = static_cast<u32>(programs.programs.size()), task = static_cast<u32>(programs.tasks.size());
  for (const StreamWriter& stage : maker.stages()) add_program(stage.streams(), programs);
  programs.tasks.push_back({job, o.start_ps, o.iterations, q16(o.jitter)});
  for (const u64 rank : o.slow_ranks) {
    if (rank >= ranks)
      throw ConfigError(
          fmt::format("job[{}].training.slow_ranks: rank {} of {}; give 0 to {}", job, rank, ranks, ranks - 1));
  }
  for (u32 rank = 0; rank < ranks; ++rank) {
    const bool slow = std::ranges::find(o.slow_ranks, rank) != o.slow_ranks.end();
    const RankPlace place = plan.division.place_of(rank);
    const u32 program = o.data.present() && reads_data(place) ? plan.division.stages : place.stage;
    programs.runs.push_back({gpus[rank], task, first_program + program, slow ? q16(o.slow_by) : 0});
  }
  return communicators;
}

}  // namespace heddle
