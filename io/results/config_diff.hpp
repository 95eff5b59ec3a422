// What differs between the configurations of several runs.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace heddle {

/// A TOML text as flat keys ("job[0].collective[1].sizes") with their values as TOML. `where` names the text in errors.
/// Throws InputError when it is not TOML, or has keys so deep or long as no configuration has.
std::map<std::string, std::string> flatten_toml(const std::string& toml, const std::string& where);

/// `info` and `compare` do not show more values than this: a value takes some hundred bytes, and a few KB of a
/// result can hold the text of millions.
inline constexpr int kMaxShownValues = 400'000;

/// Whether a TOML text has more than kMaxShownValues values, by its punctuation.
bool has_too_many_values(const std::string& toml);

/// A key whose value is not the same everywhere; "-" where a configuration does not have it.
struct ConfigDifference {
  std::string key;
  std::vector<std::string> values;  // one per configuration
};

/// Whether runs that differ so may have other results: config_hash leaves out what says how a run is made and written.
bool decides_result(const ConfigDifference& difference);

/// In order of keys.
std::vector<ConfigDifference> differences(std::span<const std::map<std::string, std::string>> configs);

/// "simulation.seed was 1 and is 17 now, roce.mtu was ...; and 3 more keys": what `counts` of the differences between
/// two TOML texts; empty when nothing does. Throws InputError as flatten_toml.
std::string changed_keys(const std::string& before, const std::string& now,
                         const std::function<bool(const ConfigDifference&)>& counts);

}  // namespace heddle
