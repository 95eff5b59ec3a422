#include "host/cli/sweep_json.hpp"

#include <nlohmann/json.hpp>
#include <vector>

#include "io/results/describe_json.hpp"

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

Json axes_of(const SweepReport& report, const SweepRow& row) {
  Json axes = Json::object();
  for (std::size_t i = 0; i < report.keys.size(); ++i) axes[report.keys[i]] = row.run.values[i];
  return axes;
}

/// What of all links is worth a column: io's row of a run is about messages, collectives and sums.
void add_links(const RunSummary& run, Json& cells) {
  const MessageSummary& m = run.messages;
  if (m.messages > 0 && m.received_known) {
    const auto goodput = m.goodput.bits_per_s(run.end_ps, run.status == "stalled");
    cells["received_bytes"] = m.goodput.received_bytes();
    cells["goodput_bits_per_s"] = goodput ? Json(*goodput) : Json();
  }
  const LinkSummary& links = run.link_summary;
  if (links.empty()) return;
  u64 paused_ps = 0;
  for (const LinkKind& kind : links.kinds) paused_ps += kind.sum.paused_ps;
  cells["paused_ps"] = paused_ps;
  if (!links.busiest.empty()) {
    cells["busiest_link"] = links.busiest.front().name;
    cells["busiest_link_use"] = links.use_known ? Json(links.busiest.front().use) : Json();
  }
  if (!links.longest_queues.empty()) {
    cells["longest_queue_link"] = links.longest_queues.front().name;
    cells["longest_queue_bytes"] = links.longest_queues.front().counted.peak_queue_bytes;
  }
}

}  // namespace

std::string sweep_json(const std::string& folder, const SweepReport& report) {
  Json runs = Json::array();
  for (const SweepRow& row : report.rows) {
    runs.push_back({{"run", row.run.name},
                    {"axes", axes_of(report, row)},
                    {"status", row.status},
                    {"as_configured", row.as_configured},
                    {"problem", row.problem.empty() ? Json() : Json(row.problem.substr(3))},
                    {"config_file", row.run.config_path},
                    {"result_file", row.run.result_path},
                    {"result", row.result ? json_of(*row.result) : Json()}});
  }
  return line_of({{"sweep", folder}, {"complete", report.missing.empty()}, {"runs", runs}});
}

std::string sweep_csv(const SweepReport& report) {
  std::vector<Json> rows;
  for (const SweepRow& row : report.rows) {
    Json cells = {{"run", row.run.name}};
    cells.update(axes_of(report, row));
    if (row.result) {
      cells.update(row_of(*row.result));
      add_links(*row.result, cells);
    }
    cells["status"] = row.status;
    cells["as_configured"] = row.as_configured;
    rows.push_back(std::move(cells));
  }
  return csv_of(rows);
}

}  // namespace heddle
