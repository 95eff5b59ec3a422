// A group of columns of equal length: one row per message, event, link, ...
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/results/dataset.hpp"
#include "kernels/base/words.hpp"

namespace heddle {

class KilledPart;

/// A group of columns. Constant data: io/results/layout.cpp.
struct TableSpec {
  std::string_view group;  // "/event/pfc"
  std::string_view long_name;
  std::vector<ColumnSpec> columns;  // the first one is the dimension scale of the others
};

/// One value on its way into a column.
using Cell = std::variant<i64, u64, double, std::string_view>;
inline Cell cell(i64 x) { return x; }
inline Cell cell(u64 x) { return x; }
inline Cell cell(u32 x) { return static_cast<u64>(x); }
inline Cell cell(double x) { return x; }
inline Cell cell(std::string_view x) { return x; }

class Table {
 public:
  /// Creates the group and its columns below `file`. Rows reach the file in whole chunks of `chunk_rows`.
  Table(hid_t file, std::string_view file_path, TableSpec spec, u64 chunk_rows);

  /// Appends a row, in the order of the columns. The cells' kinds must be those of the columns (asserted).
  void append(std::span<const Cell> row);
  void append(std::initializer_list<Cell> row) { append(std::span(row.begin(), row.size())); }
  /// Writes what is left over, as the last, shorter chunk.
  void finish();

  /// Appends what restore() needs: the number of rows in the file, and the rows that wait for their chunk.
  void save(std::vector<u64>& words) const;
  /// Restores an empty table to the saved one; rows that were in its file come from `killed`. Throws std::out_of_range
  /// when the words are not of such a table, OutputError, and what KilledPart::restore_rows throws.
  void restore(WordSource& words, const KilledPart& killed);

  const TableSpec& spec() const { return spec_; }
  u64 rows() const { return rows_; }
  std::span<Dataset> columns() { return columns_; }
  u64 stored_bytes() const;  // bytes of the rows in the file
  void close();

 private:
  void stage(u32 column, const Cell& value);
  void write_staged();

  TableSpec spec_;
  u64 chunk_rows_ = 1, staged_rows_ = 0, rows_ = 0;
  std::vector<Dataset> columns_;
  std::vector<std::vector<std::byte>> staged_;
};

}  // namespace heddle
