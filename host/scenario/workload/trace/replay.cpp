#include "host/scenario/workload/trace/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "host/base/error.hpp"
#include "kernels/base/hash.hpp"

namespace heddle {
namespace {

/// The program of ranks that are alike: a stream for each of their processors, then one for each of their
/// communicators, then the account. Dependences within one stream need no wait.
class ProgramWriter {
 public:
  /// `groups`: those of its communicators.
  ProgramWriter(const std::vector<TraceOp>& ops, std::vector<Group> groups, double compute_scale)
      : ops_(ops), groups_(std::move(groups)), scale_(compute_scale) {
    for (const TraceOp& op : ops_) {
      if (op.computes) processors_.insert({op.processor, 0});
    }
    for (auto& [number, stream] : processors_) stream = computing_++;
    streams_.resize(computing_ + groups_.size());
    calls_.resize(groups_.size());
    previous_.reserve(ops_.size());
    std::vector<u32> last(streams_.size(), kNone);
    for (u32 op = 0; op < ops_.size(); ++op) {
      previous_.push_back(std::exchange(last[stream_of(op)], op));
      add(op);
    }
    write_account();
    previous_ = done_ = {};
    passed_ = {};
    waited_ = {};
    for (auto& stream : streams_) stream.shrink_to_fit();
    for (auto& calls : calls_) calls.shrink_to_fit();
  }

  const std::vector<std::vector<Op>>& streams() const { return streams_; }
  /// [communicator]
  const std::vector<std::vector<CollectiveCall>>& calls() const { return calls_; }

 private:
  u32 stream_of(u32 op) const {
    return ops_[op].computes ? processors_.at(ops_[op].processor) : computing_ + ops_[op].communicator;
  }

  /// Adds an operation. Data that arrives by itself is received from the start.
  void add(u32 op) {
    const u32 stream = stream_of(op);
    if (ops_[op].done != DoneWhen::arrived) {
      for (const u32 before : awaited_by(op, stream)) add_wait(stream, stream_of(before), done_[before], kNoGroup);
    }
    Op made;
    if (ops_[op].computes) {
      made.ps = static_cast<TimePs>(std::llround(static_cast<double>(ops_[op].compute_ps) * scale_));
    } else {
      made.kind = OpKind::collective;
      made.n = ops_[op].communicator;
      calls_[made.n].push_back({ops_[op].kind, ops_[op].bytes});
    }
    streams_[stream].push_back(made);
    done_.push_back(static_cast<u32>(streams_[stream].size()));
  }

  /// Operations that must be finished when an operation begins in `stream`: an eager send is done when its dependences
  /// are, and a recv whose data arrives by itself when those are, too. Without those that the stream has awaited.
  std::vector<u32> awaited_by(u32 op, u32 stream) {
    std::vector<u32> finished, open(ops_[op].after.rbegin(), ops_[op].after.rend());
    while (!open.empty()) {
      const u32 before = open.back();
      open.pop_back();
      const TraceOp& awaited = ops_[before];
      if (awaited.done != DoneWhen::posted) finished.push_back(before);
      if (awaited.done == DoneWhen::finished || !passed_.insert((u64{stream} << 32) | before).second) continue;
      open.insert(open.end(), awaited.after.rbegin(), awaited.after.rend());
    }
    return finished;
  }

  /// Adds a wait, unless the stream has already waited for that.
  void add_wait(u32 stream, u32 of, u32 operations, u8 group) {
    u32& waited = waited_[(u64{stream} << 32) | of];
    if (of == stream || waited >= operations) return;
    waited = operations;
    Op op;
    op.kind = OpKind::wait;
    op.group = group;
    op.stream = static_cast<u16>(of);
    op.n = operations;
    streams_[stream].push_back(op);
  }

  /// Writes a stream that only waits, and whose waits are those of the GPU: one for every collective, so that idle time
  /// of the GPU counts for the group of a collective that it needs. First those that the first processor needs, in its
  /// order (SimAI's layers, Chakra's GPU, cpu 0 of GOAL), then the rest. Durations do not matter.
  void write_account() {
    const u32 account = static_cast<u32>(streams_.size());
    streams_.emplace_back();
    std::vector<bool> seen(ops_.size(), false);
    for (u32 op = 0; op < ops_.size(); ++op) {
      if (!ops_[op].computes || stream_of(op) != 0) continue;
      for (const u32 needed : collectives_for(op, seen))
        add_wait(account, stream_of(needed), done_[needed], group_of(stream_of(needed)));
    }
    for (u32 s = computing_; s < account; ++s) add_wait(account, s, static_cast<u32>(streams_[s].size()), group_of(s));
    if (streams_[account].empty()) streams_.pop_back();
  }

