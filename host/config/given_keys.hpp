// Which keys a configuration gives, for those that ask whether they mean anything.
#pragma once

#include <string>
#include <vector>

#include "host/config/config.hpp"

namespace heddle {

/// A key that the file or a --set gives another value than its default.
struct GivenKey {
  std::string key;    // "failures.mttr", "job.0.slots"
  std::string where;  // "file.toml:12:3", or the --set argument
};

/// Of sections that there is one of, and of jobs: of messages, generators, failures and the collectives of jobs there
/// may be a million, and all of their keys have a meaning. Reads the file once more; `config` is what was made of it.
std::vector<GivenKey> given_keys(const Config& config, std::span<const std::string> sets);

}  // namespace heddle
