// The rows that a killed run left, for the file of the run that goes on.
#pragma once

#include <string>

#include "io/results/dataset.hpp"
#include "io/results/input_file.hpp"
#include "io/run_identity.hpp"

namespace heddle {

/// A .part, opened for reading only: HDF5 could not repair a file whose writer was killed.
class KilledPart {
 public:
  /// Throws InputError: missing, not a result file, or of another run than `ours`, and then what differs.
  KilledPart(const std::string& part_path, const RunIdentity& ours);

  /// Appends the first `mark.rows` rows of the dataset of the same name to an empty one, chunk by chunk. Throws
  /// InputError when there are fewer or they are other rows than those of the mark, and OutputError.
  void copy(const RowMark& mark, Dataset& to) const;

 private:
  std::string path_;
  InputFile file_;
};

}  // namespace heddle
