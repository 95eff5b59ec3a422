// paths.csv: the way of every pair's packets in another simulator, to replay it with explicit routing.
#pragma once

#include <string>
#include <vector>

#include "io/formats/plain.hpp"

namespace heddle {

/// Header `src,dst,data_path,ack_path`, then a line per pair; paths are node numbers separated by blanks, both ends
/// included. Throws InputError: malformed values, a path that does not join its ends or visits a node twice, a pair
/// given twice.
std::vector<PlainPath> read_paths_csv(const std::string& path);

}  // namespace heddle
