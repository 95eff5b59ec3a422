#include "io/results/series.hpp"

#include <fmt/format.h>

#include "io/results/killed_part.hpp"
#include "kernels/base/units.hpp"

namespace heddle {

Series::Series(hid_t file, std::string_view file_path, std::string group, std::string_view long_name, u64 entities,
               u64 chunk_rows)
    : file_path_(file_path), group_path_(std::move(group)), entities_(entities), chunk_rows_(chunk_rows) {
  const h5::Place place{file_path_, group_path_};
  group_ = h5::create_group(file, group_path_, place);
  h5::write_attribute(group_.get(), "long_name", long_name, place);
  scales_.emplace_back(group_.get(), group_path_, file_path_, layout::kTime, chunk_rows);
  scales_[0].make_scale("time_ps");
  for (const ColumnSpec& spec : layout::kSeriesQuantities) {
    quantities_.emplace_back(group_.get(), group_path_, file_path_, spec, chunk_rows, entities);
    quantities_.back().attach_scale(scales_[0], 0);
  }
}

void Series::describe(const ColumnSpec& spec, const void* values) {
  scales_.emplace_back(group_.get(), group_path_, file_path_, spec, entities_);
  scales_.back().append(values, entities_);
  if (scales_.size() > 2) return scales_.back().attach_scale(scales_[1], 0);
  scales_[1].make_scale(std::string(spec.name));
  for (Dataset& quantity : quantities_) quantity.attach_scale(scales_[1], 1);
}

void Series::append(TimePs time_ps, std::span<const LinkCounters> entities) {
  times_ps_.push_back(time_ps);
  for (const LinkCounters& c : entities) {
    const u64 values[] = {c.queue_bytes, c.sent_bytes, c.paused_ps, c.ecn_marks, c.drops};
    for (size_t q = 0; q < staged_.size(); ++q) staged_[q].push_back(values[q]);
  }
  if (times_ps_.size() == chunk_rows_) write_staged();
}

void Series::write_staged() {
  // Append the time axis last, so that a time that a reader sees has all its values.
  for (size_t q = 0; q < staged_.size(); ++q) {
    quantities_[q].append(staged_[q].data(), times_ps_.size());
    staged_[q].clear();
  }
  scales_[0].append(times_ps_.data(), times_ps_.size());
  times_ps_.clear();
}

void Series::finish() {
  if (!times_ps_.empty()) write_staged();
}

void Series::save(std::vector<u64>& words) const {
  words.push_back(times_ps_.size());
  save_rows(scales_[0], words);
  words.insert(words.end(), times_ps_.begin(), times_ps_.end());
  for (size_t q = 0; q < staged_.size(); ++q) {
    save_rows(quantities_[q], words);
    words.insert(words.end(), staged_[q].begin(), staged_[q].end());
  }
}

void Series::restore(WordSource& words, const KilledPart& killed) {
  const u64 instants = words.word();
  if (instants >= chunk_rows_) throw std::out_of_range("rows of " + group_path_);
  killed.restore_rows(words, scales_[0]);
  const std::span<const u64> times_ps = words.words(instants);
  times_ps_.assign(times_ps.begin(), times_ps.end());
  for (size_t q = 0; q < staged_.size(); ++q) {
    killed.restore_rows(words, quantities_[q]);
    if (quantities_[q].rows() != scales_[0].rows()) throw std::out_of_range("rows of " + group_path_);
    const std::span<const u64> values = words.words(instants * entities_);
    staged_[q].assign(values.begin(), values.end());
  }
}

u64 Series::stored_bytes() const {
  u64 bytes = scales_[0].stored_bytes();
  for (const Dataset& quantity : quantities_) bytes += quantity.stored_bytes();
  return bytes;
}

void Series::close() {
  for (Dataset& dataset : quantities_) dataset.close();
  for (Dataset& dataset : scales_) dataset.close();
  group_.reset();
}

LinkTiers link_tiers(const Fabric& fabric) {
  LinkTiers tiers;
  std::array<u32, kMaxTiers * kMaxTiers> index;
  std::array<bool, kMaxTiers * kMaxTiers> present{};
  const auto pair_of = [&](const Link& link) {
    return static_cast<u32>(fabric.nodes[link.src].tier) * kMaxTiers + static_cast<u32>(fabric.nodes[link.dst].tier);
  };
  for (const Link& link : fabric.links) present[pair_of(link)] = true;
  for (u32 pair = 0; pair < present.size(); ++pair) {
    if (!present[pair]) continue;
    index[pair] = static_cast<u32>(tiers.kinds.size());
    const u32 src = pair / kMaxTiers, dst = pair % kMaxTiers;
    tiers.kinds.push_back({static_cast<Tier>(src), static_cast<Tier>(dst), 0, 0,
                           fmt::format("{}>{}", fabric.tiers[src].name, fabric.tiers[dst].name)});
  }
  for (const Link& link : fabric.links) {
    const u32 kind = index[pair_of(link)];
    tiers.of_link.push_back(kind);
    ++tiers.kinds[kind].links;
    tiers.kinds[kind].bits_per_s += bits_per_s_of(link.ps_per_byte_q16);
  }
  return tiers;
}

std::vector<LinkCounters> sum_by_tier(const LinkTiers& tiers, std::span<const LinkCounters> per_link) {
  std::vector<LinkCounters> sums(tiers.kinds.size());
  for (size_t l = 0; l < per_link.size(); ++l) {
    LinkCounters& sum = sums[tiers.of_link[l]];
    const LinkCounters& c = per_link[l];
    sum.sent_bytes += c.sent_bytes;
    sum.queue_bytes += c.queue_bytes;
    sum.paused_ps += c.paused_ps;
    sum.ecn_marks += c.ecn_marks;
    sum.drops += c.drops;
  }
  return sums;
}

}  // namespace heddle
