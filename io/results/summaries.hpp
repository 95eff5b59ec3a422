// The summaries of a run. Each is computed here alone, once, when the result is written, and stored in /summary, so
// that no two programs can differ. io/RESULT_FILE.md documents them for readers.
#pragma once

#include <optional>
#include <vector>

#include "io/results/input_file.hpp"
#include "io/results/iterations.hpp"
#include "io/results/percentile.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

struct Outcome;

/// A percentile of the times of all messages that were posted. A message that had not finished when the run ended
/// counts with the time that it had waited until then, which is less than it will take.
struct MessagePercentile {
  double percent = 0;
  TimePs completion_ps = 0;          // posted to acknowledged
  bool completion_at_least = false;  // unfinished messages can raise it: the value is a lower bound
  double times_the_ideal = 0;        // completion / ideal, over messages with a known ideal; NaN: there are none
  bool ideal_at_least = false;
};

struct MessageTimes {
  u64 posted = 0, finished = 0;
  std::vector<MessagePercentile> percentiles;  // kPercentiles; empty: none was posted

  /// Returns nullptr when there is none.
  const MessagePercentile* find(double percent) const;
};

/// One message: `posted_ps` is -1 when not posted, `finish_ps` -1 when not finished, `ideal_ps` at most 0 when unknown.
struct MessageTime {
  TimePs posted_ps = -1, finish_ps = -1, ideal_ps = -1;
};
/// `stalled`: the end of the run is its last completion, so all messages count as posted.
MessageTimes message_times(const std::vector<MessageTime>& messages, TimePs end_ps, bool stalled);

/// Means over collectives of the same job, group, operation, size, number of ranks, algorithm and protocol. Times are
/// means over those that finished; bandwidths are those of the mean times, as nccl-tests has them. NaN: none finished.
struct CollectiveMean {
  u32 job = 0, ranks = 0;
  Group group = Group::all;
  CollectiveKind kind{};
  Algorithm algorithm{};
  Protocol protocol{};
  u64 bytes = 0;
  bool driven = false;  // a program drives the ranks' entries: judged by its transfer
  u64 number = 0, finished = 0;
  double time_ps = 0, busbw_GBps = 0;               // from the first rank's entry to the last rank's end
  double transfer_ps = 0, transfer_busbw_GBps = 0;  // from the last rank's entry
};

struct Summaries {
  MessageTimes messages;
  std::vector<MeanIteration> iterations;
  std::vector<CollectiveMean> collectives;
};

/// Returns the rows of /summary/collective; their number is known before the run.
std::vector<CollectiveMean> collective_means(const World& world, const Outcome& outcome);
u64 kinds_of_collectives(const World& world);

/// Returns every message of the World's; times on an idle fabric are computed only with `ideals`.
std::vector<MessageTime> times_of_messages(const World& world, const Outcome& outcome, bool ideals);
MessageTimes message_times(const std::vector<MessageTime>& messages, const Outcome& outcome);

/// Returns nothing for a file of an earlier version, which has no summaries.
std::optional<Summaries> read_summaries(const InputFile& file);

}  // namespace heddle
