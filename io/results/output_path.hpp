// Whether a result file can be written, checked before anything runs.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

/// Refuses a path that cannot be written, before anything runs: an existing file, or the .part of a killed run, without
/// `overwrite`; a missing folder; no permission. Leaves no trace. Throws OutputError; `named_by` is the argument or key
/// that gives another path.
void check_writable(const std::string& path, bool overwrite, std::string_view named_by = "-o");

/// Checks likewise for a run that resumes from a checkpoint: the .part of the killed run must exist, or the file
/// itself, which `overwrite` then allows to replace.
void check_continuable(const std::string& path, bool overwrite, std::string_view named_by = "-o");

}  // namespace heddle
