#include "io/results/compare_requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "io/results/compare_row.hpp"

namespace heddle {
namespace {

using Runs = std::span<const RunSummary>;

const RequestSummary* find_requests(const RunSummary& run, const Asker& asker) {
  const auto found = std::ranges::find(run.requests, asker, &RequestSummary::asker);
  return found == run.requests.end() ? nullptr : &*found;
}

void add_asker(Runs runs, const Asker& asker, TextTable& table) {
  const auto add = [&](const std::string& name, const std::function<Shown(const RequestSummary&)>& get) {
    add_row(table, name, runs, [&](const RunSummary& run) {
      const RequestSummary* requests = find_requests(run, asker);
      return requests == nullptr ? Shown{} : get(*requests);
    });
  };
  add(asker.job < 0 ? fmt::format("requests of {}: ended", name_of(asker))
                    : fmt::format("requests for {}: ended", name_of(asker)),
      [](const RequestSummary& sum) {
        return Shown{fmt::format("{} of {}", grouped(sum.times.finished), grouped(sum.requests))};
      });
  for (const double percent : {50.0, 99.0}) {
    add(fmt::format("  time p{}", percent), [&](const RequestSummary& sum) {
      const MessagePercentile* p = sum.times.find(percent);
      if (p == nullptr) return Shown{};
      // A lower bound is no base of a ratio, and has none.
      return Shown{at_least(human_time(p->completion_ps), p->completion_at_least),
                   p->completion_at_least ? -1.0 : static_cast<double>(p->completion_ps)};
    });
  }
  add("  requests/s", [](const RequestSummary& sum) {
    return sum.requests_per_s ? Shown{fmt::format("{:.0f}", *sum.requests_per_s), *sum.requests_per_s} : Shown{};
  });
  add("  answers", [](const RequestSummary& sum) { return sum.bits_per_s ? shown_rate(*sum.bits_per_s) : Shown{}; });
}

}  // namespace

void request_rows(Runs runs, TextTable& table) {
  std::set<Asker> askers;
  for (const RunSummary& run : runs)
    for (const RequestSummary& requests : run.requests) askers.insert(requests.asker);
  for (const Asker& asker : askers) add_asker(runs, asker, table);
}

}  // namespace heddle
