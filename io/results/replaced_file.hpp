// --force may replace files that a run has written, and nothing else.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle {

/// Throws OutputError when a file has that name that is no result of ours. An empty one may go. `named_by` is the
/// argument or key that gives another path.
void refuse_foreign_result(const std::string& path, std::string_view named_by = "-o");

/// At the end of a run, whose results are whole in `part_path`: throws OutputError that a file, which is no result or
/// was not there as the run began, has the name `path` now, and what to do.
[[noreturn]] void refuse_to_replace_at_the_end(const std::string& path, const std::string& part_path);

/// The same when what has that name is no result; else it may be replaced.
void refuse_foreign_at_the_end(const std::string& path, const std::string& part_path);

/// refuse_foreign_result() of a text export, whose lines are `columns` numbers.
void refuse_foreign_export(const std::string& path, size_t columns, std::string_view named_by);

}  // namespace heddle
