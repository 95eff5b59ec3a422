#include "partition/halo/waiting_rows.hpp"

#include <algorithm>
#include <stdexcept>

namespace heddle {

WaitingRows::WaitingRows(const World& world, const EngineOptions& options) {
  if (!options.part.apart) return;
  const u32 parts = std::ranges::max(options.part.rank_of_node) + 1;
  links_ = world.fabric.links.size();
  most_bytes_ = RepeatedRows::kMostBytes / parts;
  interval_ps_ = options.rows_every_ps;
}

void WaitingRows::begin(const Engine& engine) {
  const Repetition& found = *engine.repetition();
  const TimePs start_ps = engine.now_ps();
  rows_.emplace(links_, start_ps, found.period_ps, interval_ps_, most_bytes_);
  const u64 times = rows_->plan((start_ps / interval_ps_ + 1) * interval_ps_, found.times);
  if (times < 2) return forget();
  engine.link_counters(rows_->first());
  instants_ps_ = rows_->instants_ps();
  period_end_ps_ = start_ps + found.period_ps;
  end_ps_ = start_ps + static_cast<TimePs>(times) * found.period_ps;
}

void WaitingRows::look(Engine& engine, TimePs stop) {
  if (interval_ps_ == 0 || complete_) return;
  if (!rows_ && engine.repetition() && engine.now_ps() < stop) begin(engine);
  while (rows_ && !complete_) {
    const bool is_end = looked_at_ == instants_ps_.size();
    const TimePs next_ps = is_end ? period_end_ps_ : instants_ps_[looked_at_];
    const TimePs limit_ps = std::min(next_ps, stop);
    if (limit_ps > engine.now_ps()) engine.advance(limit_ps, OnRepetition::stop);
    if (engine.now_ps() < limit_ps) return forget();  // the run has ended: others know why
    if (next_ps > stop) return;
    if (!is_end) {
      engine.link_counters(rows_->at(next_ps));
      ++looked_at_;
      continue;
    }
    if (!engine.repetition()) {
      throw std::logic_error(
          "what was found to repeat itself in a part has ended early; this is a defect of the engine, so what it "
          "computed cannot be trusted; acceleration.mode = \"off\" simulates everything");
    }
    std::vector<LinkCounters> last(links_);
    engine.link_counters(last);
    rows_->end_period(last);
    complete_ = true;
  }
}

void WaitingRows::forget() {
  rows_.reset();
  instants_ps_.clear();
  looked_at_ = 0;
  complete_ = false;
}

}  // namespace heddle
