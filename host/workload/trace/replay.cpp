#include "host/workload/trace/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "host/error.hpp"

namespace heddle {
namespace {

/// A rank's program: a stream for each of its processors, then one for each of its communicators, in order of their
/// numbers. What waits for each other in one stream needs no wait.
class RankWriter {
 public:
  RankWriter(const Trace& trace, u32 rank, double compute_scale) : ops_(trace.ranks[rank]), scale_(compute_scale) {
    for (const TraceOp& op : ops_) (op.computes ? processors_ : communicators_).insert({number_in(op), 0});
    u32 next = 0;
    for (auto* streams : {&processors_, &communicators_}) {
      for (auto& [number, stream] : *streams) stream = next++;
    }
    streams_.resize(next);
    calls_.resize(communicators_.size());
    for (const TraceOp& op : ops_) add(op, trace);
  }

  const std::vector<std::vector<Op>>& streams() const { return streams_; }
  /// By communicator of this rank, ascending.
  const std::vector<std::vector<CollectiveCall>>& calls() const { return calls_; }
  u32 place_of(u32 communicator) const {
    return communicators_.at(communicator) - static_cast<u32>(processors_.size());
  }
  bool takes_part(u32 communicator) const { return communicators_.contains(communicator); }

 private:
  static u32 number_in(const TraceOp& op) { return op.computes ? op.processor : op.communicator; }

  void add(const TraceOp& op, const Trace& trace) {
    const u32 stream = (op.computes ? processors_ : communicators_).at(number_in(op));
    for (const u32 before : op.after) wait(stream, before, op.computes, trace);
    Op made;
    if (op.computes) {
      made.ps = static_cast<TimePs>(std::llround(static_cast<double>(op.compute_ps) * scale_));
    } else {
      made.kind = OpKind::collective;
      made.n = place_of(op.communicator);
      calls_[made.n].push_back({op.kind, op.bytes});
    }
    streams_[stream].push_back(made);
    done_.push_back({stream, static_cast<u32>(streams_[stream].size())});
  }

  void wait(u32 stream, u32 before, bool computes, const Trace& trace) {
    const auto [of, operations] = done_[before];
    if (of == stream) return;
    Op op;
    op.kind = OpKind::wait;
    op.stream = static_cast<u16>(of);
    op.n = operations;
    const TraceOp& awaited = ops_[before];
    if (computes && !awaited.computes) op.group = static_cast<u8>(trace.communicators[awaited.communicator].group);
    streams_[stream].push_back(op);
  }

  const std::vector<TraceOp>& ops_;
  double scale_;
  std::map<u32, u32> processors_, communicators_;  // -> stream
  std::vector<std::pair<u32, u32>> done_;          // [operation] its stream, and how many of that are done with it
  std::vector<std::vector<Op>> streams_;
  std::vector<std::vector<CollectiveCall>> calls_;
};

void check_writer(const RankWriter& writer, const Trace& trace, u32 rank, u32 job) {
  if (writer.streams().size() > 0xffff) {
    throw ConfigError(
        fmt::format("job[{}].trace: rank {} of '{}' needs {} streams (processors, and partners with tags), "
                    "and a GPU can have 65,535",
                    job, rank, trace.file, writer.streams().size()));
  }
  for (const std::vector<Op>& ops : writer.streams()) {
    if (std::ranges::all_of(ops, [](const Op& op) { return op.ps < kMostComputePs; })) continue;
    throw ConfigError(
        fmt::format("job[{}].trace: a computation of rank {} of '{}' takes more than {:.1f} s; take a "
                    "smaller compute_scale",
                    job, rank, trace.file, static_cast<double>(kMostComputePs) / 1e12));
  }
}

/// All ranks of a communicator have to call the same.
void check_calls(const Trace& trace, u32 communicator, const std::vector<RankWriter>& writers, u32 job) {
  const std::vector<u32>& ranks = trace.communicators[communicator].ranks;
  const auto of = [&](u32 rank) -> const std::vector<CollectiveCall>& {
    return writers[rank].calls()[writers[rank].place_of(communicator)];
  };
  for (const u32 rank : ranks) {
    if (writers[rank].takes_part(communicator) && of(rank) == of(ranks[0])) continue;
    throw ConfigError(
        fmt::format("job[{}].trace: in '{}' ranks {} and {} do different things in the same communicator; "
                    "all of its ranks must do the same, in the same order",
                    job, trace.file, ranks[0], rank));
  }
}

class Replay {
 public:
  Replay(const JobOptions& options, u32 job, const std::vector<EndpointId>& gpus, const Trace& trace)
      : options_(options), job_(job), gpus_(gpus), trace_(trace) {
    for (u32 rank = 0; rank < trace.ranks.size(); ++rank) {
      writers_.emplace_back(trace, rank, options.trace.compute_scale);
      check_writer(writers_.back(), trace, rank, job);
    }
  }

