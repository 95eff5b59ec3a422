#include "host/check/drawing/grid_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/check/drawing/grid_axis.hpp"
#include "host/check/drawing/grid_cables.hpp"
#include "host/check/drawing/margin.hpp"
#include "host/check/drawing/words.hpp"

namespace heddle::drawing {
namespace {

constexpr i32 kNameHeight = 24, kHostsHeight = 10;  // of a leaf: its name, and a strip for its endpoints
constexpr i32 kNamePadding = 8, kMinNameWidth = 64;
constexpr i32 kHeaderGap = 34, kColumnGap = 96, kRowGap = 56, kTabHeight = 20;
constexpr AxisSizes kRingX{0, 44, 0, 0, 0, kColumnGap}, kRingY{kNameHeight + kHostsHeight, 44, 0, 0, 0, kRowGap};
constexpr AxisSizes kBoardX{0, 36, 26, 12, 16, kColumnGap},
    kBoardY{kNameHeight + kHostsHeight, 36, 44, 12, 16, kRowGap};

AxisSizes with_leaf(AxisSizes sizes, i32 leaf) {
  sizes.leaf = leaf;
  return sizes;
}

/// "leaf17", without the name of a fabric.
std::string name_of(const TierSummary& tier, u32 number) {
  const std::string& title = tier.info.title;
  return fmt::format("{}{}", title.substr(title.rfind('.') + 1), number);
}

i32 width_of_names(const TierSummary& tier) {
  const i32 width = tier.nodes == 0 ? 0 : text_width(name_of(tier, tier.nodes - 1), kTextSize, false);
  return std::max(kMinNameWidth, width + 2 * kNamePadding);
}

Label faint(Label label) {
  label.tone = Tone::faint;
  return label;
}

/// With (x, y) as the upper left corner: names of columns and rows, or their spines, then leaves.
class GridDrafter {
 public:
  GridDrafter(const FabricSummary& fabric, const Grid& grid, Tier leaves, i32 x, i32 y, Layout& layout)
      : grid_(grid),
        leaves_(leaves),
        spines_(Tier{static_cast<u8>(static_cast<u32>(leaves) + 1)}),
        tiers_(fabric.tiers),
        x_(x),
        y_(y),
        layout_(layout) {
    name_width_ = width_of_names(of(leaves_));
    if (!grid.rings) name_width_ = std::max(name_width_, width_of_names(of(spines_)));
    columns_ =
        axis_of(grid.columns, with_leaf(grid.rings ? kRingX : kBoardX, name_width_), x + name_width_ + kHeaderGap);
    rows_ = axis_of(grid.rows, grid.rings ? kRingY : kBoardY, y + kNameHeight + kHeaderGap);
    grid.rings ? draw_torus() : draw_mesh();
    draw_leaves();
    draw_gaps();
  }
  i32 right() const { return columns_.end + kAround; }
  i32 bottom() const { return rows_.end + kAround; }

 private:
  const TierSummary& of(Tier tier) const { return tiers_[static_cast<u32>(tier)]; }

  void draw_torus() {
    GridCables along_rows(true, columns_, rows_, layout_), along_columns(false, columns_, rows_, layout_);
    along_rows.add_neighbours();
    along_columns.add_neighbours();
    if (grid_.columns.length() > 2) along_rows.add_rings();
    if (grid_.rows.length() > 2) along_columns.add_rings();
    for (const Lane& column : columns_.lanes) {
      const Label name = label_of("column " + count_text(column.index), 0, y_ + kLineHeight / 2);
      layout_.labels.push_back(centred_at(column.middle(), faint(name)));
    }
    for (const Lane& row : rows_.lanes)
      layout_.labels.push_back(faint(label_of("row " + count_text(row.index), x_, row.middle() - kLineHeight / 2)));
  }

  void draw_mesh() {
    GridCables along_rows(true, columns_, rows_, layout_), along_columns(false, columns_, rows_, layout_);
    along_rows.add_neighbours();
    along_columns.add_neighbours();
    along_rows.add_lines_to_spines(x_ + name_width_);
    along_columns.add_lines_to_spines(y_ + kNameHeight);
    draw_boards();
    for (const Lane& column : columns_.lanes)
      draw_switch(spines_, grid_.spine_of_column(column.index), column.begin, y_);
    for (const Lane& row : rows_.lanes)
      draw_switch(spines_, grid_.spine_of_row(row.index), x_, row.middle() - kNameHeight / 2);
  }

  void draw_switch(Tier tier, u32 number, i32 x, i32 y) {
    layout_.boxes.push_back({{x, y, name_width_, kNameHeight}, tier, false});
    const i32 text_y = y + (kNameHeight - static_cast<i32>(kTextSize)) / 2;
    layout_.labels.push_back(centred_at(x + name_width_ / 2, label_of(name_of(of(tier), number), 0, text_y)));
  }

