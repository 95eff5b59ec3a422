#include "kernels/backends/gpu/launch_parameters.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <stdexcept>

namespace heddle {
namespace {

[[noreturn]] void refuse(const std::string& where, std::string_view pair, const std::string& why) {
  std::string known;
  for (const LaunchParameter& p : kLaunchParameters) known += std::string(known.empty() ? "" : ", ") + p.name;
  throw std::invalid_argument(where + ": \"" + std::string(pair) + "\" " + why + "; give name=value,... of " + known +
                              ", such as " + text_of(LaunchParameters()));
}

void set(LaunchParameters& parameters, std::string_view pair, const std::string& where) {
  const std::size_t equals = pair.find('=');
  if (equals == std::string_view::npos) refuse(where, pair, "is no name=value");
  const std::string_view name = pair.substr(0, equals), digits = pair.substr(equals + 1);
  const auto known = std::ranges::find_if(kLaunchParameters, [&](const LaunchParameter& p) { return p.name == name; });
  if (known == kLaunchParameters.end()) refuse(where, pair, "is no launch parameter");
  u32 value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  if (!whole || value < known->least || value > known->most || value % known->multiple_of != 0) {
    std::string range = "must be from " + std::to_string(known->least) + " to " + std::to_string(known->most);
    if (known->multiple_of > 1) range += " in steps of " + std::to_string(known->multiple_of);
    refuse(where, pair, range + " (" + known->why + ")");
  }
  parameters.*(known->value) = value;
}

}  // namespace

LaunchParameters launch_parameters(std::string_view text, const std::string& where) {
  LaunchParameters parameters;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    set(parameters, text.substr(0, comma), where);
    if (comma == text.size() - 1) refuse(where, text, "ends with a comma");
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  return parameters;
}

std::string text_of(const LaunchParameters& parameters) {
  std::string text;
  for (const LaunchParameter& p : kLaunchParameters)
    text += std::string(text.empty() ? "" : ",") + p.name + "=" + std::to_string(parameters.*(p.value));
  return text;
}

bool few_blocks(u32 blocks, u32 multiprocessors) { return blocks < 4 * multiprocessors; }

u32 small_threads_for(u32 blocks, u32 multiprocessors) { return few_blocks(blocks, multiprocessors) ? 128 : 64; }

u32 endpoint_lanes_for(u32 endpoints, u32 multiprocessors) {
  constexpr u32 kWarpsEach = 6;  // endpoint warps per multiprocessor; measured: tests/bench/PERFORMANCE.md
  return std::clamp(endpoints / (multiprocessors * kWarpsEach) + 1, 1u, 32u);
}

LaunchParameters launch_parameters_of_environment() {
  const char* text = std::getenv(kLaunchVariable);
  return launch_parameters(text == nullptr ? "" : text, kLaunchVariable);
}

}  // namespace heddle
