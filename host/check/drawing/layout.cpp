#include "host/check/drawing/layout.hpp"

#include <algorithm>
#include <cstdlib>
#include <ranges>
#include <span>
#include <utility>

#include "host/check/drawing/all_to_all.hpp"
#include "host/check/drawing/joins.hpp"
#include "host/check/drawing/margin.hpp"
#include "host/check/drawing/pieces.hpp"
#include "host/check/drawing/words.hpp"

namespace heddle::drawing {
namespace {

constexpr i32 kBoxHeight = 76, kBoxPadding = 14, kBoxGap = 16, kMinBoxWidth = 120;
constexpr i32 kMinGap = 64;
constexpr i32 kTabHeight = 20, kFrameTop = 32, kFramePadding = 14, kGroupGap = 14, kHiddenWidth = 60;
constexpr i32 kMinFabricWidth = 480;

class Drafter {
 public:
  Drafter(const FabricSummary& fabric, const std::string& title) : fabric_(fabric) {
    for (const Tier tier : tiers_from_top(fabric)) rows_.push_back({tier, 0});
    levels_.assign(levels_below(fabric.whole), {rows_.back().tier, rows_.front().tier});
    find_levels(fabric.whole, 0);
    place_rows();
    add_all(heading_labels(fabric, title));
    const i32 left = draw_tier_texts() + kMargin;
    const i32 width = std::max(kMinFabricWidth, width_of(fabric.whole));
    draw_group(fabric.whole, left, width, 0);
    draw_cables();
    layout_.width = left + width + kMargin;
    for (const Label& label : layout_.labels) layout_.width = std::max(layout_.width, label.place.right() + kMargin);
    layout_.height = rows_.back().y + kBoxHeight + bottom_of_row(rows_.back().tier) + kMargin;
  }
  Layout layout() && { return std::move(layout_); }

 private:
  struct Row {
    Tier tier;
    i32 y;
  };
  /// The tiers that groups of a depth enclose, and whether lines above them join each with every other one.
  struct LevelRows {
    Tier top, bottom;
    bool joined = false;
  };
  /// The boxes of one group and tier.
  struct Cell {
    Tier tier;
    i32 x, right;
    u32 nodes;
    bool contains(const Cell& c) const { return x <= c.x && c.right <= right; }
  };

  void find_levels(const Group& group, size_t depth) {
    for (const Group& part : group.parts) {
      for (const Row& row : rows_) {
        if (!has_tier(part, row.tier)) continue;
        levels_[depth].top = std::max(levels_[depth].top, row.tier);
        levels_[depth].bottom = std::min(levels_[depth].bottom, row.tier);
      }
      levels_[depth].joined = levels_[depth].joined || are_joined(part.noun);
      find_levels(part, depth + 1);
    }
  }

  bool are_joined(const std::string& noun) const {
    return std::ranges::any_of(fabric_.layers, [&](const LayerSummary& layer) {
      return layer.joins.noun == noun && is_all_to_all(layer.joins);
    });
  }

  /// How much frames need above a row; only those of `from` and deeper levels.
  i32 top_of_row(Tier tier, size_t from = 0) const {
    i32 height = 0;
    for (size_t l = from; l < levels_.size(); ++l) {
      if (levels_[l].top != tier) continue;
      height += kFrameTop + (levels_[l].joined ? kJoinsHeight : 0);
    }
    return height;
  }
  i32 bottom_of_row(Tier tier, size_t from = 0) const {
    i32 height = 0;
    for (size_t l = from; l < levels_.size(); ++l) height += levels_[l].bottom == tier ? kFramePadding : 0;
    return height;
  }

  void place_rows() {
    i32 y = kMargin + kTitleHeight;
    for (size_t r = 0; r < rows_.size(); ++r) {
      Row& row = rows_[r];
      const i32 frames = top_of_row(row.tier) + (r == 0 ? 0 : bottom_of_row(rows_[r - 1].tier));
      const std::vector<std::string> lines = cable_lines(fabric_, row.tier);
      const i32 text = lines.empty() ? 0 : static_cast<i32>(lines.size() + 1) * kLineHeight;
      y += std::max(text, r == 0 ? frames : std::max(kMinGap, frames + kMinGap / 2));
      row.y = y;
      y += kBoxHeight;
    }
  }

  i32 y_of(Tier tier) const { return std::ranges::find(rows_, tier, &Row::tier)->y; }

  void add_all(const std::vector<Label>& labels) {
    layout_.labels.insert(layout_.labels.end(), labels.begin(), labels.end());
  }

