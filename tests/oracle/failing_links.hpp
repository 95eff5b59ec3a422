// Effects of the World's schedule of failures on one packet or pause frame (MODEL.md, 5.8 and 6.9).
#pragma once

#include <optional>

#include "kernels/outcome/event.hpp"
#include "kernels/world/world.hpp"
#include "tests/oracle/packet.hpp"

namespace heddle::oracle {

/// Returns the change of `link` at `t`, if there is one.
const LinkChange* change_at(const World& world, LinkId link, TimePs t);

/// Whether `link` goes down at some d with after < d < before.
bool goes_down_between(const World& world, LinkId link, TimePs after, TimePs before);

/// Probability, in units of 2^-64, that `bytes` bytes arrive intact.
u64 survival_q64(u64 loss_q64, u64 bytes);

/// Returns why a packet that starts on `link` at `s` and would be decided upon at `due` never arrives, if it is lost.
std::optional<DropCause> lost_on_the_way(const World& world, LinkId link, const Packet& packet, TimePs s, TimePs due);

}  // namespace heddle::oracle
