// A check that the ranks of a run have been given the same configuration, arguments and program.
#pragma once

#include <map>
#include <string>

#include "host/cli/ranks.hpp"

namespace heddle {

/// Values that must be equal on every rank, as text: keys of the configuration, arguments, the program.
using Given = std::map<std::string, std::string>;

/// To be called by every rank. Throws ConfigError on the first rank, which names what differs, and SaidElsewhere on the
/// others.
void refuse_different_ranks(const Given& mine, const Ranks& ranks);

}  // namespace heddle