  void draw_leaves() {
    for (const Lane& row : rows_.lanes) {
      for (const Lane& column : columns_.lanes) {
        draw_switch(leaves_, grid_.leaf(column.index, row.index), column.begin, row.begin);
        const Place hosts{column.begin, row.begin + kNameHeight, name_width_, kHostsHeight};
        layout_.boxes.push_back({hosts, Tier::endpoint, false});
      }
    }
  }

  void draw_boards() {
    for (const BoardSpan& row : rows_.boards) {
      for (const BoardSpan& column : columns_.boards) {
        const Place frame{column.begin, row.begin, column.end - column.begin, row.end - row.begin};
        const u64 number = u64{row.index} * grid_.columns.boards + column.index;
        const Label name = bold(label_of("board " + count_text(number), frame.x + 10, frame.y + 4));
        layout_.frames.push_back({frame, {frame.x, frame.y, name.place.width + 20, kTabHeight}});
        layout_.labels.push_back(name);
      }
    }
  }

  /// Dots for leaves that are left out; above columns and beside rows, how many.
  void draw_gaps() {
    for (const Gap& gap : columns_.gaps) {
      i32 y = y_;
      for (const std::string& line : gap_lines(gap, "columns")) {
        layout_.labels.push_back(centred_at(gap.middle(), faint(label_of(line, 0, y))));
        y += kLineHeight;
      }
      for (const Lane& row : rows_.lanes) layout_.dots.push_back({gap.middle() - 16, row.middle() - 3, 32, 6});
    }
    for (const Gap& gap : rows_.gaps) {
      i32 y = gap.middle() - 3 * kLineHeight / 2;
      for (const std::string& line : gap_lines(gap, "rows")) {
        layout_.labels.push_back(faint(label_of(line, x_, y)));
        y += kLineHeight;
      }
      for (const Lane& column : columns_.lanes) layout_.dots.push_back({column.middle() - 3, gap.middle() - 14, 6, 28});
    }
  }

  static std::vector<std::string> gap_lines(const Gap& gap, const std::string& noun) {
    std::vector<std::string> lines{count_text(gap.hidden) + " more", noun};
    if (gap.of_boards) lines.push_back("of boards");
    return lines;
  }

  const Grid& grid_;
  Tier leaves_, spines_;
  const std::vector<TierSummary>& tiers_;
  i32 x_, y_, name_width_ = 0;  // of all switches
  Axis columns_, rows_;
  Layout& layout_;
};

void make_room(Layout& layout) {
  layout.width = std::max(layout.width, right_of(layout.labels) + kMargin);
  for (const Label& label : layout.labels) layout.height = std::max(layout.height, label.place.bottom() + kMargin);
}

}  // namespace

Layout grid_layout_of(const FabricSummary& fabric, const Grid& grid, const std::string& title) {
  Layout layout;
  layout.labels = heading_labels(fabric, title);
  const i32 top = kMargin + kTitleHeight;
  i32 y = top, right = 0;
  const auto add = [&](const std::vector<Label>& labels) {
    right = std::max(right, right_of(labels));
    layout.labels.insert(layout.labels.end(), labels.begin(), labels.end());
    if (!labels.empty()) y = labels.back().place.bottom() + kLineHeight;
  };
  for (const Tier tier : tiers_from_top(fabric)) {
    add(faint_labels(cable_lines(fabric, tier), y));
    const std::vector<Label> labels = tier_labels(fabric, tier, y);
    const Place& name = labels[0].place;
    layout.boxes.push_back({{name.right() + 10, name.y + 1, 2 * name.height, name.height}, tier, false});
    right = std::max(right, layout.boxes.back().place.right());
    add(labels);
  }
  const GridDrafter drawn(fabric, grid, Tier{1}, right + 2 * kMargin, top, layout);
  layout.width = drawn.right() + kMargin;
  layout.height = drawn.bottom() + kMargin;
  make_room(layout);
  return layout;
}

void add_grid_below(const FabricSummary& fabric, const Grid& grid, Tier leaves, const std::string& name,
                    Layout& layout) {
  const Label heading = bold(label_of(name + ": " + grid_text(grid), kMargin, layout.height, kHeadSize));
  layout.labels.push_back(heading);
  const GridDrafter drawn(fabric, grid, leaves, kMargin, heading.place.bottom() + kMargin, layout);
  layout.width = std::max(layout.width, drawn.right() + kMargin);
  layout.height = drawn.bottom() + kMargin;
  make_room(layout);
}

}  // namespace heddle::drawing
