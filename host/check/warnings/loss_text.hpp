// What a lost packet costs: the line of `heddle check` and the warning about it (MODEL.md, 8.4 and 8.5).
#pragma once

#include <string>

#include "kernels/world/world.hpp"

namespace heddle {

/// One entry of `heddle check`: what repairs a loss, and after which time.
std::string loss_text(const World& world);

/// Where failures lose packets and queue pairs have timers as long as NCCL's: what that does to the run. Empty:
/// nothing.
std::string warning_of_losses(const World& world);

}  // namespace heddle
