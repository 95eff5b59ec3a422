// heddle-calibration: whether times of coarse packets are as far off as they say, on as many random worlds as you like,
// or on your own.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "host/build.hpp"
#include "host/cli/exit_codes.hpp"
#include "tests/property/calibration.hpp"
#include "tests/property/contended_world.hpp"

namespace heddle::property {
namespace {

struct Arguments {
  u64 worlds = 100, first_seed = 1;
  u32 mtus = 0;
  double least_share = 0.95;
  bool quiet = false;
  std::vector<std::string> paths, sets;
};

void report(const CalibratedWorld& world, const std::string& name) {
  if (world.mtus_of_packet == 0) return std::printf("%s: %s\n", name.c_str(), world.refusal.c_str()), void();
  Calibration alone;
  alone.add(world);
  std::printf("%s: packets of %u MTUs, %llu pauses\n%s", name.c_str(), world.mtus_of_packet,
              static_cast<unsigned long long>(world.pauses), alone.text().c_str());
}

int run(const Arguments& arguments) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  Calibration all;
  const auto take = [&](const World& world, const std::string& name) {
    const CalibratedWorld result = calibrate(world, arguments.mtus);
    all.add(result);
    if (!arguments.quiet) report(result, name);
  };
  for (const std::string& path : arguments.paths) take(build_world(load_config(path, arguments.sets)), path);
  for (u64 seed = arguments.first_seed; arguments.paths.empty() && seed < arguments.first_seed + arguments.worlds;
       ++seed) {
    const std::string name = "world " + std::to_string(seed);
    take(build_world(load_config_text(contended_world(seed), name)), name);
  }
  std::printf("%s", all.text().c_str());
  return all.covered_share() >= arguments.least_share ? kExitComplete : kExitInternalError;
}

int main(int argc, char** argv) {
  CLI::App app("Times of coarse packets and their estimated errors against packets of one MTU");
  Arguments arguments;
  app.add_option("config", arguments.paths, "configurations; none: random worlds");
  app.add_option("--set", arguments.sets, "key=value, laid over each configuration")->allow_extra_args(false);
  app.add_option("--worlds", arguments.worlds, "how many random worlds")->capture_default_str();
  app.add_option("--first-seed", arguments.first_seed, "seed of the first")->capture_default_str();
  app.add_option("--coarse", arguments.mtus, "MTUs of a packet; 0: as many as are allowed")->capture_default_str();
  app.add_option("--least-share", arguments.least_share, "of the times must be within their estimates")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_flag("--quiet", arguments.quiet, "only the sums");
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
    std::fprintf(stderr, "heddle-calibration: %s\n", error.what());
    return heddle::kExitInternalError;
  }
}
