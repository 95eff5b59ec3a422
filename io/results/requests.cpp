#include "io/results/requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "io/results/goodput.hpp"
#include "io/results/text_table.hpp"
#include "kernels/outcome/outcome.hpp"

namespace heddle {
namespace {

const std::string kGroup = "/summary/request/";

RequestRow row_of(const World& world, const Outcome& outcome, const Request& request) {
  const Traffic& traffic = world.traffic;
  const bool stalled = outcome.reason == EndReason::stalled;  // then the end is the last completion
  RequestRow row{.asker = asker_of(request), .servers = request.questions};
  for (u32 i = 0; i < request.questions; ++i) {
    const MessageId m = traffic.of_requests[request.first + i];
    row.client = traffic.qps[traffic.messages[m].qp].src;
    const TimePs begin_ps = posted_ps(traffic.messages[m], outcome.messages[m]);
    if (begin_ps < 0 || (begin_ps > outcome.end_ps && !stalled)) continue;
    row.begin_ps = row.begin_ps < 0 ? begin_ps : std::min(row.begin_ps, begin_ps);
  }
  bool open = false;  // some answer has not been received
  for (u32 i = request.questions; i < request.questions + request.answers; ++i) {
    const MessageId m = traffic.of_requests[request.first + i];
    const MessageOutcome& answer = outcome.messages[m];
    row.bytes += traffic.messages[m].bytes;
    row.received_bytes += answer.received_bytes;
    row.end_ps = std::max(row.end_ps, answer.received_ps);
    open = open || answer.received_ps < 0;
  }
  if (open) row.end_ps = -1;
  return row;
}

RequestSummary summary_of(std::span<const RequestRow> rows, const Outcome& outcome) {
  RequestSummary sum{.asker = rows.front().asker, .requests = rows.size()};
  std::vector<MessageTime> times;
  times.reserve(rows.size());
  Goodput goodput;
  for (const RequestRow& row : rows) {
    times.push_back({row.begin_ps, row.end_ps, -1});
    goodput.add(row.begin_ps, row.end_ps, row.received_bytes);
  }
  sum.times = message_times(times, outcome);
  sum.received_bytes = goodput.received_bytes();
  const bool stalled = outcome.reason == EndReason::stalled;
  sum.bits_per_s = goodput.bits_per_s(outcome.end_ps, stalled);
  if (const std::optional<TimePs> span_ps = goodput.span_ps(outcome.end_ps, stalled))
    sum.requests_per_s = static_cast<double>(sum.times.finished) * 1e12 / static_cast<double>(*span_ps);
  return sum;
}

}  // namespace

Asker asker_of(const Request& request) {
  if (request.job == kNone) return {.generator = static_cast<i32>(request.generator)};
  return {.job = static_cast<i32>(request.job)};
}

std::string name_of(const Asker& asker) {
  return asker.job < 0 ? fmt::format("generator {}", asker.generator) : fmt::format("data of job {}", asker.job);
}

std::vector<RequestRow> request_rows(const World& world, const Outcome& outcome) {
  std::vector<RequestRow> rows;
  rows.reserve(world.traffic.requests.size());
  for (const Request& request : world.traffic.requests) rows.push_back(row_of(world, outcome, request));
  return rows;
}

std::vector<RequestSummary> request_summaries(const std::vector<RequestRow>& rows, const Outcome& outcome) {
  std::vector<RequestSummary> all;
  for (size_t first = 0; first < rows.size();) {
    size_t end = first;
    while (end < rows.size() && rows[end].asker == rows[first].asker) ++end;
    all.push_back(summary_of(std::span(rows).subspan(first, end - first), outcome));
    first = end;
  }
  return all;
}

u64 count_askers(const World& world) {
  std::set<Asker> askers;
  for (const Request& request : world.traffic.requests) askers.insert(asker_of(request));
  return askers.size();
}

std::vector<RequestSummary> read_request_summaries(const InputFile& file) {
  if (!file.has("/summary/request")) return {};
  const auto numbers = [&](const char* name) { return file.numbers(kGroup + name); };
  const auto reals = [&](const char* name) { return file.reals(kGroup + name); };
  const std::vector<i64> generator = file.signed_numbers(kGroup + "generator");
  std::vector<i64> job(generator.size(), -1);  // a file of an earlier version knows generators alone
  if (file.has(kGroup + "job")) job = file.signed_numbers(kGroup + "job");
  const std::vector<u64> requests = numbers("requests"), begun = numbers("begun"), ended = numbers("ended"),
                         received = numbers("received_bytes"), at_least = numbers("time_at_least");
  const std::vector<double> bits_per_s = reals("bits_per_s"), requests_per_s = reals("requests_per_s"),
                            percent = reals("percent");
  const std::vector<i64> time = file.signed_numbers(kGroup + "time_ps");
  std::vector<RequestSummary> all;
  for (size_t i = 0; i < generator.size(); ++i) {
    const Asker asker{static_cast<i32>(generator[i]), static_cast<i32>(job[i])};
    if (all.empty() || all.back().asker != asker) {
      all.push_back({.asker = asker, .requests = requests[i]});
      all.back().received_bytes = received[i];
      if (!std::isnan(bits_per_s[i])) all.back().bits_per_s = bits_per_s[i];
      if (!std::isnan(requests_per_s[i])) all.back().requests_per_s = requests_per_s[i];
      all.back().times.posted = begun[i];
      all.back().times.finished = ended[i];
    }
    if (time[i] < 0) continue;  // none was begun
    all.back().times.percentiles.push_back({percent[i], time[i], at_least[i] != 0, std::nan(""), false});
  }
  return all;
}

std::string request_table(const std::vector<RequestSummary>& summaries) {
  if (summaries.empty()) return "";
  TextTable table;
  std::vector<std::string> head = {"of", "requests", "ended"};
  for (const auto& [name, percent] : kPercentiles) head.emplace_back(name);
  for (const char* more : {"requests/s", "GB/s"}) head.emplace_back(more);
  table.row(head);
  for (const RequestSummary& sum : summaries) {
    std::vector<std::string> cells = {name_of(sum.asker), grouped(sum.requests), grouped(sum.times.finished)};
    for (const auto& [name, percent] : kPercentiles) {
      const MessagePercentile* p = sum.times.find(percent);
      cells.push_back(p == nullptr ? "-" : at_least(human_time(p->completion_ps), p->completion_at_least));
    }
    cells.push_back(sum.requests_per_s ? fmt::format("{:.0f}", *sum.requests_per_s) : "-");
    cells.push_back(sum.bits_per_s ? fmt::format("{:.3f}", *sum.bits_per_s / 8e9) : "-");
    table.row(cells);
  }
  std::string text =
      "\nrequests (from the first question posted to the last answer received, nearest rank; GB/s: of answers)\n" +
      table.text();
  const bool cut =
      std::ranges::any_of(summaries, [](const auto& sum) { return sum.times.finished < sum.times.posted; });
  if (cut)
    text += "  those that were begun and had not ended count with the time until the end, so >= is a lower bound\n";
  return text;
}

}  // namespace heddle
