#include "host/cli/sweep/result.hpp"

#include <fmt/format.h>

#include <array>

#include "host/cli/ends.hpp"
#include "host/cli/sweep/labels.hpp"
#include "io/durable.hpp"
#include "io/error.hpp"
#include "io/ordinary_file.hpp"
#include "io/results/config_diff.hpp"

namespace heddle {
namespace {

void compare_configurations(const SweepEntry& run, SweepResult& result) {
  const std::string of_result = result.summary->path + "/config";
  const SweepLabels labels = check_labels(run, result.summary->config_toml, of_result);
  result.deciding += labels.wrong;
  result.beside += labels.unknown;
  OrdinaryFile file(run.config_path);
  const std::optional<std::string> now = file.read_all(kMaxConfigBytes);
  if (!now) {
    result.deciding += fmt::format("\n  {}: {} {}", run.name, run.config_path,
                                   is_there(run.config_path) ? "cannot be read: " + file.problem() : "is missing");
    return;
  }
  const std::array configs = {flatten_toml(result.summary->config_toml, of_result),
                              flatten_toml(*now, run.config_path)};
  for (const ConfigDifference& d : differences(configs)) {
    (decides_result(d) ? result.deciding : result.beside) += fmt::format(
        "\n  {}: {} was run with {}, {} says {}", run.name, d.key, d.values[0], run.config_path, d.values[1]);
  }
}

}  // namespace

SweepResult read_result(const SweepEntry& run) {
  SweepResult result;
  if (run.state != SweepRunState::ended) return result;
  try {
    result.summary = read_summary(run.result_path);
    compare_configurations(run, result);
  } catch (const InputError& error) {
    result.summary.reset();
    result.unreadable = error.what();
  }
  return result;
}

bool is_over(const SweepEntry& run) {
  const SweepResult result = read_result(run);
  return result.as_configured() && is_final(result.summary->status);
}

}  // namespace heddle
