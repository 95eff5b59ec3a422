// Differences between the configurations of several runs.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace heddle {

/// Returns a TOML text as flat keys ("job[0].collective[1].sizes") with their values as TOML. `where` names the text in
/// errors. Throws InputError when the text is not TOML, or has keys deeper or longer than any configuration has.
std::map<std::string, std::string> flatten_toml(const std::string& toml, const std::string& where);

/// The most values that `info` and `compare` show: a value takes some hundred bytes, and a few KB of a result can hold
/// the text of millions.
inline constexpr int kMaxShownValues = 400'000;

/// Whether a TOML text has more than kMaxShownValues values, by its punctuation.
bool has_too_many_values(const std::string& toml);

/// A key whose value is not the same everywhere; "-" where a configuration does not have it.
struct ConfigDifference {
  std::string key;
  std::vector<std::string> values;  // one per configuration
};

/// Whether runs with this difference may have other results: config_hash leaves out how a run is made and written.
bool decides_result(const ConfigDifference& difference);

/// The keys whose values differ, in order of keys.
std::vector<ConfigDifference> differences(std::span<const std::map<std::string, std::string>> configs);

/// Returns "simulation.seed was 1 and is 17 now, roce.mtu was ...; and 3 more keys": the differences between two TOML
/// texts for which `counts` is true; empty when there are none. Throws InputError as flatten_toml.
std::string changed_keys(const std::string& before, const std::string& now,
                         const std::function<bool(const ConfigDifference&)>& counts);

}  // namespace heddle
