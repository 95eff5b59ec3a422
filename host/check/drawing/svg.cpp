#include "host/check/drawing/svg.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "host/check/drawing/grid_layout.hpp"
#include "host/check/drawing/layout.hpp"
#include "host/check/drawing/words.hpp"
#include "io/printable.hpp"

namespace heddle::drawing {
namespace {

struct Colours {
  std::string_view fill, line;
};

/// By tier, in turn beyond the fourth.
constexpr std::array<Colours, 4> kOfSwitches{
    {{"#dbe9fb", "#3f74b5"}, {"#e8e2f8", "#7459b0"}, {"#fdebd2", "#b9792a"}, {"#fbe0e4", "#b04a5a"}}};
constexpr Colours kOfEndpoints{"#def1e1", "#3d8b4f"};

const Colours& colours_of(Tier tier) {
  return tier == Tier::endpoint ? kOfEndpoints : kOfSwitches[(static_cast<u32>(tier) - 1) % kOfSwitches.size()];
}

std::string_view colour_of(Tone tone) {
  return tone == Tone::warning ? "#b3470b" : tone == Tone::faint ? "#56616e" : "#1b2430";
}

std::string escaped(std::string_view text) {
  std::string xml;
  for (const char c : printable(text)) {
    if (c == '&') {
      xml += "&amp;";
    } else if (c == '<') {
      xml += "&lt;";
    } else if (c == '>') {
      xml += "&gt;";
    } else {
      xml += c;
    }
  }
  return xml;
}

std::string rectangle(const Place& p, i32 radius, const Colours& colours) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\" fill=\"{}\" stroke=\"{}\"/>\n", p.x,
                     p.y, p.width, p.height, radius, colours.fill, colours.line);
}

std::string box_xml(const Box& box) {
  const Colours& colours = colours_of(box.tier);
  std::string xml;
  for (i32 behind = box.many ? 2 : 0; behind >= 0; --behind) {
    Place place = box.place;
    place.x += 3 * behind;
    place.y += 3 * behind;
    xml += rectangle(place, 6, colours);
  }
  return xml;
}

std::string frame_xml(const Frame& frame) { return rectangle(frame.place, 8, {"#f6f8fa", "#b6c0cb"}); }

std::string tab_xml(const Frame& frame) { return rectangle(frame.tab, 8, {"#e3e8ee", "#b6c0cb"}); }

std::string cables_xml(const std::vector<Stroke>& cables, std::string_view colour) {
  std::string path;
  for (const Stroke& s : cables) path += fmt::format("M{} {}L{} {}", s.x1, s.y1, s.x2, s.y2);
  return path.empty() ? "" : fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\"/>\n", path, colour);
}

std::string dots_xml(const Place& dots) {
  const bool is_row = dots.width > dots.height;
  std::string xml;
  for (i32 i = 0; i < 3; ++i) {
    xml += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"#7d8894\"/>\n",
                       dots.x + (is_row ? dots.width * (2 * i + 1) / 6 : dots.width / 2),
                       dots.y + (is_row ? dots.height / 2 : dots.height * (2 * i + 1) / 6));
  }
  return xml;
}

std::string label_xml(const Label& label) {
  const Place& p = label.place;
  const i32 baseline = p.y + static_cast<i32>(label.size * 17 / 20);
  return fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"{}{}>{}</text>\n",
                     label.centred ? p.x + p.width / 2 : p.x, baseline, label.size, colour_of(label.tone),
                     label.bold ? " font-weight=\"bold\"" : "", label.centred ? " text-anchor=\"middle\"" : "",
                     escaped(label.text));
}

/// A fabric that is one grid is drawn as such; of several fabrics the grids are below the tiers of all.
Layout layout_with(const Fabric& fabric, const FabricSummary& summary, const std::string& title,
                   std::span<const std::optional<Grid>> grids) {
  if (fabric.others.empty() && !grids.empty() && grids[0]) return grid_layout_of(summary, *grids[0], title);
  Layout layout = layout_of(summary, title);
  for (size_t f = 0; f < grids.size(); ++f) {
    if (!grids[f]) continue;
    const Tier leaves = f == 0 ? Tier{1} : fabric.others[f - 1].first_tier;
    add_grid_below(summary, *grids[f], leaves, f == 0 ? "GPUs" : fabric.others[f - 1].name, layout);
  }
  return layout;
}

}  // namespace

std::string fabric_svg(const Fabric& fabric, const std::string& title, std::span<const std::optional<Grid>> grids) {
  const FabricSummary summary = summarise(fabric);
  const Layout layout = layout_with(fabric, summary, title, grids);
  std::string svg = fmt::format(
      "{} viewBox=\"0 0 {} {}\" width=\"{}\" style=\"max-width:100%;height:auto\" role=\"img\" "
      "font-family=\"Arial,Helvetica,sans-serif\">\n"
      "<title>The fabric of {}</title>\n<desc>{}</desc>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      kSvgMark, layout.width, layout.height, layout.width, escaped(title), escaped(description_text(summary)));
  for (const Frame& frame : layout.frames) svg += frame_xml(frame);
  svg += cables_xml(layout.cables, "#9fabb8");
  svg += cables_xml(layout.long_cables, "#3f74b5");
  for (const Frame& frame : layout.frames) svg += tab_xml(frame);
  for (const Box& box : layout.boxes) svg += box_xml(box);
  for (const Place& dots : layout.dots) svg += dots_xml(dots);
  for (const Label& label : layout.labels) svg += label_xml(label);
  return svg + "</svg>\n";
}

}  // namespace heddle::drawing
