#include "host/scenario/workload/collective/composed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/base/error.hpp"
#include "host/scenario/workload/collective/choice.hpp"

namespace heddle {
namespace {

/// The stages of one kind of collective, and the first of their communicators as a GPU's program numbers them.
struct Staged {
  std::vector<Stage> stages;
  u32 first_communicator;
};

/// Adds the communicators: a GPU is in one of each stage. The first that its program names is the job's own.
class Composer {
 public:
  Composer(const JobOptions& options, const Communicators& job) : options_(options), job_(job) {
    u32 next = 1;
    for (const CollectiveCall& call : calls()) {
      const Layout* layout = composed_layout(options, call.kind);
      if (layout == nullptr || staged_.contains(call.kind)) continue;
      const Composition of{call.kind, static_cast<u32>(gpus().size()), options.gpus_per_server};
      Staged staged{layout->stages(of), next};
      next += static_cast<u32>(staged.stages.size());
      max_stages_ = std::max(max_stages_, staged.stages.size());
      staged_.emplace(call.kind, std::move(staged));
      kinds_.push_back(call.kind);
    }
  }

  bool nothing() const { return staged_.empty(); }

  /// The number of collectives of a GPU over all stages.
  u64 parts() const {
    u64 parts = 0;
    for (const CollectiveCall& call : calls()) {
      const auto found = staged_.find(call.kind);
      if (found != staged_.end()) parts += u64{call.repeat} * options_.pieces * found->second.stages.size();
    }
    return parts;
  }

  void add_communicators(Communicators& communicators) const {
    for (const CollectiveKind kind : kinds_) {
      for (const Stage& stage : staged_.at(kind).stages) add_stage(kind, stage, communicators);
    }
  }

  /// A stream for each stage: a piece waits until the previous stage has finished it.
  std::vector<std::vector<Op>> streams() const {
    std::vector<std::vector<Op>> streams(max_stages_);
    for (const CollectiveCall& call : calls()) {
      const auto found = staged_.find(call.kind);
      if (found == staged_.end()) continue;
      for (u32 i = 0; i < call.repeat; ++i) add_ops(found->second, streams);
    }
    return streams;
  }

 private:
  std::span<const CollectiveCall> calls() const { return job_.sequences[0].calls; }
  const std::vector<EndpointId>& gpus() const { return job_.all[0].ranks; }

  void add_stage(CollectiveKind kind, const Stage& stage, Communicators& communicators) const {
    Sequence sequence{options_, {}};
    for (const CollectiveCall& call : calls()) {
      if (call.kind != kind) continue;
      const u64 parts = u64{stage.share} * options_.pieces;
      sequence.calls.push_back({stage.kind, (call.bytes + parts - 1) / parts, 0, call.repeat * options_.pieces});
    }
    sequence.options.gpus = stage.ranks;
    sequence.options.algorithm = "auto";
    sequence.options.root = 0;
    for (const std::vector<u32>& ranks : communicators_of(stage, static_cast<u32>(gpus().size()))) {
      Communicator made{
          .sequence = static_cast<u32>(communicators.sequences.size()), .group = Group::stage, .by_program = true};
      for (const u32 rank : ranks) made.ranks.push_back(gpus()[rank]);
      sequence.options.gpus_per_server = ranks_in_each_server(made.ranks, options_.gpus_per_server);
      communicators.all.push_back(std::move(made));
    }
    communicators.sequences.push_back(std::move(sequence));
  }

  void add_ops(const Staged& staged, std::vector<std::vector<Op>>& streams) const {
    std::vector<u32> done;  // [piece] operations of the previous stage when it has finished the piece
    for (u32 s = 0; s < staged.stages.size(); ++s) {
      std::vector<Op>& ops = streams[s];
      if (s == 0) ops.push_back({.kind = OpKind::entered, .n = 0});
      for (u32 piece = 0; piece < options_.pieces; ++piece) {
        if (s > 0) ops.push_back({.kind = OpKind::wait, .stream = static_cast<u16>(s - 1), .n = done[piece]});
        ops.push_back({.kind = OpKind::collective, .n = staged.first_communicator + s});
        done.resize(options_.pieces);
        done[piece] = static_cast<u32>(ops.size());
      }
    }
    streams[staged.stages.size() - 1].push_back({.kind = OpKind::finish, .n = 0});
  }

  const JobOptions& options_;
  const Communicators& job_;
  std::map<CollectiveKind, Staged> staged_;
  std::vector<CollectiveKind> kinds_;  // in order of their first calls
  size_t max_stages_ = 0;
};

}  // namespace

void compose(const JobOptions& options, u32 job, Communicators& communicators, ProgramPlan& programs) {
  const Communicators plain = communicators;
  const Composer composer(options, plain);
  if (composer.nothing()) return;
  if (composer.parts() > kMaxCollectives) {
    throw ConfigError(
        fmt::format("job[{}]: its collectives by {} are {} smaller ones at every GPU, and there can be {}; use "
                    "fewer pieces, fewer sizes or a smaller repeat",
                    job, options.algorithm, composer.parts(), kMaxCollectives));
  }
  communicators.all[0].composed = true;
  composer.add_communicators(communicators);
  const u32 program = add_program(composer.streams(), programs);
  const auto task = static_cast<u32>(programs.tasks.size());
  programs.tasks.push_back({.job = job, .trains = false});
  for (const EndpointId gpu : plain.all[0].ranks)
    programs.runs.push_back({.gpu = gpu, .task = task, .program = program});
}

}  // namespace heddle
