#include "io/results/input_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <sstream>
#include <utility>

#include "io/durable.hpp"
#include "io/ordinary_file.hpp"
#include "io/printable.hpp"
#include "io/results/own_storage.hpp"
#include "io/shell_word.hpp"

namespace heddle {
namespace {

/// More values than any dataset that is read here can have. A file that claims more would only fill the memory: HDF5
/// needs no bytes for values that were never written.
constexpr hssize_t kMaxValues = hssize_t{1} << 28;

/// The number of values in a dataset's space.
size_t values_in(const h5::Handle& space, const std::string& path, const std::string& dataset) {
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (count < 0) h5::fail_read({path, dataset}, "get the size of");
  if (count > kMaxValues) {
    refuse_damaged(
        path, fmt::format("{} claims {} values, more than the {} that are read at most", dataset, count, kMaxValues));
  }
  return static_cast<size_t>(count);
}

/// Checks times, ids and sizes: -1 says "none", and nothing is later than kNever, so that differences do not overflow.
void check_signed(i64 value, const std::string& path, std::string_view object) {
  if (value >= -1 && value <= kNever) return;
  refuse_damaged(path, fmt::format("{} holds {}, outside the range -1 to {}", object, value, kNever));
}

/// Suggests where the rows that the caller wants under `path` may be: a run renames its .part when it ends.
std::string instead_of(const std::string& path) {
  constexpr std::string_view kPart = ".part";
  if (path.ends_with(kPart)) {
    const std::string whole = path.substr(0, path.size() - kPart.size());
    return is_there(whole) ? fmt::format("its run has ended, look at {}", shell_word(whole))
                           : fmt::format("check the name ({} is not there either)", whole);
  }
  const std::string part = path + std::string(kPart);
  return is_there(part) ? fmt::format("its run has not ended or was killed, look at {}", shell_word(part))
                        : "check the name";
}

/// Refuses paths for which HDF5 would wait or give another reason.
void refuse_no_file(const std::string& path) {
  const std::string name = printable_name(path);
  if (!is_there(path)) throw InputError(fmt::format("cannot read '{}': no such file; {}", name, instead_of(path)));
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(
        fmt::format("cannot read '{}': it is a folder; give a result file in it or, of the folder of a "
                    "sweep, see all runs with heddle compare {}",
                    name, shell_word(path)));
  }
  if (const std::string why = why_no_ordinary_file(path); !why.empty())
    throw InputError(fmt::format("cannot read '{}': {}", name, why));
}

/// Explains why HDF5 does not open a file.
[[noreturn]] void refuse(const std::string& path) {
  const std::string reason = h5::reason(), name = printable_name(path);
  if (H5Fis_hdf5(path.c_str()) <= 0) {
    throw InputError(
        fmt::format("cannot read '{}': not an HDF5 file, or cut off at its start; give a file that 'heddle run' "
                    "wrote",
                    name));
  }
  throw InputError(fmt::format(
      "cannot read '{}': {}; the file is damaged or truncated: take a copy that is whole, or run again", name, reason));
}

h5::Handle open_file(const std::string& path) {
  refuse_no_file(path);
  const h5::Handle access = h5::file_access();
  h5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()));
  // A writer that was killed, or that still writes, has left its mark in the file: readers then open it in SWMR mode.
  // An object that does not fit its checksum may be half written, so HDF5 reads it again, and doubles the wait each
  // time from 1 ns on; its 100 attempts would take for ever where a kill has left the object so, and 28 take 0.3 s.
  H5Pset_metadata_read_attempts(access.get(), 28);
  if (!file) file = h5::Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.get()));
  if (!file) refuse(path);
  refuse_foreign_storage(file, path);
  return file;
}

std::string without_padding(const char* text, size_t width) {
  const std::string_view whole(text, width);
  return std::string(whole.substr(0, whole.find('\0')));
}

h5::Handle text_type_of(hid_t type) {
  h5::Handle copy(H5Tcopy(H5T_C_S1));
  H5Tset_size(copy.get(), H5Tget_size(type));
  H5Tset_cset(copy.get(), H5Tget_cset(type));
  H5Tset_strpad(copy.get(), H5T_STR_NULLPAD);
  return copy;
}

std::string key_of(std::string_view object, std::string_view name) { return fmt::format("{} {}", object, name); }

}  // namespace

void refuse_damaged(const std::string& path, const std::string& problem) {
  throw InputError(
      fmt::format("cannot read '{}': {}; the file is damaged, or another program has changed it: take a copy that is "
                  "whole, or run again",
                  printable_name(path), problem));
}

InputFile::InputFile(const std::string& path, Texts texts)
    : path_(printable_name(path)), file_(open_file(path)), texts_(std::move(texts)) {}

bool InputFile::has(const std::string& object) const { return H5Lexists(file_.get(), object.c_str(), H5P_DEFAULT) > 0; }

bool InputFile::has_attribute(const char* object, const char* name) const {
  return H5Aexists_by_name(file_.get(), object, name, H5P_DEFAULT) > 0;
}

