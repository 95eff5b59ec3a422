#include "tests/oracle/cts.hpp"

namespace heddle::oracle {

std::optional<Cts> CtsSender::create(u64 slice, TimePs t) {
  if (una_ == slices_.size()) last_progress_ps_ = t;
  slices_.push_back(slice);
  if (failed_) return std::nullopt;
  return Cts{slices_.size() - 1, slice};
}

std::vector<Cts> CtsSender::answered(u32 field, bool nak, TimePs t) {
  if (failed_) return {};
  u64 number = extend_psn(field, una_);
  if (number > una_) {
    una_ = number;
    tries_ = 0;
    last_progress_ps_ = t;
  }
  return nak ? unacknowledged() : std::vector<Cts>{};
}

std::vector<Cts> CtsSender::unacknowledged() const {
  std::vector<Cts> all;
  for (u64 number = una_; number < slices_.size(); ++number) all.push_back({number, slices_[number]});
  return all;
}

TimePs CtsSender::deadline() const {
  return una_ < slices_.size() && !failed_ ? last_progress_ps_ + roce_.rto_ps : kNever;
}

std::optional<std::vector<Cts>> CtsSender::time_out(TimePs t) {
  failed_ = tries_ >= roce_.rto_tries;
  if (failed_) return std::nullopt;
  ++tries_;
  last_progress_ps_ = t;
  return unacknowledged();
}

u64 CtsReceiver::expected() const {
  u64 number = 0;
  while (taken_.count(number) > 0) ++number;
  return number;
}

CtsReceiver::Reaction CtsReceiver::on_cts(u32 field, bool selective) {
  Reaction reaction;
  const u64 before = expected(), number = extend_psn(field, before);
  if (number > before && !selective) {
    if (asked_ != before) reaction.answer = PacketKind::cts_nak;
    asked_ = before;
  } else {
    const bool ahead = number > before;
    reaction.taken = taken_.insert(number).second;
    if (!ahead || !reaction.taken) reaction.answer = PacketKind::cts_ack;
  }
  reaction.expected = expected();
  return reaction;
}

}  // namespace heddle::oracle
