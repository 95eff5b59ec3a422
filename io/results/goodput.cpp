#include "io/results/goodput.hpp"

#include <algorithm>

#include "kernels/outcome/outcome.hpp"

namespace heddle {

void Goodput::add(TimePs posted_ps, TimePs finish_ps, u64 received_bytes) {
  received_bytes_ += received_bytes;
  if (posted_ps >= 0) first_posted_ps_ = std::min(first_posted_ps_, posted_ps);
  last_finish_ps_ = std::max(last_finish_ps_, finish_ps);
  all_finished_ = all_finished_ && finish_ps >= 0;
}

std::optional<TimePs> Goodput::span_ps(TimePs end_ps, bool stalled) const {
  if (stalled && !all_finished_) return std::nullopt;
  const TimePs last_ps = all_finished_ ? last_finish_ps_ : end_ps;
  if (last_ps <= first_posted_ps_) return std::nullopt;
  return last_ps - first_posted_ps_;
}

std::optional<double> Goodput::bits_per_s(TimePs end_ps, bool stalled) const {
  const std::optional<TimePs> span = span_ps(end_ps, stalled);
  if (!span) return std::nullopt;
  return static_cast<double>(received_bytes_) * 8e12 / static_cast<double>(*span);
}

Goodput goodput_of(const World& world, const Outcome& outcome) {
  Goodput goodput;
  const auto& messages = world.traffic.messages;
  for (std::size_t m = 0; m < std::min(messages.size(), outcome.messages.size()); ++m)
    goodput.add(posted_ps(messages[m], outcome.messages[m]), outcome.messages[m].acked_ps,
                outcome.messages[m].received_bytes);
  return goodput;
}

}  // namespace heddle
