// heddle-skipping: runs in which what repeats is skipped equal those in which it is simulated, on as many random worlds
// as you like.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "host/build.hpp"
#include "host/cli/exit_codes.hpp"
#include "tests/property/repeating_world.hpp"
#include "tests/property/skipping.hpp"

namespace heddle::property {
namespace {

using Number = unsigned long long;

struct Arguments {
  u64 worlds = 100, first_seed = 1;
  double least_share = 0.2;
  bool quiet = false;
};

int run(const Arguments& arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // of a world that crashes or hangs is known which it was
  u64 skipping = 0, failed = 0;
  for (u64 seed = arguments.first_seed; seed < arguments.first_seed + arguments.worlds; ++seed) {
    const World world = build_world(load_config_text(repeating_world(seed), "world " + std::to_string(seed)));
    const SkippingComparison result = compare_skipping(world, skipping_way(seed));
    skipping += result.skipped_hops != 0;
    if (!result.difference.empty()) {
      ++failed;
      std::printf("failed seed %llu\n%s\n%s\n", Number{seed}, result.difference.c_str(), repeating_world(seed).c_str());
    }
    if (arguments.quiet) continue;
    std::printf("world %llu: %llu packet-hops, %llu skipped\n", Number{seed}, Number{result.packet_hops},
                Number{result.skipped_hops});
  }
  std::printf("%llu worlds, %llu of them skip; %llu failed\n", Number{arguments.worlds}, Number{skipping},
              Number{failed});
  if (failed != 0) return kExitInternalError;
  if (static_cast<double>(skipping) < arguments.least_share * static_cast<double>(arguments.worlds)) {
    std::printf("fewer than %.0f %% skip anything, so this says little\n", 100 * arguments.least_share);
    return kExitInternalError;
  }
  return kExitComplete;
}

int main(int argc, char** argv) {
  CLI::App app("What repeats skipped against everything simulated, to the bit, on random worlds");
  Arguments arguments;
  app.add_option("--worlds", arguments.worlds, "how many")->capture_default_str();
  app.add_option("--first-seed", arguments.first_seed, "seed of the first")->capture_default_str();
  app.add_option("--least-share", arguments.least_share, "of the worlds must skip something")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_flag("--quiet", arguments.quiet, "only what fails, and the sums");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitComplete : kExitBadInput;
  }
  return run(arguments);
}

}  // namespace
}  // namespace heddle::property

int main(int argc, char** argv) {
  try {
    return heddle::property::main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle-skipping: %s\n", error.what());
    return heddle::kExitInternalError;
  }
}
