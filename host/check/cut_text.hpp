// The text that `heddle check --ranks N` prints.
#pragma once

#include <string>

#include "partition/cut/cut.hpp"

namespace heddle {

/// Ranks with nodes, work and cut links; balance; exchange period and what bounds it; packets that cross; the pairs of
/// ranks with most traffic between them.
std::string cut_text(const World& world, const Cut& cut);

}  // namespace heddle
