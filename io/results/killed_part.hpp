// The rows that a killed run left, for the file of the run that resumes it.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "io/results/dataset.hpp"
#include "io/results/input_file.hpp"
#include "io/results/run_identity.hpp"
#include "kernels/base/words.hpp"

namespace heddle {

/// Appends what is needed to find the rows of a dataset again: the number of rows, and the place and hash of every
/// chunk.
void save_rows(const Dataset& dataset, std::vector<u64>& words);

/// A .part, opened for reading only: HDF5 could not repair a file whose writer was killed. Its rows are read at the
/// places that the checkpoint names, without HDF5, whose own index the kill may have torn. HDF5's index is used only
/// where the rows are not at these places, as when an earlier attempt to resume has copied the file.
class KilledPart {
 public:
  /// Throws InputError when the file is missing, not a result file, or of another run than `ours`, and says what
  /// differs.
  KilledPart(const std::string& part_path, const RunIdentity& ours);

  /// Takes what save_rows() appended, and appends those rows to the empty dataset of the same name. Throws InputError
  /// when the rows are not there any more, std::out_of_range when the words are not of this dataset, and OutputError.
  void restore_rows(WordSource& words, Dataset& to) const;

 private:
  bool read(const StoredChunk& chunk, std::vector<std::byte>& stored) const;

  std::string path_;
  InputFile file_;
  mutable std::ifstream bytes_;
};

}  // namespace heddle
