// The configuration as written: a TOML file with the --set arguments laid over it.
#pragma once

#include <toml++/toml.h>

#include <span>
#include <string>

namespace heddle {

/// Whether the file begins like HDF5: it may be a result.
bool is_hdf5(const std::string& path);

/// Reads and parses a file. Throws ConfigError with file, line and column.
toml::table read_toml_file(const std::string& path);

/// Parses a text; `name` stands for the file in messages.
toml::table read_toml_text(std::string_view text, const std::string& name);

/// Applies "a.b.c=value" arguments in order. The value is read as TOML ("4", "true", "[1, 2]") or else as a string
/// ("400 Gb/s"). Numbers address elements: "job.0.sizes=...". An index one past the end of a list of tables appends.
/// Missing tables and lists are created; they, too, have the argument as their source. Throws ConfigError naming the
/// argument.
void apply_sets(toml::table& root, std::span<const std::string> sets);

}  // namespace heddle
