// The keys that a configuration gives, for checks whether they have an effect.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace heddle {

struct Config;

/// A key that the file or a --set gives another value than its default.
struct GivenKey {
  std::string key;    // "failures.mttr", "job.0.slots"
  std::string where;  // "file.toml:12:3", or the --set argument
};

/// The given keys of single sections and of jobs. Messages, generators, failures and the collectives of jobs are left
/// out: there may be a million, and all of their keys have an effect. Reads the file again; `config` is its content.
std::vector<GivenKey> given_keys(const Config& config, std::span<const std::string> sets);

}  // namespace heddle
