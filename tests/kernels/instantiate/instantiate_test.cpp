// Worlds that the engine refuses.
#include "kernels/engine/engine.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/oracle/tiny_world.hpp"

namespace heddle {
namespace {

/// A pause travels against the packets that its account holds, so the latency of the link that carries the pause
/// counts.
TEST(Instantiate, RefusesATickBeyondTheLatencyOfPauses) {
  World world = oracle::star(2);
  Link& up = world.fabric.links[world.fabric.nodes[0].first_link];
  Link& down = world.fabric.links[up.reverse];
  oracle::add_qp(world, 0, 1, {{4096, 0}});
  down.ingress = kNone;  // the switch pauses the NIC, the NIC never pauses the switch
  down.phi_ps = world.clocks.tick_ps;
  up.phi_ps = 1;
  EXPECT_NO_THROW(Engine(world, {}));
  down.phi_ps = world.clocks.tick_ps - 1;
  EXPECT_THROW(Engine(world, {}), std::invalid_argument);
}

}  // namespace
}  // namespace heddle
