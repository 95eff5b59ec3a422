#include "io/results/pause_lengths.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace heddle {

void PauseLengths::take(const Event& event, Histogram& lengths) {
  const u64 account = (static_cast<u64>(event.node) << 32) | (static_cast<u64>(event.port) << 8) | event.cls;
  if (event.kind == EventKind::pause) {
    since_ps_.emplace(account, event.time_ps);
    return;
  }
  const auto since = since_ps_.find(account);
  if (since == since_ps_.end()) return;  // the pause began before events were recorded
  const LinkId paused = fabric_.links[fabric_.nodes[event.node].first_link + event.port].reverse;
  lengths.count(tiers_.of_link[paused], event.time_ps - since->second);
  since_ps_.erase(since);
}

void PauseLengths::save(std::vector<u64>& words) const {
  std::vector<std::pair<u64, TimePs>> accounts(since_ps_.begin(), since_ps_.end());
  std::ranges::sort(accounts);
  words.push_back(accounts.size());
  for (const auto& [account, time_ps] : accounts) {
    words.push_back(account);
    words.push_back(static_cast<u64>(time_ps));
  }
}

void PauseLengths::restore(WordSource& words) {
  since_ps_.clear();
  for (u64 left = words.word(); left > 0; --left) {
    const u64 account = words.word();
    since_ps_.emplace(account, static_cast<TimePs>(words.word()));
  }
}

}  // namespace heddle
