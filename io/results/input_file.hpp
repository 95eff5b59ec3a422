// A result file opened for reading.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/results/hdf5.hpp"

namespace heddle {

/// Throws InputError that says why 'heddle run' cannot have written the file, and what to try.
[[noreturn]] void refuse_damaged(const std::string& path, const std::string& problem);

/// Text attributes by object and name: "/message/id units".
using Texts = std::map<std::string, std::string>;

/// Opens the file, in SWMR mode when it was not closed properly. Every function throws InputError that names what is
/// missing.
class InputFile {
 public:
  /// `texts`: texts that try_reading() has read already, which are not read again.
  explicit InputFile(const std::string& path, Texts texts = {});

  std::string text_attribute(const char* object, const char* name) const;
  u64 number_attribute(const char* object, const char* name) const;
  /// Times and ids from -1 ("none") to kNever.
  i64 signed_attribute(const char* object, const char* name) const;
  double real_attribute(const char* object, const char* name) const;

  /// Length of the first axis.
  u64 rows(const std::string& dataset) const;
  /// All values in row-major order.
  std::vector<u64> numbers(const std::string& dataset) const;
  /// Reads `count` rows of a dataset with two axes.
  std::vector<u64> numbers_of_rows(const std::string& dataset, u64 first_row, u64 count) const;
  std::vector<i64> signed_numbers(const std::string& dataset) const;  // from -1 ("none") to kNever
  std::vector<double> reals(const std::string& dataset) const;
  std::vector<std::string> texts(const std::string& dataset) const;  // fixed width; also a scalar
  /// Address in the file of the chunk that begins with this row; the end of the file when there is none.
  u64 chunk_address(const std::string& dataset, u64 first_row) const;
  /// The names that a dataset gives the codes that can occur in it.
  std::map<u64, std::string> meanings(const std::string& dataset) const;
  bool has(const std::string& object) const;
  bool has_attribute(const char* object, const char* name) const;
  /// Every text attribute of every object that can be read.
  Texts all_texts() const;

 private:
  template <class T>
  std::vector<T> read(const std::string& dataset, hid_t type) const;
  void expect(const std::string& object) const;  // checks that it and all groups above it exist
  h5::Handle open(const std::string& dataset) const;
  h5::Handle open_attribute(const char* object, const char* name) const;  // an attribute with a single value
  void read_attribute(const char* object, const char* name, hid_t type, void* into) const;

  std::string path_;
  h5::Handle file_;
  Texts texts_;
};

}  // namespace heddle
