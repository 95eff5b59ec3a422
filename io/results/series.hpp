// Counters over time: one group with a time axis, an entity axis and one dataset per quantity.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "io/results/dataset.hpp"
#include "io/results/layout.hpp"
#include "kernels/base/words.hpp"
#include "kernels/outcome/counters.hpp"

namespace heddle {

class KilledPart;

class Series {
 public:
  /// Creates the group and its empty datasets for `entities` entities, described next by describe().
  Series(hid_t file, std::string_view file_path, std::string group, std::string_view long_name, u64 entities,
         u64 chunk_rows);

  /// Fills a dataset along the entity axis; the first one becomes the axis' scale.
  void describe(const ColumnSpec& spec, const void* values);

  void append(TimePs time_ps, std::span<const LinkCounters> entities);
  /// Writes the remaining rows as the last, shorter chunk.
  void finish();
  /// Same as Table::save (table.hpp).
  void save(std::vector<u64>& words) const;
  void restore(WordSource& words, const KilledPart& killed);
  u64 stored_bytes() const;  // bytes of the rows that were appended
  void close();

 private:
  void write_staged();

  std::string file_path_, group_path_;
  h5::Handle group_;
  u64 entities_, chunk_rows_;
  std::vector<Dataset> scales_;  // time, then the descriptions of the entities
  std::vector<Dataset> quantities_;
  std::vector<TimePs> times_ps_;
  std::array<std::vector<u64>, layout::kSeriesQuantities.size()> staged_;
};

/// The kinds of directed link in a fabric: (tier of the source, tier of the destination), numbered in that order.
struct LinkTiers {
  struct Kind {
    Tier src, dst;
    u32 links = 0;
    u64 bits_per_s = 0;  // summed
    std::string label;   // "rtsw>ctsw"
  };
  std::vector<Kind> kinds;
  std::vector<u32> of_link;  // [link] -> index in kinds
};
LinkTiers link_tiers(const Fabric& fabric);

/// The link counters summed per kind.
std::vector<LinkCounters> sum_by_tier(const LinkTiers& tiers, std::span<const LinkCounters> per_link);

}  // namespace heddle
