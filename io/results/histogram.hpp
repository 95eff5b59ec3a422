// A histogram in the file: counts per bin, for each of a few entities.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/results/dataset.hpp"
#include "io/results/log_bins.hpp"

namespace heddle {

/// /histogram/NAME with `lower` (the smallest value of each bin), an entity axis where there are several, and `count`.
class Histogram {
 public:
  /// `lower` gives name, unit and meaning of the bins' axis. An empty `labels` means one entity and no axis for it.
  Histogram(hid_t file, std::string_view file_path, std::string group, std::string_view long_name,
            const ColumnSpec& lower, const std::vector<std::string>& labels);

  void count(u32 entity, i64 value, u64 times = 1) {
    counts_[entity * LogBins::kBins + LogBins::bin_of(value)] += times;
  }
  const std::vector<u64>& counts() const { return counts_; }
  /// Replaces the counts, [entity][bin]. Throws std::out_of_range when their number differs.
  void set_counts(std::vector<u64> counts);
  /// Writes the counts. Until then the dataset is empty.
  void finish();
  void close();

 private:
  void add_labels(hid_t group, const std::vector<std::string>& labels);

  std::string file_path_, group_path_;
  u64 entities_;
  std::vector<Dataset> scales_;
  std::vector<Dataset> count_;  // one, or none while constructing
  std::vector<u64> counts_;     // [entity][bin]
};

/// Texts padded with zeros to one width, as a dataset of Element::text takes them.
std::string padded(const std::vector<std::string>& texts, u32 width_bytes);

}  // namespace heddle
