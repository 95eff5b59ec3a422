// A TOML table onto the options it describes: types, units, ranges, choices, unknown keys.
#pragma once

#include <toml++/toml.h>

#include <string>

#include "host/config/problems.hpp"
#include "host/config/section.hpp"

namespace heddle {

/// Where a node stands: "file.toml:12:3", or the --set argument it came from.
std::string location_of(const toml::node& node);

/// Sets every field of the section that the table names and reports all that cannot be understood. Keys that are
/// neither a parameter nor in section.children are errors, with the nearest known key as a suggestion.
/// Keys without a default must be there.
void bind_section(const toml::table& table, const Section& section, Problems& problems);

/// Reports every key of the table that means nothing beside the others (Parameter::only_with). For when all sections
/// are bound: what a job's keys mean depends on its collectives.
void report_keys_without_effect(const toml::table& table, const Section& section, Problems& problems);

}  // namespace heddle
