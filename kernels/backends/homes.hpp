// Which worker begins a tick with which nodes.
#pragma once

#include <vector>

#include "kernels/state/model.hpp"

namespace heddle {

struct Homes {
  std::vector<u32> switches;      // all of them, by worker
  std::vector<u32> first_switch;  // [workers + 1] places in `switches`
  std::vector<u32> first_group;   // [workers + 1] of endpoints that share a word of news
};

/// Endpoints in even shares, in their order; a switch with its endpoints, as they tell each other most; the other
/// switches in even shares.
Homes homes_of(const Model& model, u32 workers);

}  // namespace heddle
