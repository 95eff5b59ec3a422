#include "host/check/drawing/margin.hpp"

#include <algorithm>
#include <utility>

#include "host/check/drawing/words.hpp"

namespace heddle::drawing {
namespace {

constexpr u32 kTitleSize = 20;

}  // namespace

std::vector<Label> heading_labels(const FabricSummary& fabric, const std::string& title) {
  Label sizes = label_of(sizes_text(fabric), kMargin, kMargin + 28);
  sizes.tone = Tone::faint;
  return {bold(label_of(title, kMargin, kMargin, kTitleSize)), sizes};
}

std::vector<Label> tier_labels(const FabricSummary& fabric, Tier tier, i32 y) {
  std::vector<Label> labels;
  const std::vector<std::string> lines = tier_text(fabric, tier);
  for (size_t i = 0; i < lines.size(); ++i, y += i == 1 ? 22 : kLineHeight + 2) {
    Label label = label_of(lines[i], kMargin, y, i == 0 ? kHeadSize : kTextSize);
    if (i != 1) label = bold(label);
    if (i == 2 && is_oversubscribed(fabric.tiers[static_cast<u32>(tier)])) label.tone = Tone::warning;
    labels.push_back(std::move(label));
  }
  return labels;
}

std::vector<std::string> cable_lines(const FabricSummary& fabric, Tier low) {
  std::vector<std::string> lines;
  for (const LayerSummary& layer : fabric.layers) {
    if (layer.low != low) continue;
    for (std::string& line : layer_text(fabric, layer)) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<Label> faint_labels(const std::vector<std::string>& lines, i32 y) {
  std::vector<Label> labels;
  for (const std::string& line : lines) {
    labels.push_back(label_of(line, kMargin, y));
    labels.back().tone = Tone::faint;
    y += kLineHeight;
  }
  return labels;
}

i32 right_of(const std::vector<Label>& labels) {
  i32 right = 0;
  for (const Label& label : labels) right = std::max(right, label.place.right());
  return right;
}

std::vector<Tier> tiers_from_top(const FabricSummary& fabric) {
  std::vector<Tier> tiers;
  for (size_t t = fabric.tiers.size(); t-- > 0;) {
    if (fabric.tiers[t].nodes > 0) tiers.push_back(Tier{static_cast<u8>(t)});
  }
  return tiers;
}

}  // namespace heddle::drawing
