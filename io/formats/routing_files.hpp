// weights.csv: how much of its traffic a switch sends to each next hop, for policy `weighted`.
#pragma once

#include <string>
#include <vector>

#include "io/formats/plain.hpp"

namespace heddle {

/// Header `switch,next_hop,weight`, then a line per pair of nodes, by their names; weights are whole numbers up to
/// kMaxLinkWeight. Throws InputError for what is malformed.
std::vector<PlainWeight> read_weights_csv(const std::string& path);

}  // namespace heddle
