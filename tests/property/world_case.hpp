// A world under test as texts: its configuration, its input files, and the twist of its tables.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/world/world.hpp"
#include "tests/property/twist.hpp"

namespace heddle::property {

struct WorldCase {
  std::string name;  // name of its configuration's file, without ".toml"
  std::string toml;
  std::vector<std::pair<std::string, std::string>> files;  // (path beside the configuration, content)
  std::optional<Twist> twist;                              // change of the tables after building
};

/// The world of a seed.
WorldCase case_of_seed(u64 seed);

/// Reads a configuration's file, with the relative files that it names and the twist in its comment "# twist: ...", as
/// keep() writes them. Throws ConfigError when it cannot be read.
WorldCase read_case(const std::filesystem::path& file);

/// Returns the configuration with the twist, if any, as a comment before it.
std::string text_of(const WorldCase& world_case);

/// Writes the configuration and its files into `folder`. Returns the configuration's path.
std::filesystem::path keep(const WorldCase& world_case, const std::filesystem::path& folder);

/// Builds the tables. The files are written to a scratch folder while they are read. Throws ConfigError or InputError.
World build(const WorldCase& world_case);

}  // namespace heddle::property
