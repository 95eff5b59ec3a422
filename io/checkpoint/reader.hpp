// Reads a checkpoint back.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/checkpoint/header.hpp"
#include "io/results/hdf5.hpp"

namespace heddle {

/// A checkpoint that has been looked at to its last byte. Memory: 1 MiB per section. Every function throws InputError,
/// which names the file.
class CheckpointReader {
 public:
  /// Verifies format, version, size and, by the seal, every byte, and that all sections are rows of words. What they
  /// mean is the business of who reads them. Throws: no such file, not a checkpoint, a newer format version, truncated,
  /// damaged.
  explicit CheckpointReader(const std::string& path);
  /// The same, but of every byte only that another process has verified it: 512 bytes are read, and the checksums of
  /// what is read later are HDF5's.
  static std::unique_ptr<CheckpointReader> of_verified(const std::string& path);

  const CheckpointHeader& header() const { return header_; }
  const std::string& path() const { return path_; }
  /// Number of words in a section. Throws when there is no such section.
  u64 words(std::string_view section) const;
  /// The words [first, first + out.size()) of a section. Throws when it has fewer.
  void read(std::string_view section, u64 first, std::span<u64> out) const;
  /// All words of a section that fits into memory.
  std::vector<u64> read(std::string_view section) const;

 private:
  CheckpointReader(const std::string& path, CheckpointHeader header);

  struct Section {
    h5::Handle dataset;
    u64 words = 0;
  };
  const Section& section(std::string_view name) const;
  void open_sections();

  std::string path_;
  CheckpointHeader header_;
  h5::Handle file_;
  std::map<std::string, Section, std::less<>> sections_;
};

}  // namespace heddle
