// weights.csv and demands.csv, which tell a routing policy about pairs of switches.
#pragma once

#include <string>
#include <vector>

#include "io/formats/plain.hpp"

namespace heddle {

/// How much of its traffic a switch sends to each next hop, for policy `weighted`. Header `switch,next_hop,weight`,
/// then a line per pair of nodes, by their names; weights are whole numbers up to kMaxLinkWeight. Throws InputError for
/// what is malformed.
std::vector<PlainWeight> read_weights_csv(const std::string& path);

/// What racks send to each other, for a controller of traffic engineering. Header `src_rack,dst_rack,bytes`, then a
/// line per pair of racks, by the names of their switches; bytes are whole numbers from 1 to 10^15, of which only the
/// ratios count. Throws InputError for what is malformed.
std::vector<PlainDemand> read_demands_csv(const std::string& path);

}  // namespace heddle
