#include "io/results/consistency.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "io/results/layout.hpp"

namespace heddle {
namespace {

struct Column {
  std::string path;
  u64 rows;
};

void expect_equal(const std::vector<Column>& columns, const std::string& path) {
  for (const Column& column : columns) {
    if (column.rows == columns[0].rows) continue;
    refuse_damaged(
        path, fmt::format("{} has {} rows, but {} has {}", columns[0].path, columns[0].rows, column.path, column.rows));
  }
}

/// Checks only the columns that the file has: files of earlier versions have fewer.
void check_table(const InputFile& file, const std::string& path, const TableSpec& table) {
  if (!file.has(std::string(table.group))) return;
  std::vector<Column> columns;
  for (const ColumnSpec& column : table.columns) {
    const std::string name = fmt::format("{}/{}", table.group, column.name);
    if (file.has(name)) columns.push_back({name, file.rows(name)});
  }
  expect_equal(columns, path);
}

void check_series(const InputFile& file, const std::string& path, const std::string& group) {
  if (!file.has(group)) return;
  std::vector<Column> columns = {{group + "/time_ps", file.rows(group + "/time_ps")}};
  for (const ColumnSpec& quantity : layout::kSeriesQuantities) {
    const std::string name = fmt::format("{}/{}", group, quantity.name);
    columns.push_back({name, file.rows(name)});
  }
  expect_equal(columns, path);
}

void check_codes(const InputFile& file, const std::string& path, const TableSpec& table) {
  for (const ColumnSpec& column : table.columns) {
    if (column.meanings.empty()) continue;
    const std::string name = fmt::format("{}/{}", table.group, column.name);
    if (!file.has(name)) continue;  // a later version added it, or reading it will fail
    const std::map<u64, std::string> names = file.meanings(name);
    for (const u64 code : file.numbers(name)) {
      if (!names.contains(code))
        refuse_damaged(path, fmt::format("{} holds the code {}, which its flag_meanings do not name", name, code));
    }
  }
}

bool is_known(std::string_view status) {
  u32 i = 0;
  for (std::string_view word = layout::word(layout::kStatuses, i); !word.empty();
       word = layout::word(layout::kStatuses, ++i)) {
    if (word == status) return true;
  }
  return false;
}

}  // namespace

void check_consistent(const InputFile& file, const std::string& path, std::string_view status) {
  if (!is_known(status))
    refuse_damaged(path, fmt::format("its status is '{}', none of '{}'", status, layout::kStatuses));
  for (const TableSpec& table :
       {layout::nodes(1), layout::links(), layout::parameters(1, 1), layout::job_ranks(1), layout::communicators()})
    check_table(file, path, table);
  check_codes(file, path, layout::nodes(1));
  if (status == layout::kPartial) return;
  for (const TableSpec& table :
       {layout::messages(), layout::collectives(), layout::iterations(), layout::link_outcomes(), layout::pfc_events(),
        layout::drop_events(), layout::failure_events(), layout::completion_events(), layout::phases(),
        layout::message_summaries(), layout::message_kind_summaries(), layout::iteration_summaries(),
        layout::collective_summaries(), layout::training_checkpoints(), layout::requests(), layout::request_summaries(),
        layout::plans()})
    check_table(file, path, table);
  for (const char* group : {"/series/tier", "/series/link"}) check_series(file, path, group);
  check_codes(file, path, layout::collectives());
  check_codes(file, path, layout::training_checkpoints());
  check_codes(file, path, layout::message_kind_summaries());
  check_codes(file, path, layout::collective_summaries());
}

}  // namespace heddle
