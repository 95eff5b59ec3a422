// One growing HDF5 dataset: a column, or a table of (time, entity).
#pragma once

#include <string>
#include <string_view>

#include "io/results/hdf5.hpp"

namespace heddle {

/// Types of elements in the file. Texts have a fixed width, because HDF5 cannot append variable-length data in SWMR
/// mode.
enum class Element : u8 { uint8, uint16, uint32, uint64, int32, int64, real64, text };

/// What a dataset holds. Constant data: io/results/layout.cpp.
struct ColumnSpec {
  std::string_view name;
  Element element;
  std::string_view units;  // "ps", "B", "1", ...; "1" for plain numbers and identifiers
  std::string_view long_name;
  std::string_view meanings = {};  // for codes: the names of 0, 1, 2, ... separated by spaces (CF's flag_meanings)
  u32 width_bytes = 0;             // of a text
};

/// Size of one element in bytes.
u32 element_bytes(const ColumnSpec& spec);

class Dataset {
 public:
  /// Creates an empty dataset that grows along its first axis, with its attributes.
  /// `columns` = 0: one axis; else a second axis of that fixed length. Throws OutputError.
  Dataset(hid_t group, std::string_view group_path, std::string_view file, const ColumnSpec& spec, u64 chunk_rows,
          u64 columns = 0);

  /// Appends `rows` rows and hands them to the operating system. Throws OutputError.
  void append(const void* data, u64 rows);

  /// Makes this dataset a dimension scale of that name, or attaches such a scale to one of its axes.
  void make_scale(const std::string& name);
  void attach_scale(const Dataset& scale, u32 axis);

  u64 rows() const { return rows_; }
  const std::string& object_path() const { return object_path_; }
  void close();

 private:
  h5::Place place() const { return {file_, object_path_}; }

  std::string file_, object_path_;
  h5::Handle type_, dataset_;
  u64 rows_ = 0, columns_ = 0;
};

}  // namespace heddle
