// Counters of links at rows of the series, of a part that waits because it repeats itself (Part::apart).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kernels/engine/engine.hpp"
#include "partition/halo/repeated_rows.hpp"

namespace heddle {

/// One period is simulated, and looked at wherever rows of those that follow lie in theirs. Then the part can wait.
class WaitingRows {
 public:
  /// Rows are EngineOptions::rows_every_ps apart; of a part that does not go on apart there are none here.
  WaitingRows(const World& world, const EngineOptions& options);

  /// The period is being looked at, or was.
  bool begun() const { return rows_.has_value(); }
  bool complete() const { return complete_; }
  /// Simulates that period, but nothing from `stop` on. Begins where `engine` has stopped as it repeats itself.
  void look(Engine& engine, TimePs stop);
  void forget();

  /// Whether the part can wait until `t`, as far as rows are concerned.
  bool known_until(TimePs t) const { return interval_ps_ == 0 || (complete_ && t <= end_ps_); }
  bool knows(TimePs row_ps) const { return complete_ && row_ps <= end_ps_ && rows_->holds(row_ps); }
  void read(TimePs row_ps, std::span<LinkCounters> out) const { rows_->read(row_ps, out); }

 private:
  void begin(const Engine& engine);

  std::size_t links_ = 0, most_bytes_ = 0;
  TimePs interval_ps_ = 0;  // 0: there are no rows
  std::optional<RepeatedRows> rows_;
  std::vector<TimePs> instants_ps_;  // to be looked at
  std::size_t looked_at_ = 0;        // so many of them were
  TimePs period_end_ps_ = 0, end_ps_ = 0;
  bool complete_ = false;
};

}  // namespace heddle
