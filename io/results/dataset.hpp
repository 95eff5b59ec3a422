// One growing HDF5 dataset: a column, or a table of (time, entity).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/results/hdf5.hpp"

namespace heddle {

/// Types of elements in the file. Texts have a fixed width, because HDF5 cannot append variable-length data in SWMR
/// mode.
enum class Element : u8 { uint8, uint16, uint32, uint64, int32, int64, real64, text };

/// A dataset's name, type, unit and meaning. Constant data: io/results/layout.cpp.
struct ColumnSpec {
  std::string_view name;
  Element element = Element::uint64;
  std::string_view units = {};  // "ps", "B", "1", ...; "1" for plain numbers and identifiers
  std::string_view long_name = {};
  std::string_view meanings = {};  // for codes: the names of 0, 1, 2, ... separated by spaces
  u32 width_bytes = 0;             // of a text
  u32 codes = ~0u;                 // of codes: bit i says that i can occur here (CF's flag_values, flag_meanings)
  i32 declared = -1;               // number among the columns of a struct of kernels/outcome (declared.hpp)
};

/// Size of one element in bytes.
u32 element_bytes(const ColumnSpec& spec);

/// How the file stores a chunk, compressed. A chunk that is written never moves or changes.
struct StoredChunk {
  u64 address = 0, bytes = 0;
  u64 filters_left_out = 0;  // HDF5's mask: a filter that did not help
  u64 hash = 0;              // hash of the stored bytes
};

class Dataset {
 public:
  /// Creates an empty dataset that grows along its first axis, with its attributes.
  /// `columns` = 0: one axis; else a second axis of that fixed length. Throws OutputError.
  Dataset(hid_t group, std::string_view group_path, std::string_view file, const ColumnSpec& spec, u64 chunk_rows,
          u64 columns = 0);

  /// Appends `rows` rows and passes them to the operating system. Throws OutputError.
  void append(const void* data, u64 rows);

  /// Appends a chunk as another file of this layout stores it. Throws OutputError.
  void append_stored(std::span<const std::byte> stored, u64 filters_left_out);

  /// Makes this dataset a dimension scale of that name, or attaches such a scale to one of its axes.
  void make_scale(const std::string& name);
  void attach_scale(const Dataset& scale, u32 axis);

  u64 rows() const { return rows_; }
  /// Sizes for rows that are appended chunk by chunk.
  const std::vector<StoredChunk>& chunks() const { return chunks_; }
  u64 chunk_rows() const { return chunk_rows_; }
  u64 row_bytes() const { return row_bytes_; }
  /// Bytes of the rows in the file: compressed chunks and their places in the index.
  u64 stored_bytes() const { return stored_bytes_; }
  const std::string& object_path() const { return object_path_; }
  void close();

 private:
  h5::Place place() const { return {file_, object_path_}; }
  void extend(u64 rows);
  void note_chunk(u64 first_row);

  std::string file_, object_path_;
  h5::Handle type_, dataset_;
  u64 columns_ = 0, chunk_rows_ = 1, row_bytes_ = 0;
  u64 rows_ = 0;
  std::vector<StoredChunk> chunks_;
  u64 stored_bytes_ = 0;
};

}  // namespace heddle
