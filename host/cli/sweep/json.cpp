#include "host/cli/sweep/json.hpp"

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
    if (row.result) cells.update(row_of(*row.result));
    cells["status"] = row.status;
    cells["as_configured"] = row.as_configured;
    rows.push_back(std::move(cells));
  }
  return csv_of(rows);
}

}  // namespace heddle
