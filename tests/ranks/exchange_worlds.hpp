// Whole runs over an exchange between processes.
#pragma once

#include <string>

#include "partition/exchange/exchange.hpp"

namespace heddle {

/// Random worlds, cut at random: all ranks together find what one engine finds. Returns how many worlds that were.
/// Throws std::runtime_error at a rank where something differs.
u32 exchange_worlds(Exchange& exchange, u64 first_seed, u64 seeds);

struct FileRun {
  u64 digest = 0;
  u64 exchanges = 0, bytes = 0;  // bytes: sent by all ranks to each other, by MPI or not
};

/// The run of a configuration, cut by METIS.
FileRun exchange_file(Exchange& exchange, const std::string& config);

}  // namespace heddle
