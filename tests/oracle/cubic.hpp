// CUBIC's arithmetic (RFC 9438; MODEL.md, 8.11): what it keeps of a window, and how a window grows in avoidance.
#pragma once

#include <optional>

#include "kernels/base/types.hpp"

namespace heddle::oracle {

/// What is left of so many segments where the window is reduced: 0.7.
u64 cubic_rest(u64 segments);
/// How long the cubic takes from `cwnd` to the larger `w_max`, in 1/1024 s.
u64 cubic_k(u64 w_max, u64 cwnd);
/// W(x): the window at `x` ps of an epoch whose cubic is flat at `origin`, `k` / 1024 s after the beginning.
u64 cubic_window(u64 origin, u64 k, TimePs x);

class Cubic {
 public:
  /// Just before a window of `cwnd` is reduced.
  void note(u64 cwnd);
  void end_epoch() { epoch_.reset(); }
  /// At a retransmission timeout.
  void forget();
  /// `a` > 0 segments are acknowledged at `t` in avoidance.
  void grow(u64 a, TimePs t, TimePs srtt, u64& cwnd, u64& count);

 private:
  void begin_epoch(TimePs t, u64 cwnd);

  u64 w_max_ = 0, w_prior_ = 0, origin_ = 0, k_ = 0;
  struct Epoch {
    TimePs start_ps = 0;
    u64 w_est_q20 = 0;  // the window that New Reno would have
  };
  std::optional<Epoch> epoch_;
};

}  // namespace heddle::oracle
