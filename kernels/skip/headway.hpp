// How far queue pairs and lanes have come, and how often they may do the same again before something else happens.
#pragma once

#include <vector>

#include "kernels/state/model.hpp"

namespace heddle {

/// What moves in a repetition and comes to an end some time.
struct Headway {
  explicit Headway(const View& view);

  struct Sending {
    u32 una = 0, next = 0, una_message = 0, message = 0;
    TimePs last_progress_ps = 0;
  };
  struct Lane {
    u32 loop = 0, phase = 0;
  };
  struct End {
    u32 first = 0, last = 0;  // slices: filled and the furthest of filled and granted; freed and granted
  };
  struct Admitting {
    u32 end = 0;
    TimePs last_progress_ps = 0;
  };

  std::vector<Sending> senders;
  std::vector<u32> receivers;  // messages
  std::vector<Lane> lanes;
  std::vector<End> send_ends, recv_ends;
  std::vector<Admitting> ctss;
};

/// How often the way from `before` to what the View says now may be gone again: all on it then do what they did. 0 also
/// where they did not do the same all along, at the beginning of a message or a lane.
u64 repetitions_left(const Model& model, const Headway& before);

}  // namespace heddle
