// The texts about links of `heddle run` and `heddle info`.
#include <fmt/format.h>

#include <algorithm>

#include "io/results/hot_links.hpp"
#include "io/results/text_table.hpp"

namespace heddle {
namespace {

std::string percent(const LinkSummary& links, double share) {
  return links.use_known ? fmt::format("{:.2f} %", 100 * share) : "-";
}

std::string time_text(u64 time_ps) { return human_time(static_cast<TimePs>(time_ps)); }

std::string count(u64 value, const char* what) {
  return fmt::format("{} {}{}", grouped(value), what, value == 1 ? "" : "s");
}

std::string kinds(const LinkSummary& links) {
  TextTable table;
  table.row({"links", "number", "mean use", "busiest", "paused, mean", "longest", "PAUSEs", "largest queue", "at",
             "ECN marks", "drops"});
  for (const LinkKind& kind : links.kinds) {
    const LinkOutcome& sum = kind.sum;
    table.row({kind.name, grouped(kind.links), percent(links, kind.mean_use), percent(links, kind.max_use),
               time_text(sum.paused_ps / kind.links), time_text(kind.max_paused_ps), grouped(sum.pauses),
               human_bytes(sum.peak_queue_bytes), human_time(sum.peak_queue_ps), grouped(sum.ecn_marks),
               grouped(sum.egress_drops + sum.ingress_drops + sum.losses)});
  }
  return "\nlinks over the whole run; the largest queue is that of one link\n" + table.text();
}

std::string balance(const LinkSummary& links) {
  const auto ratio = [](double value) { return value > 0 ? fmt::format("{:.3f}", value) : "-"; };
  const auto flows = [&](double mean, u64 most) {
    return links.flows_known ? fmt::format("{:.1f}, {}", mean, grouped(most)) : "-";
  };
  TextTable table;
  std::vector<std::string> head = {"links", "busiest/mean", "in time", "Jain index"};
  for (const auto& [name, percent] : kUsePercentiles) head.push_back(fmt::format("use {}", name));
  head.insert(head.end(), {"QPs: mean, most", "messages: mean, most"});
  table.row(head);
  for (const LinkKind& kind : links.kinds) {
    std::vector<std::string> cells = {kind.name, ratio(kind.balance.busiest_over_mean),
                                      ratio(kind.busiest_over_mean_in_time.value_or(0)),
                                      ratio(kind.balance.jain_index)};
    for (const double use : kind.balance.loads) cells.push_back(percent(links, use));
    cells.push_back(flows(kind.mean_qps, kind.max_qps));
    cells.push_back(flows(kind.mean_messages, kind.max_messages));
    table.row(cells);
  }
  return "\nbalance of links: by bytes sent, 1 and 1 when all are alike; in time: in the intervals of /series/link; "
         "QPs and\n"
         "messages: routed over a link\n" +
         table.text();
}

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// Formats one list under its heading.
template <class Value>
Lines list(const char* heading, const std::vector<HotLink>& links, const Value& value) {
  TextTable table(2);
  for (const HotLink& link : links) table.row({link.name, value(link)});
  Lines lines = lines_of(table.text(""));
  lines.insert(lines.begin(), heading);
  if (links.empty()) lines.emplace_back("none");
  return lines;
}

std::string side_by_side(const std::vector<Lines>& lists) {
  size_t rows = 0;
  for (const Lines& lines : lists) rows = std::max(rows, lines.size());
  std::string text;
  for (size_t row = 0; row < rows; ++row) {
    std::string line = " ";
    for (const Lines& lines : lists) {
      size_t width = 0;
      for (const std::string& cell : lines) width = std::max(width, cell.size());
      line += fmt::format(" {:<{}} ", row < lines.size() ? lines[row] : "", width + 1);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string describe_links(const LinkSummary& links) {
  if (links.empty()) return "";
  const auto use = [&](const HotLink& link) {
    return links.use_known ? percent(links, link.use) : human_bytes(link.counted.sent_bytes);
  };
  const auto paused = [](const HotLink& link) { return time_text(link.counted.paused_ps); };
  const auto queue = [](const HotLink& link) {
    return fmt::format("{} at {}", human_bytes(link.counted.peak_queue_bytes), human_time(link.counted.peak_queue_ps));
  };
  return kinds(links) + balance(links) + "\nhot spots\n" +
         side_by_side({list("busiest", links.busiest, use), list("longest paused", links.longest_paused, paused),
                       list("largest queue", links.longest_queues, queue)});
}

std::string hottest_links(const LinkSummary& links) {
  std::string text;
  if (!links.busiest.empty()) {
    const HotLink& link = links.busiest.front();
    text += fmt::format("busiest    {}: {}{}\n", link.name, human_bytes(link.counted.sent_bytes),
                        links.use_known ? fmt::format(", {} of its rate", percent(links, link.use)) : "");
  }
  if (!links.longest_paused.empty()) {
    const HotLink& link = links.longest_paused.front();
    text += fmt::format("paused     {}: longest, {} by {}\n", link.name, time_text(link.counted.paused_ps),
                        count(link.counted.pauses, "PAUSE"));
  }
  if (!links.longest_queues.empty()) {
    const HotLink& link = links.longest_queues.front();
    text += fmt::format("queue      {}: largest, {} at {}\n", link.name, human_bytes(link.counted.peak_queue_bytes),
                        human_time(link.counted.peak_queue_ps));
  }
  return text;
}

}  // namespace heddle
