// heddle-bench: how fast the engine is. Prints one row per case; README.md beside this file says how to read it.
#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <exception>
#include <string>
#include <vector>

#include "host/build.hpp"
#include "kernels/engine/engine.hpp"
#include "tests/bench/cases.hpp"

namespace heddle::bench {
namespace {

struct Arguments {
  std::vector<std::string> names;
  u32 threads = 1;
  u32 repeat = 3;
  double end_us = 0;  // 0: the case's own
  bool no_warm_up = false;
};

struct Measurement {
  double wall_s = 0, build_s = 0;
  u64 packet_hops = 0, ticks = 0;  // in wall_s
  u64 memory_bytes = 0, entities = 0, pauses = 0, cnps = 0;
};

TimePs ps_of(double us) { return static_cast<TimePs>(std::llround(us * 1e6)); }

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Measurement measure(const Case& c, const World& world, const Arguments& arguments) {
  EngineOptions options;
  options.threads = arguments.threads;
  Measurement m;
  auto start = std::chrono::steady_clock::now();
  Engine engine(world, options);
  m.build_s = seconds_since(start);
  if (!arguments.no_warm_up) engine.advance(ps_of(c.warm_up_us));
  const u64 hops_before = engine.totals().packet_hops, ticks_before = engine.ticks();
  start = std::chrono::steady_clock::now();
  engine.advance(ps_of(arguments.end_us > 0 ? arguments.end_us : c.end_us));
  m.wall_s = seconds_since(start);
  const Totals totals = engine.totals();
  m.packet_hops = totals.packet_hops - hops_before;
  m.ticks = engine.ticks() - ticks_before;
  m.memory_bytes = engine.memory_bytes();
  m.entities = world.fabric.links.size();  // a NIC or a switch port each
  m.pauses = totals.pauses;
  m.cnps = totals.cnps;
  return m;
}

void print_header() {
  fmt::print("{:<24} {:>12} {:>10} {:>9} {:>9} {:>10} {:>10} {:>9} {:>9} {:>8}\n", "case", "hops", "Mhops/s", "ns/hop",
             "ticks/s", "ms/tick", "B/entity", "memory", "pauses", "CNPs");
}

void print_row(const Case& c, const Measurement& m) {
  const double hops = static_cast<double>(m.packet_hops), ticks = static_cast<double>(m.ticks),
               memory = static_cast<double>(m.memory_bytes);
  fmt::print("{:<24} {:>12} {:>10.2f} {:>9.1f} {:>9.0f} {:>10.3f} {:>10.0f} {:>5.0f} MiB {:>9} {:>8}\n", c.name,
             m.packet_hops, hops / m.wall_s / 1e6, m.wall_s * 1e9 / hops, ticks / m.wall_s, m.wall_s * 1e3 / ticks,
             memory / static_cast<double>(m.entities), memory / 1048576, m.pauses, m.cnps);
  std::fflush(stdout);
}

/// The fastest of several runs: the others were disturbed.
void run_case(const Case& c, const Arguments& arguments) {
  const World world = build_world(load_config_text(c.toml, c.name));
  Measurement best;
  for (u32 i = 0; i < arguments.repeat; ++i) {
    const Measurement m = measure(c, world, arguments);
    if (i == 0 || m.wall_s < best.wall_s) best = m;
  }
  print_row(c, best);
}

bool wanted(const Case& c, const std::vector<std::string>& names) {
  if (names.empty()) return true;
  for (const std::string& name : names) {
    if (c.name.find(name) != std::string::npos) return true;
  }
  return false;
}

int run(const Arguments& arguments) {
  print_header();
  u32 ran = 0;
  for (const Case& c : all_cases()) {
    if (!wanted(c, arguments.names)) continue;
    run_case(c, arguments);
    ++ran;
  }
  if (ran == 0) {
    std::string known;
    for (const Case& c : all_cases()) known += " " + c.name;
    fmt::print(stderr, "error: no case's name contains '{}', so nothing was measured; there are:{}\n",
               arguments.names.front(), known);
    return 2;
  }
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0)
    fmt::print("peak memory of the process: {:.2f} GiB\n", static_cast<double>(usage.ru_maxrss) / 1048576);
  return 0;
}

}  // namespace
}  // namespace heddle::bench

int main(int argc, char** argv) {
  heddle::bench::Arguments arguments;
  CLI::App app("Speed of the Heddle engine");
  app.add_option("case", arguments.names, "only cases whose name contains one of these; all if none is given");
  app.add_option("--threads", arguments.threads, "CPU threads")->capture_default_str()->check(CLI::Range(1, 4096));
  app.add_option("--repeat", arguments.repeat, "runs of each case; the fastest counts")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--end-us", arguments.end_us, "simulate to this instant instead of the case's own")
      ->check(CLI::PositiveNumber);
  app.add_flag("--no-warm-up", arguments.no_warm_up, "measure from time 0, when the fabric is still filling");
  CLI11_PARSE(app, argc, argv);
  try {
    return heddle::bench::run(arguments);
  } catch (const std::exception& e) {
    fmt::print(stderr, "error: {}\n", e.what());
    return 1;
  }
}
