// What --force may replace: files that a run has written, and nothing else.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle {

/// Throws OutputError when a file has that name that is no result of ours. An empty one may go. `named_by` is the
/// argument or key that gives another path.
void refuse_foreign_result(const std::string& path, std::string_view named_by = "-o");

/// The same of a text export, whose lines are `columns` numbers.
void refuse_foreign_export(const std::string& path, size_t columns, std::string_view named_by);

}  // namespace heddle