h5::Handle InputFile::open_attribute(const char* object, const char* name) const {
  h5::Handle attribute(H5Aopen_by_name(file_.get(), object, name, H5P_DEFAULT, H5P_DEFAULT));
  if (!attribute) h5::fail_read({path_, object}, fmt::format("read attribute '{}' of", name));
  const h5::Handle space(H5Aget_space(attribute.get()));
  if (H5Sget_simple_extent_npoints(space.get()) != 1) {
    refuse_damaged(path_, fmt::format("{} has an attribute '{}' that is not a single value", object, name));
  }
  return attribute;
}

std::string InputFile::text_attribute(const char* object, const char* name) const {
  if (const auto known = texts_.find(key_of(object, name)); known != texts_.end()) return known->second;
  const h5::Place place{path_, object};
  const std::string verb = fmt::format("read attribute '{}' of", name);
  const h5::Handle attribute = open_attribute(object, name);
  const h5::Handle type(H5Aget_type(attribute.get()));
  if (H5Tget_class(type.get()) != H5T_STRING) h5::fail_read(place, verb);
  if (H5Tis_variable_str(type.get()) <= 0) {
    std::string text(H5Tget_size(type.get()), '\0');
    if (H5Aread(attribute.get(), type.get(), text.data()) < 0) h5::fail_read(place, verb);
    return without_padding(text.data(), text.size());
  }
  char* text = nullptr;
  const h5::Handle memory(H5Tcopy(type.get()));
  if (H5Aread(attribute.get(), memory.get(), &text) < 0) h5::fail_read(place, verb);
  std::string copy = text == nullptr ? "" : text;
  H5free_memory(text);
  return copy;
}

void InputFile::read_attribute(const char* object, const char* name, hid_t type, void* into) const {
  if (H5Aread(open_attribute(object, name).get(), type, into) < 0) {
    h5::fail_read({path_, object}, fmt::format("read attribute '{}' of", name));
  }
}

u64 InputFile::number_attribute(const char* object, const char* name) const {
  u64 value = 0;
  read_attribute(object, name, H5T_NATIVE_UINT64, &value);
  return value;
}

i64 InputFile::signed_attribute(const char* object, const char* name) const {
  i64 value = 0;
  read_attribute(object, name, H5T_NATIVE_INT64, &value);
  check_signed(value, path_, name);
  return value;
}

double InputFile::real_attribute(const char* object, const char* name) const {
  double value = 0;
  read_attribute(object, name, H5T_NATIVE_DOUBLE, &value);
  return value;
}

void InputFile::expect(const std::string& object) const {
  for (size_t end = object.find('/', 1);; end = object.find('/', end + 1)) {
    const std::string part = object.substr(0, end);
    if (H5Lexists(file_.get(), part.c_str(), H5P_DEFAULT) == 0) refuse_damaged(path_, "it has no " + part);
    if (end == std::string::npos) return;
  }
}

h5::Handle InputFile::open(const std::string& dataset) const {
  expect(dataset);
  h5::Handle handle(H5Dopen2(file_.get(), dataset.c_str(), H5P_DEFAULT));
  if (!handle) h5::fail_read({path_, dataset}, "open");
  return handle;
}

u64 InputFile::rows(const std::string& dataset) const {
  const h5::Handle handle = open(dataset);
  const h5::Handle space(H5Dget_space(handle.get()));
  hsize_t size[H5S_MAX_RANK] = {};
  if (H5Sget_simple_extent_dims(space.get(), size, nullptr) < 1) h5::fail_read({path_, dataset}, "get the size of");
  return size[0];
}

template <class T>
std::vector<T> InputFile::read(const std::string& dataset, hid_t type) const {
  const h5::Handle handle = open(dataset);
  const h5::Handle space(H5Dget_space(handle.get()));
  std::vector<T> values(values_in(space, path_, dataset));
  if (!values.empty() && H5Dread(handle.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    h5::fail_read({path_, dataset}, "read");
  }
  return values;
}

std::vector<u64> InputFile::numbers(const std::string& dataset) const { return read<u64>(dataset, H5T_NATIVE_UINT64); }

std::vector<u64> InputFile::numbers_of_rows(const std::string& dataset, u64 first_row, u64 count) const {
  const h5::Handle handle = open(dataset);
  const h5::Handle space(H5Dget_space(handle.get()));
  hsize_t size[H5S_MAX_RANK] = {};
  if (H5Sget_simple_extent_dims(space.get(), size, nullptr) != 2 || first_row + count > size[0] ||
      count * size[1] > static_cast<u64>(kMaxValues))
    refuse_damaged(path_, fmt::format("{} has no {} rows from {} on", dataset, count, first_row));
  std::vector<u64> values(count * size[1]);
  if (values.empty()) return values;
  const hsize_t from[2] = {first_row, 0}, extent[2] = {count, size[1]};
  const h5::Handle memory(H5Screate_simple(2, extent, nullptr));
  H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, from, nullptr, extent, nullptr);
  if (H5Dread(handle.get(), H5T_NATIVE_UINT64, memory.get(), space.get(), H5P_DEFAULT, values.data()) < 0)
    h5::fail_read({path_, dataset}, "read");
  return values;
}

