#include "host/cli/sweep/warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "io/ordinary_file.hpp"

namespace heddle {
namespace {

constexpr u64 kMaxLogBytes = u64{1} << 20;
constexpr std::string_view kWarning = "warning: ";

struct Warned {
  std::string of;  // without "warning: "
  std::vector<std::string> runs;
};

void note(std::vector<Warned>& all, const std::string& run, std::string of) {
  const auto same = std::ranges::find(all, of, &Warned::of);
  Warned& warned = same == all.end() ? all.emplace_back(Warned{std::move(of), {}}) : *same;
  if (warned.runs.empty() || warned.runs.back() != run) warned.runs.push_back(run);
}

}  // namespace

std::string warnings_of_runs(const SweepFolder& sweep) {
  std::vector<Warned> all;
  size_t with_result = 0;
  for (const SweepEntry& run : sweep.runs) {
    if (run.state != SweepRunState::ended) continue;
    ++with_result;
    std::istringstream log(OrdinaryFile(run.log_path).read_all(kMaxLogBytes).value_or(""));
    for (std::string line; std::getline(log, line);)
      if (line.starts_with(kWarning)) note(all, run.name, line.substr(kWarning.size()));
  }
  std::string text;
  for (const Warned& warned : all) {
    std::string who;
    for (const std::string& run : warned.runs) who += (who.empty() ? "" : ", ") + run;
    const size_t runs = warned.runs.size();
    if (runs == with_result && runs > 1) who = fmt::format("all {}", runs);
    text += fmt::format("warning, {} {}: {}\n", runs == 1 ? "run" : "runs", who, warned.of);
  }
  return text;
}

}  // namespace heddle
