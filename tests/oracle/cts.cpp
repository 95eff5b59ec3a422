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
    tries_ = lows_ = 0;
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
  if (una_ == slices_.size() || failed_ || roce_.rto_ps == 0) return kNever;
  return last_progress_ps_ + roce_.rto_ps;
}

TimePs CtsSender::low_deadline() const {
  if (roce_.recovery != Recovery::selective_repeat || roce_.rto_low_ps == 0) return kNever;
  if (una_ == slices_.size() || failed_ || lows_ == 200) return kNever;
  const TimePs waits = lows_ <= 4 ? TimePs{1} << lows_ : 16 * (TimePs{lows_} - 3);
  return last_progress_ps_ + roce_.rto_low_ps * waits;
}

std::vector<Cts> CtsSender::time_out_low() {
  ++lows_;
  return unacknowledged();
}

std::optional<std::vector<Cts>> CtsSender::time_out(TimePs t) {
  failed_ = tries_ >= roce_.rto_tries;
  if (failed_) return std::nullopt;
  ++tries_;
  lows_ = 0;
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
