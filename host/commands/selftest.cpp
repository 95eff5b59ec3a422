// `heddle selftest`: whether this machine, and this build on it, computes what every other one computes.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include "host/cli/device.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/cli/provenance.hpp"
#include "host/cli/tell.hpp"
#include "host/commands/commands.hpp"
#include "host/selftest/self_test.hpp"

namespace heddle {
namespace {

/// A failure of the device fails the test; errors of the arguments or the environment do not.
SelfTestResult tested(const SelfTestWorld& world, const std::vector<SelfTestWay>& ways) {
  try {
    return self_test(world, ways);
  } catch (const std::invalid_argument&) {
    throw;
  } catch (const std::exception& error) {
    return {world, {}, fmt::format("  {}\n", error.what())};
  }
}

void print_row(u32 number, const SelfTestResult& result) {
  const std::string what = happenings(result.outcome.totals);
  tell(stdout, "{:>4}  {:<20} {:>5} {:>12}  {:016x}  {:<8}  {}\n", number + 1, result.world.name, result.world.seed,
       result.outcome.totals.packet_hops, result.outcome.digest, result.difference.empty() ? "same" : "DIFFERS", what);
  if (!result.difference.empty()) tell(stdout, "{}", result.difference);
  std::fflush(stdout);
}

std::string names_of(const std::vector<SelfTestWay>& ways) {
  std::string names;
  for (const SelfTestWay& way : ways) names += (names.empty() ? "" : "; ") + way.name;
  return names;
}

}  // namespace

int command_selftest(const SelfTestArguments& arguments) {
  const std::vector<SelfTestWay> ways = self_test_ways(choose_device(arguments.device, false));
  const u32 worlds = arguments.worlds.value_or(2 * self_test_kinds());
  tell(stdout, "{}\n{} compared with: {}\n\n{:>4}  {:<20} {:>5} {:>12}  {:<16}  {:<8}  {}\n", version_text(),
       self_test_reference().name, names_of(ways), "", "world", "seed", "packet-hops", "digest", "", "with");
  const auto start = std::chrono::steady_clock::now();
  u32 different = 0;
  for (u32 number = 0; number < worlds; ++number) {
    const SelfTestResult result = tested(self_test_world(number), ways);
    print_row(number, result);
    different += result.difference.empty() ? 0 : 1;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (different == 0) {
    tell(stdout, "\nPASSED: all {} worlds gave the same bits ({:.1f} s)\n", worlds, seconds);
    return kExitComplete;
  }
  tell(stdout,
       "\nFAILED: {} of {} worlds differ. Do not trust results of this program on this device; please report this "
       "output{}\n",
       different, worlds, arguments.device == "cpu" ? "" : ", and see whether `heddle selftest --device cpu` passes");
  return kExitInternalError;
}

}  // namespace heddle
