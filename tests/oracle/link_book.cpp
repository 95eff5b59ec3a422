#include "tests/oracle/link_book.hpp"

#include "kernels/base/units.hpp"

namespace heddle::oracle {

void LinkBook::starts(LinkId link, u32 wire_bytes, TimePs end, u32 ps_per_byte_q16) {
  ++links_[link].packets;
  links_[link].sent_bytes += wire_bytes;
  sending_until_[link] = {end, ps_per_byte_q16};
}

void LinkBook::accepts(LinkId link, u64 bytes, TimePs t) {
  LinkOutcome& l = links_[link];
  if (bytes <= l.peak_queue_bytes) return;
  l.peak_queue_bytes = bytes;
  l.peak_queue_ps = t;
}

void LinkBook::pause_ends(LinkId link, u32 cls, TimePs t) {
  links_[link].paused_ps += static_cast<u64>(t - paused_since_.at({link, cls}));
  paused_since_.erase({link, cls});
}

std::vector<LinkOutcome> LinkBook::closed_at(TimePs end) const {
  std::vector<LinkOutcome> links = links_;
  for (const auto& [link, last] : sending_until_) {
    auto [until, ps_per_byte_q16] = last;
    if (until > end) links[link].sent_bytes -= bytes_in_ps(until - end, ps_per_byte_q16);
  }
  for (const auto& [where, since] : paused_since_) links[where.first].paused_ps += static_cast<u64>(end - since);
  return links;
}

}  // namespace heddle::oracle
