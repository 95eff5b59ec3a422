// --set arguments, one per line of the input, over a configuration that has one section of every kind.
#include <sstream>
#include <vector>

#include "tests/fuzz/fuzz.hpp"

namespace {

constexpr std::string_view kConfig = R"(
[topology]
kind = "star"
[[message]]
src = 0
dst = 1
bytes = 4096
[[generator]]
kind = "permutation"
[[slow_receiver]]
endpoints = [1, 2]
[[job]]
gpus_per_server = 1
[[job.collective]]
sizes = ["1 MiB", "2 MiB"]
)";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const heddle::u8* data, std::size_t size) {
  using namespace heddle::fuzz;
  std::istringstream lines{std::string(text_of(data, size))};
  std::vector<std::string> sets;
  for (std::string line; std::getline(lines, line);) sets.push_back(line);
  if (const auto config = accepted_config(kConfig, sets)) require_round_trip(*config);
  return 0;
}
