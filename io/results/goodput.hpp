// Goodput: payload of explicit messages that was delivered, per second.
#pragma once

#include <optional>

#include "kernels/world/world.hpp"

namespace heddle {

struct Outcome;

/// Of messages that are added one by one.
class Goodput {
 public:
  /// `posted_ps` is -1 for a message that was not posted, `finish_ps` is -1 for one that did not finish.
  void add(TimePs posted_ps, TimePs finish_ps, u64 received_bytes);

  u64 received_bytes() const { return received_bytes_; }
  /// Time from the first posting to the last completion or, when some message did not finish, to the end of the run at
  /// `end_ps`. Returns nothing when that is not above zero: a run that `stalled` has no end but its last completion.
  std::optional<TimePs> span_ps(TimePs end_ps, bool stalled) const;
  std::optional<double> bits_per_s(TimePs end_ps, bool stalled) const;

 private:
  u64 received_bytes_ = 0;
  TimePs first_posted_ps_ = kNever, last_finish_ps_ = -1;
  bool all_finished_ = true;
};

Goodput goodput_of(const World& world, const Outcome& outcome);

}  // namespace heddle
