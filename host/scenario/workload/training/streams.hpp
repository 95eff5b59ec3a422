// A program while it is written: a computing stream, and one for each communicator.
#pragma once

#include <vector>

#include "host/scenario/workload/communicators.hpp"

namespace heddle {

/// Progress of a stream: the number of its operations.
struct Mark {
  u16 stream = 0;
  u32 operations = 0;
};

class StreamWriter {
 public:
  /// Stream 0 computes, stream 1 + i launches collectives of communicator i, which is of group groups[i]. Then follows
  /// a stream for each group of `timed`, whose collectives are not simulated.
  explicit StreamWriter(const std::vector<Group>& groups, const std::vector<Group>& timed = {})
      : groups_(groups), streams_(1 + groups.size() + timed.size()), calls_(groups.size()) {
    groups_.insert(groups_.end(), timed.begin(), timed.end());
  }

  void compute(TimePs ps);
  /// The mark of all computation so far.
  Mark computed() const { return {0, static_cast<u32>(streams_[0].size())}; }
  /// A collective that may begin when `after` was reached. Returns when it is done.
  Mark launch(u32 communicator, const CollectiveCall& call, Mark after);
  /// A collective that is not simulated: it takes `ps` from `after` on.
  Mark take(u32 timed, TimePs ps, Mark after);
  /// A stream of `operations` from the beginning of an iteration on, before anything else is computed. Computing begins
  /// when so many of them are done.
  void load(const std::vector<Op>& operations, u32 until_there);
  /// A stream of `operations`, in which the GPU has to do with storage, behind all computation so far. What has to be
  /// computed afterwards waits for it.
  void store(const std::vector<Op>& operations);
  /// Computing resumes when `until` is reached; the wait counts as time of the group of its stream.
  void await(Mark until);
  /// A collective that needs all computation so far, and whose result the next one needs.
  void call(u32 communicator, const CollectiveCall& call) { await(launch(communicator, call, computed())); }

  const std::vector<std::vector<Op>>& streams() const { return streams_; }
  /// The calls of each communicator, in order.
  const std::vector<std::vector<CollectiveCall>>& calls() const { return calls_; }

 private:
  void wait(u16 stream, Mark until, u8 group);

  std::vector<Group> groups_;
  std::vector<std::vector<Op>> streams_;
  std::vector<std::vector<CollectiveCall>> calls_;
};

}  // namespace heddle
