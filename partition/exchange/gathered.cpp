#include "partition/exchange/gathered.hpp"

#include <algorithm>

#include "kernels/base/words.hpp"
#include "kernels/outcome/events.hpp"
#include "kernels/outcome/totals.hpp"

namespace heddle {
namespace {

/// Messages or links at a time, so that a sum takes a few MB for any number of them.
constexpr std::size_t kChunk = 1 << 15;

template <class Row>
constexpr bool adds_up() {
  bool all = true;
  for_each_column<Row>([&](const auto& column) { all &= column.join == Join::one || column.join == Join::sum; });
  return all;
}

/// Adds what all ranks know of the rows, at rank 0: what each differs by from a row that nobody knows anything of.
template <class Row>
void sum_at_first(std::span<Row> rows, Exchange& exchange) {
  static_assert(adds_up<Row>());
  const Row none;
  std::vector<u64> words;
  for (const Row& row : rows) {
    for_each_value([&](const auto&, auto value,
                       auto begin) { words.push_back(static_cast<u64>(value) - static_cast<u64>(begin)); },
                   row, none);
  }
  exchange.sum_at_first(words);
  if (exchange.rank() != 0) return;
  const u64* word = words.data();
  for (Row& row : rows) {
    for_each_value([&](const auto&, auto& value,
                       auto begin) { value = static_cast<decltype(begin)>(*word++ + static_cast<u64>(begin)); },
                   row, none);
  }
}

/// Values that only one rank has, or that have to be combined.
std::vector<u64> words_of(const Ending& part) {
  std::vector<u64> words = {part.event_digest,
                            static_cast<u64>(part.last_completion_ps),
                            part.unfinished,
                            part.quiet,
                            static_cast<u64>(part.failed.when_ps),
                            part.failed.endpoint,
                            part.failed.number,
                            part.failed.retries,
                            static_cast<u64>(part.failed.transport),
                            static_cast<u64>(part.exhausted_ps)};
  append_text(words, part.exhausted);
  words.push_back(part.iterations.size());
  append_records(words, std::span<const IterationOutcome>(part.iterations));
  append_records(words, std::span<const CollectiveOutcome>(part.collectives));
  return words;
}

Ending ending_of(std::span<const u64> words) {
  WordSource source(words);
  Ending part;
  part.event_digest = source.word();
  part.last_completion_ps = static_cast<TimePs>(source.word());
  part.unfinished = source.word();
  part.quiet = source.word() != 0;
  part.failed.when_ps = static_cast<TimePs>(source.word());
  part.failed.endpoint = static_cast<u32>(source.word());
  part.failed.number = static_cast<u32>(source.word());
  part.failed.retries = static_cast<u32>(source.word());
  part.failed.transport = static_cast<Transport>(source.word());
  part.exhausted_ps = static_cast<TimePs>(source.word());
  part.exhausted = source.text();
  const u64 iterations = source.word();
  part.iterations = records_of<IterationOutcome>(source.words(iterations * (sizeof(IterationOutcome) / sizeof(u64))));
  part.collectives = records_of<CollectiveOutcome>(source.rest());
  return part;
}

}  // namespace

Totals summed(const Totals& part, Exchange& exchange) {
  std::vector<u64> words;
  for_each_sum(part, [&](const char*, u64 term) { words.push_back(term); });
  exchange.sum(words);
  Totals sum;
  auto word = words.begin();
  for_each_sum(sum, [&](const char*, u64& total) { total = *word++; });
  const i64 negated[] = {-static_cast<i64>(part.largest_reordering_packets)};
  sum.largest_reordering_packets = static_cast<u64>(-exchange.min(negated)[0]);
  return sum;
}

Ending joined(const Ending& part, Exchange& exchange) {
  const std::vector<std::vector<u64>> parts = exchange.gather(words_of(part));
  Ending sum = ending_of(parts[0]);
  for (std::size_t r = 1; r < parts.size(); ++r) add(sum, ending_of(parts[r]));
  sum.totals = summed(part.totals, exchange);
  sum.now_ps = part.now_ps;
  sum.horizon_ps = part.horizon_ps;
  sum.deadlock = part.deadlock;  // all ranks have judged the same queues
  return sum;
}

std::vector<StuckQueue> gathered(const std::vector<StuckQueue>& part, Exchange& exchange) {
  std::vector<u64> words;
  for (const StuckQueue& queue : part) {
    words.push_back(queue.queue);
    words.push_back(queue.holds_from.size());
    words.insert(words.end(), queue.holds_from.begin(), queue.holds_from.end());
  }
  std::vector<StuckQueue> all;
  for (const std::vector<u64>& from : exchange.gather(words)) {
    for (std::size_t i = 0; i < from.size(); i += 2 + from[i + 1]) {
      StuckQueue queue{static_cast<u32>(from[i]), {}};
      for (u64 k = 0; k < from[i + 1]; ++k) queue.holds_from.push_back(static_cast<u32>(from[i + 2 + k]));
      all.push_back(std::move(queue));
    }
  }
  std::sort(all.begin(), all.end(), [](const StuckQueue& a, const StuckQueue& b) { return a.queue < b.queue; });
  return all;
}

std::vector<Event> gathered(const std::vector<Event>& part, Exchange& exchange) {
  std::vector<u64> words;
  append_records(words, std::span<const Event>(part));
  std::vector<Event> all;
  for (const std::vector<u64>& from : exchange.gather_at_first(words)) {
    const std::vector<Event> events = records_of<Event>(from);
    all.insert(all.end(), events.begin(), events.end());
  }
  sort_events(all);
  return all;
}

std::vector<MessageOutcome> gathered_messages(const Engine& part, u64 count, Exchange& exchange) {
  const bool first_rank = exchange.rank() == 0;
  std::vector<MessageOutcome> messages(first_rank ? count : std::min(count, kChunk));
  for (u64 first = 0; first < count; first += kChunk) {
    const std::span chunk = std::span(messages).subspan(first_rank ? first : 0, std::min(count - first, kChunk));
    part.messages(first, chunk);
    sum_at_first(chunk, exchange);
  }
  if (!first_rank) messages.clear();
  return messages;
}

std::vector<LinkOutcome> gathered_links(const Engine& part, u64 count, Exchange& exchange) {
  std::vector<LinkOutcome> links(count);
  part.links(links);
  for (u64 first = 0; first < count; first += kChunk)
    sum_at_first(std::span(links).subspan(first, std::min(count - first, kChunk)), exchange);
  if (exchange.rank() != 0) links.clear();
  return links;
}

}  // namespace heddle
