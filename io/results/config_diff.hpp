// What differs between the configurations of several runs.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace heddle {

/// A TOML text as flat keys ("job[0].collective[1].sizes") with their values as TOML. `where` names the text in errors.
/// Throws InputError when it is not TOML.
std::map<std::string, std::string> flatten_toml(const std::string& toml, const std::string& where);

/// A key whose value is not the same everywhere; "-" where a configuration does not have it.
struct ConfigDifference {
  std::string key;
  std::vector<std::string> values;  // one per configuration
};

/// Whether runs that differ so may have other results: config_hash leaves out what says how a run is made and written,
/// and whether what repeats itself is skipped.
bool decides_result(const ConfigDifference& difference);

/// In order of keys.
std::vector<ConfigDifference> differences(std::span<const std::map<std::string, std::string>> configs);

/// "simulation.seed was 1 and is 17 now, roce.mtu was ...; and 3 more keys": what `counts` of the differences between
/// two TOML texts; empty when nothing does. Throws InputError as flatten_toml.
std::string changed_keys(const std::string& before, const std::string& now,
                         const std::function<bool(const ConfigDifference&)>& counts);

}  // namespace heddle