  Communicators communicators() {
    for (u32 c = 0; c < trace_.communicators.size(); ++c) {
      check_calls(trace_, c, writers_, job_);
      const TraceCommunicator& from = trace_.communicators[c];
      Communicator made;
      for (const u32 rank : from.ranks) made.ranks.push_back(gpus_[rank]);
      made.group = from.group;
      made.by_program = true;
      const RankWriter& first = writers_[from.ranks[0]];
      made.sequence = sequence_of(first.calls()[first.place_of(c)], made.ranks);
      made_.all.push_back(std::move(made));
    }
    return std::move(made_);
  }

  /// GPUs whose streams are the same share one program.
  void add_programs(ProgramPlan& programs) const {
    const auto task = static_cast<u32>(programs.tasks.size());
    programs.tasks.push_back({job_, options_.trace.start_ps, options_.trace.iterations, 0});
    std::map<std::vector<std::vector<std::array<u64, 3>>>, u32> known;
    for (u32 rank = 0; rank < writers_.size(); ++rank) {
      const auto [found, is_new] =
          known.try_emplace(words_of(writers_[rank].streams()), static_cast<u32>(programs.programs.size()));
      if (is_new) add_program(writers_[rank].streams(), programs);
      programs.runs.push_back({gpus_[rank], task, found->second, 0});
    }
  }

 private:
  static std::vector<std::vector<std::array<u64, 3>>> words_of(const std::vector<std::vector<Op>>& streams) {
    std::vector<std::vector<std::array<u64, 3>>> words(streams.size());
    for (size_t s = 0; s < streams.size(); ++s) {
      for (const Op& op : streams[s]) {
        words[s].push_back({(static_cast<u64>(op.kind) << 32) | (static_cast<u64>(op.group) << 16) | op.stream, op.n,
                            static_cast<u64>(op.ps)});
      }
    }
    return words;
  }

  /// Communicators that do the same, with as many ranks, as many in each server, share one.
  u32 sequence_of(const std::vector<CollectiveCall>& calls, const std::vector<EndpointId>& ranks) {
    // Where they are uneven, rings go from rank to rank as if each were alone in its server.
    const u32 together = std::max(ranks_in_each_server(ranks, options_.gpus_per_server), 1u);
    std::vector<u64> key = {ranks.size(), together};
    for (const CollectiveCall& call : calls) key.insert(key.end(), {static_cast<u64>(call.kind), call.bytes});
    const auto [found, is_new] = known_.try_emplace(std::move(key), static_cast<u32>(made_.sequences.size()));
    if (!is_new) return found->second;
    Sequence sequence{options_, calls, options_.trace.iterations};
    sequence.options.gpus = static_cast<u32>(ranks.size());
    sequence.options.gpus_per_server = together;
    sequence.options.root = 0;
    made_.sequences.push_back(std::move(sequence));
    return found->second;
  }

  const JobOptions& options_;
  u32 job_;
  const std::vector<EndpointId>& gpus_;
  const Trace& trace_;
  std::vector<RankWriter> writers_;  // [rank]
  std::map<std::vector<u64>, u32> known_;
  Communicators made_;
};

}  // namespace

Communicators add_trace(const JobOptions& options, u32 job, const std::vector<EndpointId>& gpus, const Trace& trace,
                        ProgramPlan& programs) {
  if (trace.ranks.size() != gpus.size()) {
    throw ConfigError(
        fmt::format("job[{0}].trace: '{1}' has {2} ranks, but the job has {3} GPUs; set job[{0}].gpus = {2}", job,
                    trace.file, trace.ranks.size(), gpus.size()));
  }
  Replay replay(options, job, gpus, trace);
  Communicators communicators = replay.communicators();
  if (communicators.all.empty()) {
    throw ConfigError(
        fmt::format("job[{}].trace: nobody in '{}' sends anything, so there is nothing to simulate", job, trace.file));
  }
  replay.add_programs(programs);
  return communicators;
}

}  // namespace heddle