  /// Returns the right end of the widest text.
  i32 draw_tier_texts() {
    i32 right = 0;
    for (size_t r = 0; r < rows_.size(); ++r) {
      const Row& row = rows_[r];
      const std::vector<Label> of_tier = tier_labels(fabric_, row.tier, row.y + 10);
      const std::vector<std::string> lines = cable_lines(fabric_, row.tier);
      const i32 above = r == 0 ? kMargin + kTitleHeight : rows_[r - 1].y + kBoxHeight;
      const i32 y = above + (row.y - above - static_cast<i32>(lines.size()) * kLineHeight) / 2 + 2;
      const std::vector<Label> of_cables = faint_labels(lines, y);
      for (const auto& labels : {of_tier, of_cables}) {
        right = std::max(right, right_of(labels));
        add_all(labels);
      }
    }
    return right;
  }

  static i32 width_of_hidden(const Group& group, const Shown& shown) {
    if (!shown.some_hidden) return 0;
    i32 width = kHiddenWidth;
    for (const std::string& line : hidden_text(group, shown.parts.size() - 1))
      width = std::max(width, text_width(line, kTextSize, false) + 16);
    return width + kGroupGap;
  }

  i32 width_of_box(std::span<const NodesAlike> kinds) const {
    const BoxText text = box_text(fabric_, kinds);
    i32 width = kMinBoxWidth;
    for (size_t i = 0; i < text.lines.size(); ++i)
      width = std::max(
          width, text_width(text.lines[i], i == text.bold ? kHeadSize : kTextSize, i == text.bold) + 2 * kBoxPadding);
    return width;
  }

  i32 width_of(const Group& group) const {
    i32 width = group.noun.empty() ? 0 : kMinBoxWidth;
    for (const Row& row : rows_) {
      i32 of_row = -kBoxGap;
      for (const auto& kinds : boxes_of(group, row.tier)) of_row += width_of_box(kinds) + kBoxGap;
      width = std::max(width, of_row);
    }
    if (!group.parts.empty()) {
      const Shown shown = shown_parts(group);
      i32 of_parts = width_of_hidden(group, shown) - kGroupGap;
      for (const Group* part : shown.parts) of_parts += width_of(*part) + 2 * kFramePadding + kGroupGap;
      width = std::max(width, of_parts);
    }
    return width;
  }

  void draw_group(const Group& group, i32 x, i32 width, size_t depth) {
    for (const Row& row : rows_) draw_row(boxes_of(group, row.tier), row, x, width);
    if (!group.parts.empty()) draw_parts(group, x, width, depth);
  }

  void draw_row(const std::vector<std::vector<NodesAlike>>& boxes, const Row& row, i32 x, i32 width) {
    if (boxes.empty()) return;
    Cell cell{row.tier, x, x + width, 0};
    i32 spare = width + kBoxGap;
    for (const auto& kinds : boxes) {
      cell.nodes += nodes_in(kinds);
      spare -= width_of_box(kinds) + kBoxGap;
    }
    cells_.push_back(cell);
    for (const auto& kinds : boxes) {
      const Place place{x, row.y, width_of_box(kinds) + spare / static_cast<i32>(boxes.size()), kBoxHeight};
      draw_box(kinds, place);
      x = place.right() + kBoxGap;
    }
  }

  void draw_box(std::span<const NodesAlike> kinds, Place place) {
    layout_.boxes.push_back({place, kinds[0].tier, nodes_in(kinds) > 1});
    const BoxText text = box_text(fabric_, kinds);
    const i32 height = static_cast<i32>(text.lines.size()) * kLineHeight + 4;
    i32 y = place.y + (place.height - height) / 2 + 2;
    for (size_t i = 0; i < text.lines.size(); ++i) {
      const bool is_name = i == text.bold;
      Label label = label_of(text.lines[i], 0, y, is_name ? kHeadSize : kTextSize);
      if (is_name) label = bold(label);
      add(centred_at(place.x + place.width / 2, label));
      y += is_name ? kLineHeight + 4 : kLineHeight;
    }
  }

