// Whether the ranks of a run have been given the same.
#pragma once

#include <map>
#include <string>

#include "host/cli/ranks.hpp"

namespace heddle {

/// What has to be equal on every rank, and its value as text: keys of the configuration, arguments, the program.
using Given = std::map<std::string, std::string>;

/// Every rank calls it. Throws ConfigError on the first rank, which names what differs, and SaidElsewhere on the
/// others.
void refuse_different_ranks(const Given& mine, const Ranks& ranks);

}  // namespace heddle