std::vector<i64> InputFile::signed_numbers(const std::string& dataset) const {
  std::vector<i64> values = read<i64>(dataset, H5T_NATIVE_INT64);
  for (const i64 value : values) check_signed(value, path_, dataset);
  return values;
}
std::vector<double> InputFile::reals(const std::string& dataset) const {
  return read<double>(dataset, H5T_NATIVE_DOUBLE);
}

std::vector<std::string> InputFile::texts(const std::string& dataset) const {
  const h5::Handle handle = open(dataset);
  const h5::Handle type(H5Dget_type(handle.get())), space(H5Dget_space(handle.get()));
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) > 0) {
    h5::fail_read({path_, dataset}, "read as texts of fixed width");
  }
  const size_t width = H5Tget_size(type.get());
  const size_t count = values_in(space, path_, dataset);
  if (width > static_cast<size_t>(kMaxValues) / std::max<size_t>(count, 1)) {
    refuse_damaged(path_, fmt::format("{} claims {} texts of {} B", dataset, count, width));
  }
  std::string all(width * count, '\0');
  if (count > 0 &&
      H5Dread(handle.get(), text_type_of(type.get()).get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()) < 0) {
    h5::fail_read({path_, dataset}, "read");
  }
  std::vector<std::string> texts;
  for (size_t at = 0; at < all.size(); at += width) texts.push_back(without_padding(all.data() + at, width));
  return texts;
}

std::map<u64, std::string> InputFile::meanings(const std::string& dataset) const {
  constexpr hssize_t kMaxCodes = 256;  // a code is a byte
  constexpr size_t kMaxNameBytes = 100;
  const h5::Handle attribute(H5Aopen_by_name(file_.get(), dataset.c_str(), "flag_values", H5P_DEFAULT, H5P_DEFAULT));
  if (!attribute) h5::fail_read({path_, dataset}, "read attribute 'flag_values' of");
  const h5::Handle space(H5Aget_space(attribute.get()));
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  if (count < 0 || count > kMaxCodes) refuse_damaged(path_, fmt::format("{} names {} codes", dataset, count));
  std::vector<u64> codes(static_cast<size_t>(count));
  if (H5Aread(attribute.get(), H5T_NATIVE_UINT64, codes.data()) < 0)
    h5::fail_read({path_, dataset}, "read attribute 'flag_values' of");
  std::istringstream words(text_attribute(dataset.c_str(), "flag_meanings"));
  std::map<u64, std::string> names;
  for (const u64 code : codes) {
    std::string& name = names[code];
    words >> name;
    if (name.size() > kMaxNameBytes)  // every row carries it
      refuse_damaged(path_, fmt::format("{} gives a code a name of {} B", dataset, name.size()));
  }
  return names;
}

namespace {

/// Collects texts of one object.
struct TextsOf {
  Texts* texts;
  std::string object;
};

herr_t add_text(hid_t object, const char* name, const H5A_info_t*, void* into) {
  const h5::Handle attribute(H5Aopen(object, name, H5P_DEFAULT));
  const h5::Handle type(H5Aget_type(attribute.get())), space(H5Aget_space(attribute.get()));
  if (H5Sget_simple_extent_npoints(space.get()) != 1 || H5Tis_variable_str(type.get()) <= 0) return 0;
  char* text = nullptr;
  if (H5Aread(attribute.get(), type.get(), &text) < 0) return 0;
  const auto* to = static_cast<const TextsOf*>(into);
  (*to->texts)[key_of(to->object, name)] = text == nullptr ? "" : text;
  H5free_memory(text);
  return 0;
}

herr_t add_texts(hid_t root, const char* name, const H5O_info_t*, void* into) {
  const h5::Handle object(H5Oopen(root, name, H5P_DEFAULT));
  TextsOf to{static_cast<Texts*>(into), name == std::string_view(".") ? "/" : "/" + std::string(name)};
  H5Aiterate2(object.get(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, add_text, &to);
  return 0;
}

}  // namespace

Texts InputFile::all_texts() const {
  Texts texts;
  H5Ovisit2(file_.get(), H5_INDEX_NAME, H5_ITER_NATIVE, add_texts, &texts, H5O_INFO_BASIC);
  return texts;
}

u64 InputFile::chunk_address(const std::string& dataset, u64 first_row) const {
  const h5::Handle handle = open(dataset);
  const hsize_t corner[2] = {first_row, 0};
  unsigned filters = 0;
  haddr_t address = 0;
  hsize_t bytes = 0;
  const bool found = H5Dget_chunk_info_by_coord(handle.get(), corner, &filters, &address, &bytes) >= 0;
  return found && address != HADDR_UNDEF ? address : static_cast<u64>(std::numeric_limits<i64>::max());
}

}  // namespace heddle
