#include "io/results/dataset.hpp"

#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <sstream>

#include "io/hash_bytes.hpp"

namespace heddle {
namespace {

constexpr unsigned kDeflateLevel = 1;  // higher levels cost several times the time for a few per cent of size
/// HDF5's index of the chunks: 17 were seen in files of up to 10 MB, and it grows in steps.
constexpr u64 kIndexBytesPerChunk = 32;

h5::Handle type_of(const ColumnSpec& spec) {
  switch (spec.element) {
    case Element::uint8:
      return h5::Handle(H5Tcopy(H5T_NATIVE_UINT8));
    case Element::uint16:
      return h5::Handle(H5Tcopy(H5T_NATIVE_UINT16));
    case Element::uint32:
      return h5::Handle(H5Tcopy(H5T_NATIVE_UINT32));
    case Element::uint64:
      return h5::Handle(H5Tcopy(H5T_NATIVE_UINT64));
    case Element::int32:
      return h5::Handle(H5Tcopy(H5T_NATIVE_INT32));
    case Element::int64:
      return h5::Handle(H5Tcopy(H5T_NATIVE_INT64));
    case Element::real64:
      return h5::Handle(H5Tcopy(H5T_NATIVE_DOUBLE));
    case Element::text:
      break;
  }
  h5::Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), spec.width_bytes);
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  return type;
}

h5::Handle creation_properties(const ColumnSpec& spec, u64 chunk_rows, u64 columns) {
  h5::Handle properties(H5Pcreate(H5P_DATASET_CREATE));
  const hsize_t chunk[2] = {std::max<hsize_t>(chunk_rows, 1), std::max<hsize_t>(columns, 1)};
  H5Pset_chunk(properties.get(), columns == 0 ? 1 : 2, chunk);
  if (element_bytes(spec) > 1 && spec.element != Element::text) H5Pset_shuffle(properties.get());
  H5Pset_deflate(properties.get(), kDeflateLevel);
  H5Pset_obj_track_times(properties.get(), false);
  return properties;
}

/// The cache holds two chunks: a whole chunk passes through it once.
h5::Handle access_properties(const ColumnSpec& spec, u64 chunk_rows, u64 columns) {
  h5::Handle properties(H5Pcreate(H5P_DATASET_ACCESS));
  const size_t chunk_bytes = std::max<u64>(chunk_rows, 1) * std::max<u64>(columns, 1) * element_bytes(spec);
  H5Pset_chunk_cache(properties.get(), 101, 2 * chunk_bytes, 1.0);
  return properties;
}

/// Writes the codes that can occur in this dataset in the CF convention of climate data (flag_values, flag_meanings),
/// which xarray users know.
void write_meanings(hid_t dataset, const ColumnSpec& spec, const h5::Place& place) {
  if (spec.meanings.empty()) return;
  std::vector<u8> values;
  std::string meanings;
  u8 code = 0;
  std::istringstream words{std::string(spec.meanings)};
  for (std::string word; words >> word; ++code) {
    if ((spec.codes >> code & 1) == 0) continue;
    meanings += (values.empty() ? "" : " ") + word;
    values.push_back(code);
  }
  const hsize_t count = values.size();
  const h5::Handle space(H5Screate_simple(1, &count, nullptr));
  const h5::Handle attribute =
      h5::created(H5Acreate2(dataset, "flag_values", H5T_NATIVE_UINT8, space.get(), H5P_DEFAULT, H5P_DEFAULT), place,
                  "write attribute 'flag_values' of");
  h5::written(H5Awrite(attribute.get(), H5T_NATIVE_UINT8, values.data()), place, "write attribute 'flag_values' of");
  h5::write_attribute(dataset, "flag_meanings", meanings, place);
}

}  // namespace

u32 element_bytes(const ColumnSpec& spec) {
  switch (spec.element) {
    case Element::uint8:
      return 1;
    case Element::uint16:
      return 2;
    case Element::uint32:
    case Element::int32:
      return 4;
    case Element::uint64:
    case Element::int64:
    case Element::real64:
      return 8;
    case Element::text:
      return spec.width_bytes;
  }
  return 0;
}

