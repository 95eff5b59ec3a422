// Columns that kernels/outcome declares, in tables beside those that files compute.
#pragma once

#include <algorithm>
#include <cassert>

#include "io/results/table.hpp"
#include "kernels/outcome/columns.hpp"

namespace heddle {

constexpr Element element_of(u32) { return Element::uint32; }
constexpr Element element_of(u64) { return Element::uint64; }
constexpr Element element_of(TimePs) { return Element::int64; }

/// Calls visit(column, value) for what result files have of a row as it is.
template <class Row, class Visit>
void for_each_written(const Row& row, const Visit& visit) {
  for_each_value(
      [&](const auto& column, const auto& value) {
        if (column.meaning != nullptr) visit(column, value);
      },
      row);
}

/// Completes the columns that are only named here, and appends those that are not, and then the `last`.
template <class Row>
std::vector<ColumnSpec> with_declared(std::vector<ColumnSpec> columns, const std::vector<ColumnSpec>& last = {}) {
  i32 number = 0;
  for_each_written(Row(), [&](const auto& column, const auto& value) {
    const ColumnSpec spec = {.name = column.name,
                             .element = element_of(value),
                             .units = column.unit,
                             .long_name = column.meaning,
                             .declared = number++};
    const auto place = std::ranges::find(columns, spec.name, &ColumnSpec::name);
    if (place != columns.end())
      *place = spec;
    else
      columns.push_back(spec);
  });
  columns.insert(columns.end(), last.begin(), last.end());
  return columns;
}

/// Appends what is computed, in the order of the columns, and between it what the row declares.
template <class Row>
void append_row(Table& table, std::initializer_list<Cell> computed, const Row& row) {
  const std::vector<ColumnSpec>& columns = table.spec().columns;
  std::vector<Cell> declared(columns.size()), cells(columns.size());
  u32 number = 0;
  for_each_written(row, [&](const auto&, const auto& value) { declared[number++] = cell(value); });
  auto next = computed.begin();
  for (u32 i = 0; i < cells.size(); ++i)
    cells[i] = columns[i].declared < 0 ? *next++ : declared[static_cast<u32>(columns[i].declared)];
  assert(next == computed.end());
  table.append(cells);
}

}  // namespace heddle
