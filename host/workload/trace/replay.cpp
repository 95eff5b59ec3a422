#include "host/workload/trace/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "host/error.hpp"

namespace heddle {
namespace {

/// A program of ranks that do the same: a stream for each of their processors, then one for each of their
/// communicators. What waits for each other in one stream needs no wait.
class ProgramWriter {
 public:
  /// `groups`: of its communicators.
  ProgramWriter(const std::vector<TraceOp>& ops, std::vector<Group> groups, double compute_scale)
      : ops_(ops), groups_(std::move(groups)), scale_(compute_scale) {
    for (const TraceOp& op : ops_) {
      if (op.computes) processors_.insert({op.processor, 0});
    }
    u32 next = 0;
    for (auto& [number, stream] : processors_) stream = next++;
    main_ = busiest();
    streams_.resize(next + groups_.size());
    awaited_.resize(streams_.size(), 0);
    calls_.resize(groups_.size());
    for (const TraceOp& op : ops_) add(op);
    await_the_rest();
  }

  const std::vector<std::vector<Op>>& streams() const { return streams_; }
  /// By communicator.
  const std::vector<std::vector<CollectiveCall>>& calls() const { return calls_; }

 private:
  u32 stream_of(const TraceOp& op) const {
    return op.computes ? processors_.at(op.processor) : static_cast<u32>(processors_.size()) + op.communicator;
  }

  /// The processor that computes longest: when it waits, communication is exposed. What waits beside it, such as
  /// SimAI's updates, does not make the step longer by that.
  u32 busiest() const {
    std::vector<TimePs> computed(processors_.size());
    for (const TraceOp& op : ops_) {
      if (op.computes) computed[processors_.at(op.processor)] += op.compute_ps;
    }
    return static_cast<u32>(std::ranges::max_element(computed) - computed.begin());
  }

  void add(const TraceOp& op) {
    const u32 stream = stream_of(op);
    for (const u32 before : op.after) wait_for(before, stream, op.computes && stream == main_);
    Op made;
    if (op.computes) {
      made.ps = static_cast<TimePs>(std::llround(static_cast<double>(op.compute_ps) * scale_));
    } else {
      made.kind = OpKind::collective;
      made.n = op.communicator;
      calls_[made.n].push_back({op.kind, op.bytes});
    }
    streams_[stream].push_back(made);
    done_.push_back(static_cast<u32>(streams_[stream].size()));
  }

  void wait_for(u32 before, u32 stream, bool stands_still) {
    const TraceOp& awaited = ops_[before];
    const u32 of = stream_of(awaited);
    if (of == stream) return;
    const bool counts = stands_still && !awaited.computes;
    add_wait(stream, of, done_[before], counts ? static_cast<u8>(groups_[awaited.communicator]) : kNoGroup);
    if (counts) awaited_[of] = std::max(awaited_[of], done_[before]);
  }

  void add_wait(u32 stream, u32 of, u32 operations, u8 group) {
    Op op;
    op.kind = OpKind::wait;
    op.group = group;
    op.stream = static_cast<u16>(of);
    op.n = operations;
    streams_[stream].push_back(op);
  }

  /// A stream more waits for what the main processor has not waited for, when all is computed: only then does the GPU
  /// wait for it.
  void await_the_rest() {
    const u32 computing = static_cast<u32>(processors_.size()), all = static_cast<u32>(streams_.size());
    const auto rest = [&](u32 s) { return s >= computing && awaited_[s] < streams_[s].size(); };
    std::vector<u32> left;
    for (u32 s = computing; s < all; ++s) {
      if (rest(s)) left.push_back(s);
    }
    if (left.empty()) return;
    streams_.emplace_back();
    for (u32 s = 0; s < computing; ++s) add_wait(all, s, static_cast<u32>(streams_[s].size()), kNoGroup);
    for (const u32 s : left)
      add_wait(all, s, static_cast<u32>(streams_[s].size()), static_cast<u8>(groups_[s - computing]));
  }

