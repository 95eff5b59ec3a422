// heddle-property: engine = oracle on any number of random worlds, or on one configuration.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>

#include "host/base/error.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/cli/signals.hpp"
#include "tests/property/long_run.hpp"

namespace heddle::property {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFooter =
    "A world that fails is made small and kept in the folder of --failed, as TOML that --config runs again.\n\n"
    "Exit codes:\n"
    "  0  engine and oracle agree on every world\n"
    "  1  they do not on some, or the program itself failed\n"
    "  2  bad input\n"
    "  3  stopped before the end; --resume resumes\n";

struct Arguments {
  u64 worlds = 2000, first_seed = 1, seed = 0, failures = 5;
  u32 jobs = 1;
  std::string state_file, config, failed_folder = default_failed_folder().string();
  i64 shrink_s = 60, world_limit_s = 60;
  bool every_variant = false, restarts = false, quiet = false;
};

Examination examination_of(const Arguments& arguments) {
  Examination how;
  how.failed_folder = arguments.failed_folder;
  how.shrink_limit = std::chrono::seconds(arguments.shrink_s);
  how.world_limit = std::chrono::seconds(arguments.world_limit_s);
  return how;
}

RunState state_of(const Arguments& arguments, bool worlds_given, bool first_seed_given) {
  if (!arguments.state_file.empty() && fs::exists(arguments.state_file)) {
    RunState state = read_state(arguments.state_file);
    if (worlds_given) state.worlds = arguments.worlds;
    if (first_seed_given && arguments.first_seed != state.first_seed) {
      throw ConfigError(arguments.state_file + ": holds a run from seed " + std::to_string(state.first_seed) +
                        ", which cannot resume as one from seed " + std::to_string(arguments.first_seed) +
                        "; leave --first-seed out or name another file");
    }
    return state;
  }
  RunState state;
  state.first_seed = arguments.first_seed;
  state.worlds = arguments.worlds;
  state.generator = generator_hash();
  return state;
}

double worlds_per_s(u64 worlds, double seconds) { return static_cast<double>(worlds) / std::max(seconds, 1e-3); }

int run_many(const Arguments& arguments, RunState state) {
  using Clock = std::chrono::steady_clock;
  const StopSignals signals;
  const Clock::time_point start = Clock::now();
  const u64 before = state.coverage.worlds;
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  LongRun run;
  run.jobs = arguments.jobs;
  if (arguments.every_variant) run.variants = all_variants();
  if (arguments.restarts) run.variants = restarting_variants();
  run.state_file = arguments.state_file;
  run.examination = examination_of(arguments);
  run.failures = arguments.failures;
  run.stop = [&] { return signals.interrupted() || signals.terminated(); };
  run.on_failure = [](const std::string& report) { std::printf("\n%s\n", report.c_str()); };
  Clock::time_point shown = start;
  const bool shows_progress = !arguments.quiet && isatty(STDERR_FILENO) == 1;
  run.on_progress = [&](const RunState& now) {
    if (!shows_progress || Clock::now() - shown < std::chrono::seconds(1)) return;
    shown = Clock::now();
    std::fprintf(stderr, "\r%llu of %llu worlds, %.0f worlds/s, %zu failed ",
                 static_cast<unsigned long long>(now.coverage.worlds), static_cast<unsigned long long>(now.worlds),
                 worlds_per_s(now.coverage.worlds - before, seconds()), now.failed_seeds.size());
  };
  const bool done = run_worlds(run, state);
  if (shows_progress) std::fprintf(stderr, "\n");
  std::printf("%s\n%llu worlds in %.1f s now: %.1f worlds/s, %u jobs; %llu s in all; %zu failed%s\n",
              state.coverage.line().c_str(), static_cast<unsigned long long>(state.coverage.worlds - before), seconds(),
              worlds_per_s(state.coverage.worlds - before, seconds()), arguments.jobs,
              static_cast<unsigned long long>(state.seconds), state.failed_seeds.size(),
              done ? "" : "; stopped before the end");
  for (u64 seed : state.failed_seeds) std::printf("failed seed %llu\n", static_cast<unsigned long long>(seed));
  if (!state.failed_seeds.empty()) return kExitInternalError;
  return done ? kExitComplete : kExitNotComplete;
}

/// Runs one world in every variant, and compares its events one by one, too.
int run_one(const Arguments& arguments, const WorldCase& world_case) {
  Coverage coverage;
  const Finding finding = examine(world_case, all_variants(), examination_of(arguments), &coverage);
  std::printf("%s\n", coverage.line().c_str());
  if (finding.verdict != Verdict::equal) {
    std::printf("%s\n", finding.text.c_str());
    return finding.verdict == Verdict::refused ? kExitBadInput : kExitInternalError;
  }
  const World world = build(world_case);
  u64 events = 0;
  const std::string difference = Comparison(world).check_every_event(variant(0), &events);
  std::printf("%s%s: engine = oracle in %llu variants, %llu events one by one\n", difference.c_str(),
              world_case.name.c_str(), static_cast<unsigned long long>(kVariants),
              static_cast<unsigned long long>(events));
  return difference.empty() ? kExitComplete : kExitInternalError;
}

int main(int argc, char** argv) {
  CLI::App app("Engine against oracle, to the bit, on random worlds");
  app.footer(kFooter);
  Arguments arguments;
  arguments.jobs = std::max(std::thread::hardware_concurrency(), 1u);
  auto* worlds =
      app.add_option("--worlds", arguments.worlds, "how many (a resumed run: in all)")->capture_default_str();
  auto* first = app.add_option("--first-seed", arguments.first_seed, "seed of the first")->capture_default_str();
  app.add_option("--jobs", arguments.jobs, "worlds at the same time")
      ->check(CLI::Range(1u, 1024u))
      ->capture_default_str();
  app.add_option("--resume", arguments.state_file, "file to keep the state in, and to resume from if it is there");
  auto* one = app.add_option("--world", arguments.seed, "only the world of this seed, in every variant");
  auto* config = app.add_option("--config", arguments.config, "only this configuration (TOML), in every variant");
  one->excludes(worlds)->excludes(first)->excludes(config);
  config->excludes(worlds)->excludes(first);
  auto* every =
      app.add_flag("--every-variant", arguments.every_variant, "all variants of the engine on each world, not two");
  app.add_flag("--restarts", arguments.restarts, "the plain variant and all that are saved and restarted, not two")
      ->excludes(every);
  app.add_option("--failures", arguments.failures, "stop after so many worlds that fail; 0 = never")
      ->capture_default_str();
  app.add_option("--failed", arguments.failed_folder, "folder for worlds that fail")->capture_default_str();
  app.add_option("--shrink", arguments.shrink_s, "seconds for making a failing world small; 0 = leave it")
      ->check(CLI::Range(i64{0}, i64{3600}))
      ->capture_default_str();
  app.add_option("--world-limit", arguments.world_limit_s, "seconds of processor time after which a world is a failure")
      ->check(CLI::Range(i64{1}, i64{36000}))
      ->capture_default_str();
  app.add_flag("--quiet", arguments.quiet, "no progress");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitComplete : kExitBadInput;
  }
  if (one->count() != 0) return run_one(arguments, case_of_seed(arguments.seed));
  if (config->count() != 0) return run_one(arguments, read_case(arguments.config));
  return run_many(arguments, state_of(arguments, worlds->count() != 0, first->count() != 0));
}

}  // namespace
}  // namespace heddle::property

int main(int argc, char** argv) {
  try {
    return heddle::property::main(argc, argv);
  } catch (const heddle::ConfigError& error) {
    std::fprintf(stderr, "heddle-property: %s\n", error.what());
    return heddle::kExitBadInput;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle-property: %s\n", error.what());
    return heddle::kExitInternalError;
  }
}
