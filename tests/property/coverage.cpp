#include "tests/property/coverage.hpp"

#include <fmt/format.h>

#include <vector>

namespace heddle::property {

void Coverage::add(const Outcome& outcome) {
  Coverage one;
  one.worlds = 1;
  one.reasons[static_cast<u32>(outcome.reason)] = 1;
  one.totals = outcome.totals;
  for (const MessageOutcome& message : outcome.messages) one.messages_acked += message.acked_ps >= 0;
  for (const CollectiveOutcome& collective : outcome.collectives) one.ranks_finished += collective.ranks_finished;
  for (const IterationOutcome& iteration : outcome.iterations) one.iterations_ended += iteration.gpus_ended;
  add(one);
}

void Coverage::add(const Coverage& other) {
  std::vector<u64> more;
  for_each_number(other, [&](const char*, u64 value) { more.push_back(value); });
  auto next = more.begin();
  for_each_number(*this, [&](const char*, u64& value) { value += *next++; });
}

std::string Coverage::line() const {
  std::string text;
  for_each_number(*this, [&](const char* name, u64 value) {
    if (value != 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  });
  return text.empty() ? "worlds 0" : text;
}

}  // namespace heddle::property
