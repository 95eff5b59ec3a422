#include "io/results/pause_lengths.hpp"

namespace heddle {

void PauseLengths::take(const Event& event, Histogram& lengths) {
  const u64 account = (static_cast<u64>(event.node) << 32) | (static_cast<u64>(event.port) << 8) | event.cls;
  if (event.kind == EventKind::pause) {
    since_ps_.emplace(account, event.time_ps);
    return;
  }
  const auto since = since_ps_.find(account);
  if (since == since_ps_.end()) return;  // its pause came before anything was recorded
  const LinkId paused = fabric_.links[fabric_.nodes[event.node].first_link + event.port].reverse;
  lengths.count(tiers_.of_link[paused], event.time_ps - since->second);
  since_ps_.erase(since);
}

}  // namespace heddle