Dataset::Dataset(hid_t group, std::string_view group_path, std::string_view file, const ColumnSpec& spec,
                 u64 chunk_rows, u64 columns)
    : file_(file),
      object_path_(fmt::format("{}/{}", group_path, spec.name)),
      type_(type_of(spec)),
      columns_(columns),
      chunk_rows_(std::max<u64>(chunk_rows, 1)),
      row_bytes_(std::max<u64>(columns, 1) * element_bytes(spec)) {
  const hsize_t size[2] = {0, columns}, limit[2] = {H5S_UNLIMITED, columns};
  const h5::Handle space(H5Screate_simple(columns == 0 ? 1 : 2, size, limit));
  const std::string name(spec.name);
  dataset_ = h5::created(H5Dcreate2(group, name.c_str(), type_.get(), space.get(), H5P_DEFAULT,
                                    creation_properties(spec, chunk_rows, columns).get(),
                                    access_properties(spec, chunk_rows, columns).get()),
                         place(), "create dataset");
  h5::write_attribute(dataset_.get(), "units", spec.units, place());
  h5::write_attribute(dataset_.get(), "long_name", spec.long_name, place());
  write_meanings(dataset_.get(), spec, place());
}

void Dataset::extend(u64 rows) {
  const hsize_t size[2] = {rows_ + rows, columns_};
  h5::written(H5Dset_extent(dataset_.get(), size), place(), "extend");
  rows_ += rows;
}

void Dataset::append(const void* data, u64 rows) {
  if (rows == 0) return;
  const u64 first = rows_;
  const hsize_t start[2] = {first, 0}, count[2] = {rows, columns_};
  extend(rows);
  const h5::Handle memory(H5Screate_simple(columns_ == 0 ? 1 : 2, count, nullptr));
  const h5::Handle target = h5::created(H5Dget_space(dataset_.get()), place(), "extend");
  h5::written(H5Sselect_hyperslab(target.get(), H5S_SELECT_SET, start, nullptr, count, nullptr), place(), "extend");
  h5::written(H5Dwrite(dataset_.get(), type_.get(), memory.get(), target.get(), H5P_DEFAULT, data), place(), "write");
  h5::written(H5Dflush(dataset_.get()), place(), "write");
  for (u64 row = (first + chunk_rows_ - 1) / chunk_rows_ * chunk_rows_; row < first + rows; row += chunk_rows_)
    note_chunk(row);
}

void Dataset::append_stored(std::span<const std::byte> stored, u64 filters_left_out) {
  const u64 first = rows_;
  const hsize_t corner[2] = {first, 0};
  extend(chunk_rows_);
  h5::written(H5Dwrite_chunk(dataset_.get(), H5P_DEFAULT, static_cast<u32>(filters_left_out), corner, stored.size(),
                             stored.data()),
              place(), "write");
  note_chunk(first);
}

void Dataset::note_chunk(u64 first_row) {
  const hsize_t corner[2] = {first_row, 0};
  unsigned filters_left_out = 0;
  haddr_t address = 0;
  hsize_t bytes = 0;
  h5::written(H5Dget_chunk_info_by_coord(dataset_.get(), corner, &filters_left_out, &address, &bytes), place(),
              "ask for a chunk of");
  std::vector<std::byte> stored(bytes);
  h5::written(H5Dread_chunk(dataset_.get(), H5P_DEFAULT, corner, &filters_left_out, stored.data()), place(),
              "read back a chunk of");
  chunks_.push_back({address, bytes, filters_left_out, absorb_bytes(0, stored)});
  stored_bytes_ += bytes + kIndexBytesPerChunk;
}

void Dataset::make_scale(const std::string& name) {
  h5::written(H5DSset_scale(dataset_.get(), name.c_str()), place(), "make a dimension scale of");
}

void Dataset::attach_scale(const Dataset& scale, u32 axis) {
  h5::written(H5DSattach_scale(dataset_.get(), scale.dataset_.get(), axis), place(), "attach a dimension scale to");
}

void Dataset::close() {
  if (!dataset_.reset()) h5::fail_write(place(), "close");
}

}  // namespace heddle
