// A World in which several queues are paused for long, found at different times and by different ranks.
#pragma once

#include "tests/oracle/tiny_world.hpp"

namespace heddle {

/// Switch 8 with hosts 0 to 3 and switch 9 with hosts 4 to 7. Hosts 0, 1, 4 and 5 take a packet in some 270 us, so that
/// their switch ports are paused for longer than stuck_ps. The storm of 4 is found first, then 1 and 5 together, then
/// 0.
inline World world_with_four_storms() {
  World world = oracle::line(4, 4, 1);
  world.fabric.ingress.push_back({false, 10'000, 5'000, 300'000, 0});
  world.clocks.stuck_ps = 100'000'000;
  const auto storm = [&](u32 src, u32 dst, TimePs post_ps) {
    world.fabric.links[world.fabric.links[world.fabric.nodes[dst].first_link].reverse].ingress = 1;
    world.traffic.slow_receivers.push_back({dst, 0xffffffffu});  // 65.5 ns a byte
    oracle::add_qp(world, src, dst, {{200'000, post_ps}});
  };
  storm(2, 0, 90'000'000);
  storm(3, 1, 30'000'000);
  storm(6, 4, 0);
  storm(7, 5, 30'000'000);
  return world;
}

}  // namespace heddle