  u8 group_of(u32 stream) const { return static_cast<u8>(groups_[stream - computing_]); }

  /// Sends and collectives that must be finished for an operation, directly or indirectly, in order; without those that
  /// were `seen`.
  std::vector<u32> collectives_for(u32 op, std::vector<bool>& seen) const {
    std::vector<u32> found, open = {op};
    while (!open.empty()) {
      const u32 next = open.back();
      open.pop_back();
      if (next == kNone || seen[next]) continue;
      seen[next] = true;
      open.insert(open.end(), ops_[next].after.begin(), ops_[next].after.end());
      if (ops_[next].done == DoneWhen::posted) continue;
      open.push_back(previous_[next]);
      if (!ops_[next].computes) found.push_back(next);
    }
    std::ranges::sort(found);
    return found;
  }

  const std::vector<TraceOp>& ops_;
  std::vector<Group> groups_;
  double scale_;
  std::map<u32, u32> processors_;        // processor -> stream
  u32 computing_ = 0;                    // streams of processors
  std::vector<u32> previous_;            // [operation] the previous one in its stream
  std::vector<u32> done_;                // [operation] length of its stream when it is done
  std::unordered_set<u64> passed_;       // (stream, eager send or recv that it waited for)
  std::unordered_map<u64, u32> waited_;  // (stream, awaited stream) -> number of operations
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
    if (std::ranges::all_of(ops, [](const Op& op) { return op.ps < kMaxComputePs; })) continue;
    throw ConfigError(
        fmt::format("job[{}].trace: a computation of rank {} of '{}' takes more than {:.1f} s; take a "
                    "smaller compute_scale",
                    job, rank, trace.file, static_cast<double>(kMaxComputePs) / 1e12));
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

  /// Adds the programs; GPUs with the same streams share one. Writers are freed: there may be millions of operations.
  void add_programs(ProgramPlan& programs) {
    const auto task = static_cast<u32>(programs.tasks.size());
    programs.tasks.push_back({job_, options_.trace.start_ps, options_.trace.iterations, 0});
    const std::vector<u32> like = first_alike();
    u64 ops = programs.ops.size();
    for (u32 w = 0; w < like.size(); ++w) {
      for (const std::vector<Op>& stream : writers_[w]->streams()) ops += like[w] == w ? stream.size() : 0;
    }
    programs.ops.reserve(ops);
    std::vector<u32> number_of(like.size());  // [program of the trace]
    for (u32 w = 0; w < like.size(); ++w) {
      number_of[w] = like[w] == w ? add_program(writers_[w]->streams(), programs) : number_of[like[w]];
      writers_[w].reset();
    }
    for (u32 rank = 0; rank < gpus_.size(); ++rank)
      programs.runs.push_back({gpus_[rank], task, number_of[trace_.ranks[rank].program], 0});
  }

 private:
  static std::array<u64, 3> words_of(const Op& op) {
    return {(static_cast<u64>(op.kind) << 32) | (static_cast<u64>(op.group) << 16) | op.stream, op.n,
            static_cast<u64>(op.ps)};
  }
  static bool are_alike(const std::vector<Op>& a, const std::vector<Op>& b) {
    return std::ranges::equal(a, b, {}, words_of, words_of);
  }

  /// [program of the trace] the first one with the same streams.
  std::vector<u32> first_alike() const {
    std::unordered_multimap<u64, u32> known;  // by a hash of the streams
    std::vector<u32> like;
    for (u32 w = 0; w < writers_.size(); ++w) {
      const auto& streams = writers_[w]->streams();
      u64 hash = streams.size();
      for (const std::vector<Op>& stream : streams) {
        hash = absorb(hash, stream.size());
        for (const Op& op : stream) {
          for (const u64 word : words_of(op)) hash = absorb(hash, word);
        }
      }
      like.push_back(w);
      for (auto [at, end] = known.equal_range(hash); at != end; ++at) {
        if (std::ranges::equal(streams, writers_[at->second]->streams(), are_alike)) like[w] = at->second;
      }
      if (like[w] == w) known.emplace(hash, w);
    }
    return like;
  }

  /// The sequence of a communicator; those with the same calls, as many ranks, and as many in each server, share one.
  u32 sequence_of(u32 program, u32 place, const std::vector<EndpointId>& ranks) {
    const std::vector<CollectiveCall>& calls = writers_[program]->calls()[place];
    // With uneven servers, rings go from rank to rank as if each were alone in its server.
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
  std::map<std::vector<u64>, u32> known_;                // content -> sequence
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
