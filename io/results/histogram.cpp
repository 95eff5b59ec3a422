#include "io/results/histogram.hpp"

#include <algorithm>
#include <stdexcept>

#include "io/results/layout.hpp"

namespace heddle {

Histogram::Histogram(hid_t file, std::string_view file_path, std::string group, std::string_view long_name,
                     const ColumnSpec& lower, const std::vector<std::string>& labels)
    : file_path_(file_path), group_path_(std::move(group)), entities_(std::max<size_t>(labels.size(), 1)) {
  const h5::Place place{file_path_, group_path_};
  const h5::Handle handle = h5::create_group(file, group_path_, place);
  h5::write_attribute(handle.get(), "long_name", long_name, place);
  counts_.resize(entities_ * LogBins::kBins);

  std::vector<i64> edges(LogBins::kBins);
  for (u32 bin = 0; bin < LogBins::kBins; ++bin) edges[bin] = LogBins::lower_edge(bin);
  scales_.emplace_back(handle.get(), group_path_, file_path_, lower, LogBins::kBins);
  scales_[0].append(edges.data(), edges.size());
  scales_[0].make_scale(std::string(lower.name));

  // The growing axis comes first: entities, or bins where there is only one.
  constexpr ColumnSpec spec{"count", Element::uint64, "1", "values in [lower edge of the bin, lower edge of the next)"};
  count_.emplace_back(handle.get(), group_path_, file_path_, spec, labels.empty() ? LogBins::kBins : entities_,
                      labels.empty() ? 0 : LogBins::kBins);
  if (!labels.empty()) add_labels(handle.get(), labels);
  count_[0].attach_scale(scales_[0], labels.empty() ? 0 : 1);
}

void Histogram::add_labels(hid_t group, const std::vector<std::string>& labels) {
  const ColumnSpec spec = layout::tier_labels(labels);
  scales_.emplace_back(group, group_path_, file_path_, spec, labels.size());
  scales_[1].append(padded(labels, spec.width_bytes).data(), labels.size());
  scales_[1].make_scale("tier");
  count_[0].attach_scale(scales_[1], 0);
}

void Histogram::set_counts(std::vector<u64> counts) {
  if (counts.size() != counts_.size()) throw std::out_of_range("counts of " + group_path_);
  counts_ = std::move(counts);
}

void Histogram::finish() { count_[0].append(counts_.data(), scales_.size() == 1 ? LogBins::kBins : entities_); }

void Histogram::close() {
  for (Dataset& dataset : scales_) dataset.close();
  for (Dataset& dataset : count_) dataset.close();
}

std::string padded(const std::vector<std::string>& texts, u32 width_bytes) {
  std::string all;
  for (const std::string& text : texts) {
    all += text.substr(0, width_bytes);
    all.append(width_bytes - std::min<size_t>(text.size(), width_bytes), '\0');
  }
  return all;
}

}  // namespace heddle
