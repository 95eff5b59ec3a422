// heddle-bench: how fast the engine is. Prints one row per case; README.md beside this file says how to read it.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/base/error.hpp"
#include "host/cli/device.hpp"
#include "host/scenario/build.hpp"
#include "tests/bench/autotune.hpp"
#include "tests/bench/cases.hpp"
#include "tests/bench/measure.hpp"

namespace heddle::bench {
namespace {

constexpr int kBadInput = 2;

struct Arguments {
  std::vector<std::string> names;
  std::string device = "cpu", launch;
  std::optional<u32> threads;  // of a CPU; none given: 1
  Settings settings;
  bool no_warm_up = false, digest = false, autotune = false;
};

void print_header(bool digest) {
  fmt::print("{:<24} {:>12} {:>10} {:>9} {:>9} {:>10} {:>10} {:>9} {:>9} {:>8}{}\n", "case", "hops", "Mhops/s",
             "ns/hop", "ticks/s", "ms/tick", "B/entity", "memory", "pauses", "CNPs",
             digest ? fmt::format("  {:<16}  {:<16}", "state", "digest") : "");
}

void print_row(const Case& c, const Measurement& m, bool digest) {
  const double hops = static_cast<double>(m.packet_hops), ticks = static_cast<double>(m.ticks),
               memory = static_cast<double>(m.memory_bytes);
  fmt::print("{:<24} {:>12} {:>10.2f} {:>9.1f} {:>9.0f} {:>10.3f} {:>10.0f} {:>5.0f} MiB {:>9} {:>8}{}\n", c.name,
             m.packet_hops, m.hops_per_s() / 1e6, m.wall_s * 1e9 / hops, ticks / m.wall_s, m.wall_s * 1e3 / ticks,
             memory / static_cast<double>(m.entities), memory / 1048576, m.pauses, m.cnps,
             digest ? fmt::format("  {:016x}  {:016x}", m.state_digest, m.digest) : "");
  std::fflush(stdout);
}

/// Below a row: what each kernel takes of a tick, and how fast it would be alone.
void print_kernels(const Measurement& m) {
  const double all_ms = std::accumulate(m.kernels.ms.begin(), m.kernels.ms.end(), 0.0);
  for (std::size_t k = 0; k < m.kernels.ms.size(); ++k) {
    const double ms = m.kernels.ms[k];
    if (!m.kernels.launched[k]) continue;
    fmt::print("  {:<22} {:>9.2f} us/tick {:>6.1f} % {:>12.2f} Mhops/s\n", kTickKernelNames[k],
               ms * 1e3 / static_cast<double>(m.kernels.ticks), ms * 100 / all_ms,
               static_cast<double>(m.packet_hops) / ms / 1e3);
  }
  std::fflush(stdout);
}

/// The line at the end is what a shell, or --launch, takes.
void autotune(const Case& c, const World& world, const Settings& settings) {
  fmt::print("{}: {:>10} {:>10}  {}\n", c.name, "Mhops/s", "ms/tick", "launch");
  const auto measured = [&](const LaunchParameters& launch) {
    setenv(kLaunchVariable, text_of(launch).c_str(), 1);
    return measure_fastest(c, world, settings);
  };
  const Tuned tuned = tune(measured, [&](const Try& t) {
    fmt::print("{:{}}  {:>10.2f} {:>10.3f}  {}\n", "", c.name.size(), t.measured.hops_per_s() / 1e6,
               t.measured.wall_s * 1e3 / static_cast<double>(t.measured.ticks), text_of(t.launch));
    std::fflush(stdout);
  });
  unsetenv(kLaunchVariable);
  fmt::print("best of {} for {}:\nexport {}={}\n", tuned.tries.size(), c.name, kLaunchVariable, text_of(tuned.best));
  std::fflush(stdout);
}

void run_case(const Case& c, const Arguments& arguments) {
  const World world = build_world(c.toml, c.name);
  if (arguments.autotune) return autotune(c, world, arguments.settings);
  const Measurement best = measure_fastest(c, world, arguments.settings);
  print_row(c, best, arguments.digest);
  if (arguments.settings.kernel_times) print_kernels(best);
}

bool wanted(const Case& c, const std::vector<std::string>& names) {
  if (names.empty()) return !c.on_request;
  for (const std::string& name : names) {
    if (c.name.find(name) != std::string::npos) return !c.on_request || c.name == name;
  }
  return false;
}

/// Throws ConfigError for a name that no case has.
std::vector<Case> wanted_cases(const std::vector<std::string>& names) {
  std::vector<Case> cases;
  std::string known;
  for (const Case& c : all_cases()) {
    known += " " + c.name;
    if (wanted(c, names)) cases.push_back(c);
  }
  for (const std::string& name : names) {
    bool found = false;
    for (const Case& c : cases) found = found || c.name.find(name) != std::string::npos;
    if (!found)
      throw ConfigError(
          fmt::format("no case's name contains '{}', so nothing was measured; there are:{}", name, known));
  }
  return cases;
}

/// What stands in the arguments is made ready, or refused.
void settle(Arguments& arguments) {
  Settings& settings = arguments.settings;
  settings.options.device = choose_device(arguments.device, arguments.threads.has_value());
  settings.options.threads = arguments.threads.value_or(1);
  if (arguments.no_warm_up) settings.from_us = 0;
  const bool gpu = settings.options.device == Device::gpu;
  if (!gpu && (!arguments.launch.empty() || settings.kernel_times || arguments.autotune))
    throw ConfigError("--launch, --kernel-times and --autotune are about a GPU's kernels; add --device gpu");
  if (!arguments.launch.empty()) {
    launch_parameters(arguments.launch, "--launch");
    setenv(kLaunchVariable, arguments.launch.c_str(), 1);
  }
  if (gpu) launch_parameters_of_environment();  // refused before anything is measured
}

/// Throws ConfigError when nothing lies between the two instants of a case.
void check_window(const Case& c, const Settings& settings) {
  const double from = settings.from_us.value_or(c.warm_up_us), end = settings.end_us.value_or(c.end_us);
  if (from < end) return;
  throw ConfigError(
      fmt::format("{}: it would be measured from {} to {} us, which is nothing; give another --from-us or "
                  "--end-us, or --no-warm-up",
                  c.name, from, end));
}

int run(Arguments& arguments) {
  settle(arguments);
  const std::vector<Case> cases = wanted_cases(arguments.names);
  for (const Case& c : cases) check_window(c, arguments.settings);
  if (arguments.settings.options.device == Device::gpu && !arguments.autotune)
    fmt::print("on a GPU, {}={}{}\n", kLaunchVariable, text_of(launch_parameters_of_environment()),
               arguments.settings.kernel_times ? ", kernels one after the other" : "");
  if (!arguments.autotune) print_header(arguments.digest);
  for (const Case& c : cases) run_case(c, arguments);
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0)
    fmt::print("peak memory of the process: {:.2f} GiB\n", static_cast<double>(usage.ru_maxrss) / 1048576);
  return 0;
}

void add_options(CLI::App& app, Arguments& a) {
  app.add_option("case", a.names,
                 "only cases whose name contains one of these (a whole name for those on request); all others if none "
                 "is given");
  app.add_option("--device", a.device, "what simulates: cpu or gpu")
      ->capture_default_str()
      ->check(CLI::IsMember({"cpu", "gpu"}));
  app.add_option("--threads", a.threads, "CPU threads; default: 1")->check(CLI::Range(1, 4096));
  app.add_option("--repeat", a.settings.repeat, "runs of each case; the fastest counts")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  CLI::Option* from =
      app.add_option("--from-us", a.settings.from_us, "measure from this instant on, not the case's own")
          ->check(CLI::NonNegativeNumber);
  app.add_option("--end-us", a.settings.end_us, "simulate to this instant instead of the case's own")
      ->check(CLI::PositiveNumber);
  app.add_flag("--no-warm-up", a.no_warm_up, "measure from time 0, when the fabric is still filling")->excludes(from);
  app.add_flag("--digest", a.digest, "print digests of the state and of the result, the same on every device");
  app.add_option("--launch", a.launch,
                 fmt::format("how a GPU's kernels are launched, as {} says it: {}", kLaunchVariable, text_of({})));
  CLI::Option* times = app.add_flag("--kernel-times", a.settings.kernel_times,
                                    "on a GPU: run kernels one after the other, and say how long each takes");
  app.add_flag("--autotune", a.autotune, "on a GPU: try launches, and say which is the fastest for each case")
      ->excludes(times);
}

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {
  heddle::bench::Arguments arguments;
  CLI::App app("Speed of the Heddle engine", "heddle-bench");
  heddle::bench::add_options(app, arguments);
  CLI11_PARSE(app, argc, argv);
  try {
    return heddle::bench::run(arguments);
  } catch (const heddle::ConfigError& e) {
    fmt::print(stderr, "error: {}\n", e.what());
    return heddle::bench::kBadInput;
  } catch (const std::invalid_argument& e) {
    fmt::print(stderr, "error: {}\n", e.what());
    return heddle::bench::kBadInput;
  } catch (const std::exception& e) {
    fmt::print(stderr, "error: {}\n", e.what());
    return 1;
  }
}
