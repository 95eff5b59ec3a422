// demands.csv: what racks send to each other, for a controller of traffic engineering.
#pragma once

#include <string>
#include <vector>

#include "io/formats/plain.hpp"

namespace heddle {

/// Header `src_rack,dst_rack,bytes`, then a line per pair of racks, by the names of their switches; bytes are whole
/// numbers from 1 to 10^15, of which only the ratios count. Throws InputError for what is malformed.
std::vector<PlainDemand> read_demands_csv(const std::string& path);

}  // namespace heddle
