#include "io/results/table.hpp"

#include "io/results/killed_part.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace heddle {
namespace {

template <class T>
void push(std::vector<std::byte>& bytes, T value) {
  const size_t at = bytes.size();
  bytes.resize(at + sizeof(T));
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

u64 bits_of(const Cell& value) {
  if (const i64* signed_value = std::get_if<i64>(&value)) return static_cast<u64>(*signed_value);
  assert(std::holds_alternative<u64>(value));
  return std::get<u64>(value);
}

void push_text(std::vector<std::byte>& bytes, std::string_view text, u32 width_bytes) {
  const size_t at = bytes.size();
  bytes.resize(at + width_bytes);  // zeros
  std::memcpy(bytes.data() + at, text.data(), std::min<size_t>(text.size(), width_bytes));
}

}  // namespace

Table::Table(hid_t file, std::string_view file_path, TableSpec spec, u64 chunk_rows)
    : spec_(std::move(spec)), chunk_rows_(chunk_rows), staged_(spec_.columns.size()) {
  const h5::Place place{file_path, spec_.group};
  const h5::Handle group = h5::create_group(file, std::string(spec_.group), place);
  h5::write_attribute(group.get(), "long_name", spec_.long_name, place);
  for (const ColumnSpec& column : spec_.columns) {
    columns_.emplace_back(group.get(), spec_.group, file_path, column, chunk_rows);
  }
  columns_[0].make_scale(std::string(spec_.columns[0].name));
  for (size_t i = 1; i < columns_.size(); ++i) columns_[i].attach_scale(columns_[0], 0);
}

void Table::append(std::span<const Cell> row) {
  assert(row.size() == columns_.size());
  u32 column = 0;
  for (const Cell& value : row) stage(column++, value);
  ++rows_;
  if (++staged_rows_ == chunk_rows_) write_staged();
}

void Table::stage(u32 column, const Cell& value) {
  std::vector<std::byte>& bytes = staged_[column];
  const ColumnSpec& spec = spec_.columns[column];
  switch (spec.element) {
    case Element::uint8:
      return push(bytes, static_cast<u8>(bits_of(value)));
    case Element::uint16:
      return push(bytes, static_cast<u16>(bits_of(value)));
    case Element::uint32:
      return push(bytes, static_cast<u32>(bits_of(value)));
    case Element::int32:
      return push(bytes, static_cast<i32>(bits_of(value)));
    case Element::uint64:
      return push(bytes, bits_of(value));
    case Element::int64:
      return push(bytes, static_cast<i64>(bits_of(value)));
    case Element::real64:
      return push(bytes, std::get<double>(value));
    case Element::text:
      return push_text(bytes, std::get<std::string_view>(value), spec.width_bytes);
  }
}

void Table::write_staged() {
  for (size_t i = 0; i < columns_.size(); ++i) {
    columns_[i].append(staged_[i].data(), staged_rows_);
    staged_[i].clear();
  }
  staged_rows_ = 0;
}

void Table::finish() {
  if (staged_rows_ != 0) write_staged();
}

u64 Table::stored_bytes() const {
  u64 bytes = 0;
  for (const Dataset& column : columns_) bytes += column.stored_bytes();
  return bytes;
}

void Table::save(std::vector<u64>& words) const {
  words.push_back(staged_rows_);
  for (size_t i = 0; i < columns_.size(); ++i) {
    save_rows(columns_[i], words);
    append_text(words, {reinterpret_cast<const char*>(staged_[i].data()), staged_[i].size()});
  }
}

void Table::restore(WordSource& words, const KilledPart& killed) {
  staged_rows_ = words.word();
  for (size_t i = 0; i < columns_.size(); ++i) {
    killed.restore_rows(words, columns_[i]);
    const std::string staged = words.text();
    if (staged_rows_ >= chunk_rows_ || staged.size() != staged_rows_ * columns_[i].row_bytes() ||
        columns_[i].rows() != columns_[0].rows())
      throw std::out_of_range("rows of " + columns_[i].object_path());
    const auto* bytes = reinterpret_cast<const std::byte*>(staged.data());
    staged_[i].assign(bytes, bytes + staged.size());
  }
  rows_ = columns_[0].rows() + staged_rows_;
}

void Table::close() {
  for (Dataset& column : columns_) column.close();
}

}  // namespace heddle