  void draw_parts(const Group& group, i32 x, i32 width, size_t depth) {
    const Shown shown = shown_parts(group);
    const i32 hidden_width = width_of_hidden(group, shown), count = static_cast<i32>(shown.parts.size());
    i32 spare = width + kGroupGap - hidden_width;
    for (const Group* part : shown.parts) spare -= width_of(*part) + 2 * kFramePadding + kGroupGap;
    const i32 joins_height = levels_[depth].joined ? kJoinsHeight : 0;
    const i32 top = y_of(levels_[depth].top) - top_of_row(levels_[depth].top, depth) + joins_height;
    const i32 bottom = y_of(levels_[depth].bottom) + kBoxHeight + bottom_of_row(levels_[depth].bottom, depth);
    std::vector<Place> joined;
    for (size_t i = 0; i < shown.parts.size(); ++i) {
      if (shown.some_hidden && i + 1 == shown.parts.size()) {
        const Place hidden{x, top, hidden_width - kGroupGap, bottom - top};
        draw_hidden(group, shown, hidden);
        if (levels_[depth].joined) layout_.dots.push_back({x + hidden.width / 2 - 16, top + 6, 32, 6});
        joined.push_back(hidden);
        x += hidden_width;
      }
      const Group& part = *shown.parts[i];
      const Place frame{x, top, width_of(part) + 2 * kFramePadding + spare / count, bottom - top};
      draw_frame(part, frame);
      joined.push_back(frame);
      draw_group(part, frame.x + kFramePadding, frame.width - 2 * kFramePadding, depth + 1);
      x = frame.right() + kGroupGap;
    }
    if (levels_[depth].joined) add_all_to_all(joined, top, layout_.long_cables);
  }

  void draw_frame(const Group& part, Place frame) {
    const std::string text = part.name.empty() ? part.noun + " " + count_text(part.number) : part.name;
    Label name = bold(label_of(text, frame.x + 10, frame.y + 4));
    layout_.frames.push_back({frame, {frame.x, frame.y, name.place.width + 20, kTabHeight}});
    add(name);
  }

  void draw_hidden(const Group& group, const Shown& shown, Place place) {
    const i32 middle = place.x + place.width / 2;
    i32 y = place.y + place.height / 2 - 22;
    layout_.dots.push_back({middle - 16, y, 32, 6});
    y += 18;
    for (const std::string& line : hidden_text(group, shown.parts.size() - 1)) {
      Label label = centred_at(middle, label_of(line, 0, y));
      label.tone = Tone::faint;
      add(label);
      y += kLineHeight;
    }
  }

  /// From each cell to the one of the same, an inner or an outer group, where no other cell is between them.
  void draw_cables() {
    for (const LayerSummary& layer : std::views::reverse(fabric_.layers)) {
      for (const Cell& low : cells_) {
        for (const Cell& high : cells_) {
          if (low.tier != layer.low || high.tier != layer.high || layer.low == layer.high) continue;
          if ((low.contains(high) || high.contains(low)) && !is_hidden(low, high))
            draw_mesh(layer, low, high, y_of(high.tier) + kBoxHeight, y_of(low.tier));
        }
      }
    }
  }

  bool is_hidden(const Cell& low, const Cell& high) const {
    return std::ranges::any_of(cells_, [&](const Cell& c) {
      return c.tier > low.tier && c.tier < high.tier && (c.contains(low) || low.contains(c));
    });
  }

  /// Lines that cross where a node reaches several others, and a fan from each switch to endpoints.
  void draw_mesh(const LayerSummary& layer, const Cell& low, const Cell& high, i32 top, i32 bottom) {
    const Cell& inner = low.contains(high) ? high : low;
    const i32 width = inner.right - inner.x, most = std::clamp(width / 40, 3, 8);
    const auto ends_of = [&](const Cell& cell) {
      return static_cast<i32>(std::min(cell.nodes, static_cast<u32>(most)));
    };
    const auto at = [&](i32 i, i32 ends) { return inner.x + width * (2 * i + 1) / (2 * ends); };
    const i32 above = ends_of(high), below = ends_of(low);
    if (layer.low == Tier::endpoint) {
      for (i32 i = 0; i < above; ++i) {
        for (const i32 aside : {-1, 0, 1})
          layout_.cables.push_back({at(i, above), top, at(i, above) + aside * width / above / 3, bottom});
      }
      return;
    }
    const i32 apart = layer.neighbours == layer.reach ? most : layer.neighbours.max > 1 ? 1 : 0;
    for (i32 l = 0; l < below; ++l) {
      for (i32 h = 0; h < above; ++h) {
        if (std::abs(h - l * above / below) <= apart)
          layout_.cables.push_back({at(h, above), top, at(l, below), bottom});
      }
    }
  }

  void add(Label label) { layout_.labels.push_back(std::move(label)); }

  const FabricSummary& fabric_;
  std::vector<Row> rows_;  // from the top
  std::vector<LevelRows> levels_;
  std::vector<Cell> cells_;
  Layout layout_;
};

}  // namespace

Layout layout_of(const FabricSummary& fabric, const std::string& title) { return Drafter(fabric, title).layout(); }

}  // namespace heddle::drawing
