#include "host/cli/sweep_result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "host/cli/ends.hpp"
#include "host/cli/sweep_labels.hpp"
#include "io/durable.hpp"
#include "io/error.hpp"
#include "io/ordinary_file.hpp"
#include "io/results/config_diff.hpp"

namespace heddle {
namespace {

/// Sections that say how a run is made and written, not what is simulated: config_hash() leaves them out, too.
bool decides_nothing(const ConfigDifference& d) {
  constexpr std::array<std::string_view, 3> kSections = {"partition.", "checkpoint.", "output."};
  const auto begins = [&](std::string_view section) { return d.key.starts_with(section); };
  const auto is_bounded = [](const std::string& mode) { return mode.find("bounded") != std::string::npos; };
  return std::any_of(kSections.begin(), kSections.end(), begins) ||
         (d.key == "acceleration.mode" && std::none_of(d.values.begin(), d.values.end(), is_bounded));
}

void compare_configurations(const SweepEntry& run, SweepResult& result) {
  const std::string of_result = result.summary->path + "/config";
  const SweepLabels labels = check_labels(run, result.summary->config_toml, of_result);
  result.deciding += labels.wrong;
  result.beside += labels.unknown;
  OrdinaryFile file(run.config_path);
  const std::optional<std::string> now = file.read_all(kMostConfigBytes);
  if (!now) {
    result.deciding += fmt::format("\n  {}: {} {}", run.name, run.config_path,
                                   is_there(run.config_path) ? "cannot be read: " + file.problem() : "is missing");
    return;
  }
  const std::array configs = {flatten_toml(result.summary->config_toml, of_result),
                              flatten_toml(*now, run.config_path)};
  for (const ConfigDifference& d : differences(configs)) {
    (decides_nothing(d) ? result.beside : result.deciding) += fmt::format(
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
