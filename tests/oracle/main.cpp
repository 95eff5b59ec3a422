// heddle-oracle CONFIG: runs a configuration through the reference simulator and prints the outcome.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "host/base/error.hpp"
#include "host/cli/exit_codes.hpp"
#include "host/config/config.hpp"
#include "host/scenario/build.hpp"
#include "kernels/outcome/totals.hpp"
#include "tests/oracle/oracle.hpp"

namespace {

const char* name_of(heddle::EndReason reason) {
  switch (reason) {
    case heddle::EndReason::complete:
      return "complete";
    case heddle::EndReason::horizon:
      return "horizon";
    case heddle::EndReason::stalled:
      return "stalled";
    case heddle::EndReason::deadlock:
      return "deadlock";
    case heddle::EndReason::qp_failed:
      return "qp_failed";
    case heddle::EndReason::error:
      return "error";
  }
  return "error";
}

void print(const heddle::Outcome& outcome) {
  auto line = [](const char* name, heddle::u64 value) {
    std::printf("%-24s %llu\n", name, static_cast<unsigned long long>(value));
  };
  std::printf("%-24s %s%s%s\n", "reason", name_of(outcome.reason), outcome.explanation.empty() ? "" : ": ",
              outcome.explanation.c_str());
  std::printf("%-24s %lld\n", "end_ps", static_cast<long long>(outcome.end_ps));
  std::printf("%-24s %016llx\n", "event digest", static_cast<unsigned long long>(outcome.event_digest));
  heddle::for_each_total(outcome.totals, line);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Reference simulator of Heddle: sequential, event-driven, slow");
  std::string path;
  std::vector<std::string> sets;
  heddle::OracleOptions options;
  app.add_option("CONFIG", path, "configuration file (TOML)")->required();
  app.add_option("--set", sets, "key=value laid over the file")->take_all();
  app.add_flag("--trace", options.trace, "departures enter the digest, too");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? heddle::kExitComplete : heddle::kExitBadInput;
  }
  try {
    heddle::Outcome outcome = heddle::simulate(heddle::build_world(heddle::load_config(path, sets)), options);
    print(outcome);
    bool ended = outcome.reason == heddle::EndReason::complete || outcome.reason == heddle::EndReason::horizon;
    return ended ? heddle::kExitComplete : heddle::kExitNotComplete;
  } catch (const heddle::ConfigError& error) {
    std::fprintf(stderr, "heddle-oracle: %s\n", error.what());
    return heddle::kExitBadInput;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle-oracle: %s\n", error.what());
    return heddle::kExitInternalError;
  }
}