  const std::vector<TraceOp>& ops_;
  std::vector<Group> groups_;
  double scale_;
  std::map<u32, u32> processors_;  // -> stream
  u32 main_ = 0;                   // stream
  std::vector<u32> done_;          // [operation] how many of its stream are done with it
  std::vector<u32> awaited_;       // [stream] of a communicator: so many of its operations the main one waits for
  std::vector<std::vector<Op>> streams_;
  std::vector<std::vector<CollectiveCall>> calls_;
};

void check_writer(const ProgramWriter& writer, const Trace& trace, u32 rank, u32 job) {
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

class Replay {
 public:
  Replay(const JobOptions& options, u32 job, const std::vector<EndpointId>& gpus, const Trace& trace)
      : options_(options), job_(job), gpus_(gpus), trace_(trace) {
    writers_.resize(trace.programs.size());
    for (u32 rank = 0; rank < trace.ranks.size(); ++rank) {
      const TraceRank& by = trace.ranks[rank];
      if (writers_[by.program]) continue;
      std::vector<Group> groups;
      for (const u32 c : by.communicators) groups.push_back(trace.communicators[c].group);
      writers_[by.program].emplace(trace.programs[by.program], std::move(groups), options.trace.compute_scale);
      check_writer(*writers_[by.program], trace, rank, job);
    }
  }

  Communicators communicators() {
    for (u32 c = 0; c < trace_.communicators.size(); ++c) {
      const TraceCommunicator& from = trace_.communicators[c];
      const TraceRank& first = trace_.ranks[from.ranks[0]];
      const auto place = std::ranges::lower_bound(first.communicators, c) - first.communicators.begin();
      Communicator made;
      for (const u32 rank : from.ranks) made.ranks.push_back(gpus_[rank]);
      made.group = from.group;
      made.by_program = true;
      made.sequence = sequence_of(first.program, static_cast<u32>(place), made.ranks);
      made_.all.push_back(std::move(made));
    }
    return std::move(made_);
  }

  /// GPUs whose streams are the same share one program.
  void add_programs(ProgramPlan& programs) const {
    const auto task = static_cast<u32>(programs.tasks.size());
    programs.tasks.push_back({job_, options_.trace.start_ps, options_.trace.iterations, 0});
    std::map<std::vector<std::vector<std::array<u64, 3>>>, u32> known;
    std::vector<u32> number_of;  // [program of the trace]
    for (const std::optional<ProgramWriter>& writer : writers_) {
      const auto [found, is_new] =
          known.try_emplace(words_of(writer->streams()), static_cast<u32>(programs.programs.size()));
      if (is_new) add_program(writer->streams(), programs);
      number_of.push_back(found->second);
    }
    for (u32 rank = 0; rank < gpus_.size(); ++rank)
      programs.runs.push_back({gpus_[rank], task, number_of[trace_.ranks[rank].program], 0});
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
  u32 sequence_of(u32 program, u32 place, const std::vector<EndpointId>& ranks) {
    const std::vector<CollectiveCall>& calls = writers_[program]->calls()[place];
    // Where they are uneven, rings go from rank to rank as if each were alone in its server.
    const u32 together = std::max(ranks_in_each_server(ranks, options_.gpus_per_server), 1u);
    const auto [by_place, is_new_place] =
        sequence_by_place_.try_emplace({program, place, static_cast<u32>(ranks.size()), together}, 0);
    if (!is_new_place) return by_place->second;
    std::vector<u64> key = {ranks.size(), together};
    for (const CollectiveCall& call : calls) key.insert(key.end(), {static_cast<u64>(call.kind), call.bytes});
    const auto [found, is_new] = known_.try_emplace(std::move(key), static_cast<u32>(made_.sequences.size()));
    by_place->second = found->second;
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
  std::vector<std::optional<ProgramWriter>> writers_;    // [program of the trace]
  std::map<std::array<u32, 4>, u32> sequence_by_place_;  // program, place, ranks, together
  std::map<std::vector<u64>, u32> known_;                // by what is done
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
