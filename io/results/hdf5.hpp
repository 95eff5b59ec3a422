// A thin layer over HDF5's C interface: handles that close themselves, and errors that say where and why.
#pragma once

#include <hdf5.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "io/error.hpp"
#include "kernels/base/types.hpp"

namespace heddle::h5 {

/// Owns one HDF5 identifier of any kind.
class Handle {
 public:
  Handle() = default;
  explicit Handle(hid_t id) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) reset(std::exchange(other.id_, -1));
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(-1); }

  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  /// Closes the identifier now. Returns false when HDF5 could not (a full disk shows here at the latest).
  bool reset(hid_t id = -1);

 private:
  hid_t id_ = -1;
};

/// HDF5 prints its error stack by default; ours travels in the exception instead. Call once before the first HDF5 call.
void silence();

/// How every result file is opened: all metadata with checksums, which SWMR needs, and without HDF5's locks. These
/// locks fail where a file system has none (ENOLCK) and keep readers without SWMR from files that still grow;
/// ResultLock keeps two writers apart. HDF5_USE_FILE_LOCKING in the environment takes precedence.
Handle file_access();

/// Returns the innermost reason on HDF5's error stack, in the operating system's words where there are any.
std::string reason();

/// Which object of which file a call is about, for messages.
struct Place {
  std::string_view path;    // file
  std::string_view object;  // "/message/id", or empty for the file itself
};

/// Throws OutputError: cannot `verb` `place`, with HDF5's reason and what to try.
[[noreturn]] void fail_write(const Place& place, std::string_view verb);
/// Throws InputError: cannot `verb` `place`, with HDF5's reason and what to try.
[[noreturn]] void fail_read(const Place& place, std::string_view verb);

/// Wraps the id that a creating or opening call returned, or throws OutputError.
Handle created(hid_t id, const Place& place, std::string_view verb);
/// Checks a status that a writing call returned.
void written(herr_t status, const Place& place, std::string_view verb);

/// HDF5's type of a number.
inline hid_t native_type(u32) { return H5T_NATIVE_UINT32; }
inline hid_t native_type(u64) { return H5T_NATIVE_UINT64; }
inline hid_t native_type(i64) { return H5T_NATIVE_INT64; }
inline hid_t native_type(double) { return H5T_NATIVE_DOUBLE; }

/// Writes an attribute. Texts are variable-length UTF-8, which every reader turns into its own strings. Attributes must
/// be written before the file enters SWMR mode.
void write_attribute(hid_t object, const char* name, hid_t type, const void* value, const Place& place);
void write_attribute(hid_t object, const char* name, std::string_view text, const Place& place);
template <class Number>
requires std::is_arithmetic_v<Number>
void write_attribute(hid_t object, const char* name, Number value, const Place& place) {
  write_attribute(object, name, native_type(value), &value, place);
}

/// Gives an attribute of write_attribute a new text, or a number of the same type. Also in SWMR mode: see
/// HeldAttributes.
void overwrite_attribute(hid_t object, const char* name, hid_t type, const void* value, const Place& place);
void overwrite_attribute(hid_t object, const char* name, std::string_view text, const Place& place);
template <class Number>
requires std::is_arithmetic_v<Number>
void overwrite_attribute(hid_t object, const char* name, Number value, const Place& place) {
  overwrite_attribute(object, name, native_type(value), &value, place);
}

/// HDF5 stores texts in a heap of the file, to which their attributes point. While a HeldAttributes lives, attributes
/// of `object` wait in memory; flush_texts() writes the heap alone to the file. So texts can be overwritten in SWMR
/// mode: whatever kills the program, no attribute is in the file before its text. That holds as long as the heap has
/// room and need not grow; the first text that is overwritten in SWMR mode makes room for 4,000 bytes.
class HeldAttributes {
 public:
  /// `text`: a text attribute that was overwritten in SWMR mode before, and in whose heap there is room.
  HeldAttributes(hid_t object, const char* text, const Place& place);
  ~HeldAttributes();
  HeldAttributes(const HeldAttributes&) = delete;
  HeldAttributes& operator=(const HeldAttributes&) = delete;
  /// `other`: any object of the file but the one whose attributes wait.
  void flush_texts(hid_t other) const;

 private:
  hid_t object_;
  Place place_;
};

/// Creates a group without time stamps, so that equal runs give equal files.
Handle create_group(hid_t parent, const std::string& name, const Place& place);

}  // namespace heddle::h5
