#include "host/scenario/workload/collective/composed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/base/error.hpp"
#include "host/scenario/workload/collective/choice.hpp"

namespace heddle {
namespace {

/// The stages of one kind of collective, on each of its lanes, and the first of their communicators as a GPU's program
/// numbers them. Tokens have a lane for each channel, and no lane waits for another.
struct Staged {
  std::vector<Stage> stages;
  u32 lanes, first_communicator;

  u32 count() const { return static_cast<u32>(stages.size()) * lanes; }
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
      Staged staged{layout->stages(of), carries_tokens(call.kind) ? options.sms / 2 : 1, next};
      next += staged.count();
      max_streams_ = std::max(max_streams_, staged.count());
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
      if (found != staged_.end()) parts += u64{call.repeat} * pieces_of(call) * found->second.count();
    }
    return parts;
  }

  void add_communicators(Communicators& communicators) const {
    for (const CollectiveKind kind : kinds_) {
      for (const Stage& stage : staged_.at(kind).stages) add_stage(kind, stage, communicators);
    }
  }

  /// A stream for each stage, on each lane: a piece waits until the previous stage has finished it.
  std::vector<std::vector<Op>> streams() const {
    std::vector<std::vector<Op>> streams(max_streams_);
    for (const CollectiveCall& call : calls()) {
      const auto found = staged_.find(call.kind);
      if (found == staged_.end()) continue;
      for (u32 i = 0; i < call.repeat; ++i) add_ops(call, found->second, streams);
    }
    return streams;
  }

 private:
  std::span<const CollectiveCall> calls() const { return job_.sequences[0].calls; }
  const std::vector<EndpointId>& gpus() const { return job_.all[0].ranks; }

  u32 pieces_of(const CollectiveCall& call) const {
    return call.tokens == nullptr ? options_.pieces : call.tokens->pieces(options_.sms / 2);
  }

  /// Adds the parts of a call that the ranks of a communicator do in a stage. Tokens are launched with the first stage.
  void add_calls(const CollectiveCall& call, const Staged& staged, const Stage& stage, const std::vector<u32>& ranks,
                 std::vector<CollectiveCall>& calls) const {
    const u32 pieces = pieces_of(call);
    if (call.tokens == nullptr) {
      const u64 parts = u64{stage.share} * pieces;
      calls.push_back({stage.kind, (call.bytes + parts - 1) / parts, 0, call.repeat * pieces});
      return;
    }
    const auto matrix = std::make_shared<const PlainByteMatrix>(
        bytes_between(*call.tokens, call.kind, ranks, u64{staged.lanes} * pieces));
    const bool launches = &stage == staged.stages.data();
    CollectiveCall part{stage.kind, bytes_of_busiest(*matrix), 0, 1, matrix};
    for (u32 i = 0; i < call.repeat; ++i) {
      part.repeat = 1;
      part.part = launches ? KernelPart::first : KernelPart::later;
      calls.push_back(part);
      part.repeat = pieces - 1;
      part.part = KernelPart::later;
      if (pieces > 1) calls.push_back(part);
    }
  }

  Sequence sequence_of(CollectiveKind kind, const Stage& stage, const std::vector<u32>& ranks) const {
    Sequence sequence{options_, {}};
    sequence.options.gpus = stage.ranks;
    sequence.options.gpus_per_server = ranks_in_each_server(gpus_of(ranks), options_.gpus_per_server);
    sequence.options.algorithm = "auto";
    sequence.options.root = 0;
    if (carries_tokens(kind)) {
      sequence.options.p2p_channels = 1;                                      // of each lane
      if (options_.protocol == "auto") sequence.options.protocol = "simple";  // counters behind the data, whatever size
    }
    for (const CollectiveCall& call : calls()) {
      if (call.kind == kind) add_calls(call, staged_.at(kind), stage, ranks, sequence.calls);
    }
    return sequence;
  }

  std::vector<EndpointId> gpus_of(const std::vector<u32>& ranks) const {
    std::vector<EndpointId> all;
    all.reserve(ranks.size());
    for (const u32 rank : ranks) all.push_back(gpus()[rank]);
    return all;
  }

  /// The communicators of a stage do the same, but those of tokens: each carries its own.
  void add_stage(CollectiveKind kind, const Stage& stage, Communicators& communicators) const {
    const std::vector<std::vector<u32>> all = communicators_of(stage, static_cast<u32>(gpus().size()));
    const auto first = static_cast<u32>(communicators.sequences.size());
    const u32 sequences = carries_tokens(kind) ? static_cast<u32>(all.size()) : 1;
    for (u32 i = 0; i < sequences; ++i) communicators.sequences.push_back(sequence_of(kind, stage, all[i]));
    for (u32 lane = 0; lane < staged_.at(kind).lanes; ++lane) {
      for (u32 i = 0; i < all.size(); ++i)
        communicators.all.push_back(
            {.sequence = first + i % sequences, .group = Group::stage, .by_program = true, .ranks = gpus_of(all[i])});
    }
  }

  void add_ops(const CollectiveCall& call, const Staged& staged, std::vector<std::vector<Op>>& streams) const {
    const auto stages = static_cast<u32>(staged.stages.size());
    const auto wait_for = [&](u32 stream, u32 n) {
      return Op{.kind = OpKind::wait, .stream = static_cast<u16>(stream), .n = n};
    };
    const auto done_in = [&](u32 stream) { return static_cast<u32>(streams[stream].size()); };
    streams[0].push_back({.kind = OpKind::entered, .n = 0});
    const u32 entered = done_in(0);
    for (u32 lane = 0; lane < staged.lanes; ++lane) {
      std::vector<u32> done(pieces_of(call));  // operations of the previous stage when it has finished the piece
      for (u32 s = 0; s < stages; ++s) {
        const u32 stream = lane * stages + s;
        std::vector<Op>& ops = streams[stream];
        if (s == 0 && lane > 0) ops.push_back(wait_for(0, entered));
        for (u32& piece : done) {
          if (s > 0) ops.push_back(wait_for(stream - 1, piece));
          ops.push_back({.kind = OpKind::collective, .n = staged.first_communicator + s * staged.lanes + lane});
          piece = done_in(stream);
        }
      }
    }
    std::vector<Op>& last = streams[staged.count() - 1];
    for (u32 stream = stages - 1; stream + 1 < staged.count(); stream += stages)
      last.push_back(wait_for(stream, done_in(stream)));
    last.push_back({.kind = OpKind::finish, .n = 0});
  }

  const JobOptions& options_;
  const Communicators& job_;
  std::map<CollectiveKind, Staged> staged_;
  std::vector<CollectiveKind> kinds_;  // in order of their first calls
  u32 max_streams_ = 0;
};

}  // namespace

void compose(const JobOptions& options, u32 job, Communicators& communicators, ProgramPlan& programs) {
  const Communicators plain = communicators;
  const Composer composer(options, plain);
  if (composer.nothing()) return;
  if (composer.parts() > kMaxCollectives) {
    throw ConfigError(
        fmt::format("job[{}]: its collectives are composed of {} smaller ones at every GPU, and there can be {}; use "
                    "fewer pieces or sizes (of tokens: a larger chunk_tokens, fewer sms), or a smaller repeat",
                    job, composer.parts(), kMaxCollectives));
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
