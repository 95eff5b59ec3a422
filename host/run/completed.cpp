#include "host/run/completed.hpp"

#include <algorithm>
#include <stdexcept>

namespace heddle {

Completed::Completed(const World& world) {
  const CollectivePlan& plan = world.collectives;
  ranks_left_.reserve(plan.collectives.size());
  for (const Collective& c : plan.collectives) ranks_left_.push_back(plan.jobs[c.job].ranks.size());
}

void Completed::take(std::span<const Event> events) {
  for (const Event& e : events) {
    if (e.kind == EventKind::message_acked) ++messages_;
    if (e.kind == EventKind::rank_finished && --ranks_left_.at(e.value >> 32) == 0) ++collectives_;
  }
}

std::vector<u64> Completed::words() const {
  std::vector<u64> words = ranks_left_;
  words.push_back(messages_);
  return words;
}

void Completed::restore(std::span<const u64> words) {
  if (words.size() != ranks_left_.size() + 1) throw std::out_of_range("what was completed");
  messages_ = words.back();
  ranks_left_.assign(words.begin(), words.end() - 1);
  collectives_ = static_cast<u64>(std::count(ranks_left_.begin(), ranks_left_.end(), 0));
}

}  // namespace heddle
