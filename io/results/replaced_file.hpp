// --force may replace files that a run has written, and nothing else.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle {

/// Throws OutputError when the file at that path is not a result. An empty file may be replaced. `named_by` is the
/// argument or key that gives another path.
void refuse_foreign_result(const std::string& path, std::string_view named_by = "-o");

/// Called at the end of a run, whose results are complete in `part_path`: throws OutputError that says what to do about
/// a file at `path` that is not a result or did not exist when the run began.
[[noreturn]] void refuse_to_replace_at_the_end(const std::string& path, const std::string& part_path);

/// Throws likewise when the file at `path` is not a result; otherwise the file may be replaced.
void refuse_foreign_at_the_end(const std::string& path, const std::string& part_path);

/// Like refuse_foreign_result() for a text export, whose lines are `columns` numbers.
void refuse_foreign_export(const std::string& path, size_t columns, std::string_view named_by);

}  // namespace heddle
