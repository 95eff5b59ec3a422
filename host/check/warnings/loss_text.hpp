// The cost of a lost packet: the line of `heddle check` and the warning about it (MODEL.md, 8.4 and 8.5).
#pragma once

#include <string>

#include "kernels/world/world.hpp"

namespace heddle {

/// One entry of `heddle check`: what repairs a loss, and after what time.
std::string loss_text(const World& world);

/// The effect on the run where failures lose packets and queue pairs have timers as long as NCCL's. Empty: none.
std::string warning_of_losses(const World& world);

}  // namespace heddle
