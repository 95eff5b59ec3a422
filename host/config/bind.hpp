// Binds a TOML table to the options it describes: types, units, ranges, choices, unknown keys.
#pragma once

#include <toml++/toml.h>

#include <string>

#include "host/config/section.hpp"
#include "io/problems.hpp"

namespace heddle {

/// The origin of a node: "file.toml:12:3", or its --set argument.
std::string location_of(const toml::node& node);

/// Sets every field of the section that the table names and reports all invalid values. Keys that are neither a
/// parameter nor in section.children are errors, with the nearest known key as a suggestion. Keys without a default are
/// required.
void bind_section(const toml::table& table, const Section& section, Problems& problems);

/// Reports every key of the table that has no effect given the others (Parameter::only_with). To be called when all
/// sections are bound: the effect of a job's keys depends on its collectives.
void report_keys_without_effect(const toml::table& table, const Section& section, Problems& problems);

}  // namespace heddle
