#include "partition/halo/apart_engines.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>

#include "kernels/outcome/events.hpp"
#include "kernels/outcome/totals.hpp"

namespace heddle {
namespace {

/// Of the memory that there is for queued packets, as much as a part has of all links.
u64 memory_of(const World& world, const Part& part, u64 limit_bytes) {
  if (limit_bytes == 0) return 0;
  const auto& links = world.fabric.links;
  const auto is_own = [&](const Link& link) { return part.rank_of_node[link.src] == part.rank; };
  const double share = static_cast<double>(std::ranges::count_if(links, is_own)) / static_cast<double>(links.size());
  return std::max(static_cast<u64>(share * static_cast<double>(limit_bytes)), u64{1});
}

void add(Totals& sum, const Totals& part) {
  std::vector<u64> terms;
  for_each_sum(part, [&](const char* /*name*/, u64 term) { terms.push_back(term); });
  auto term = terms.begin();
  for_each_sum(sum, [&](const char* /*name*/, u64& total) { total += *term++; });
  sum.largest_reordering_packets = std::max(sum.largest_reordering_packets, part.largest_reordering_packets);
}

void add(LinkCounters& sum, const LinkCounters& part) {
  sum.sent_bytes += part.sent_bytes;
  sum.queue_bytes += part.queue_bytes;
  sum.paused_ps += part.paused_ps;
  sum.ecn_marks += part.ecn_marks;
  sum.drops += part.drops;
}

}  // namespace

ApartEngines::ApartEngines(const World& world, const EngineOptions& options, const std::vector<Part>& parts)
    : meeting_(static_cast<u32>(parts.size())) {
  for (const Part& part : parts) {
    EngineOptions own = options;
    own.part = part;
    own.memory_limit_bytes = memory_of(world, part, options.memory_limit_bytes);
    members_.push_back(std::make_unique<Member>(world, own, meeting_));
  }
}

/// Calls it for every part at the same time, as calls wait for each other. When one throws, so does this, and nothing
/// can be done with any of them any more.
void ApartEngines::at_all(const std::function<void(RankedEngine&, bool is_first)>& call) const {
  std::exception_ptr error;  // the first one, which is the cause of the others
  std::mutex error_mutex;
  const auto call_one = [&](const std::unique_ptr<Member>& member) {
    try {
      call(member->engine, member == members_[0]);
    } catch (...) {
      const std::lock_guard lock(error_mutex);
      if (!error) error = std::current_exception();
      meeting_.fail();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < members_.size(); ++i) threads.emplace_back(call_one, std::cref(members_[i]));
  call_one(members_[0]);
  for (std::thread& thread : threads) thread.join();
  if (error) std::rethrow_exception(error);
}

bool ApartEngines::advance(TimePs until, OnRepetition on_repetition) {
  return of_first([&](RankedEngine& engine) { return engine.advance(until, on_repetition); });
}

std::vector<Skip> ApartEngines::skips() const {
  return of_first([](RankedEngine& engine) { return engine.skips(); });
}

Totals ApartEngines::totals() const {
  Totals sum = first().totals_here();
  for (std::size_t i = 1; i < members_.size(); ++i) add(sum, members_[i]->engine.totals_here());
  return sum;
}

void ApartEngines::link_counters(std::span<LinkCounters> out) {
  first().link_counters_here(out);
  std::vector<LinkCounters> own(out.size());
  for (std::size_t i = 1; i < members_.size(); ++i) {
    members_[i]->engine.link_counters_here(own);
    for (std::size_t l = 0; l < out.size(); ++l) add(out[l], own[l]);
  }
}

std::vector<Event> ApartEngines::take_events() {
  std::vector<Event> events;
  for (const auto& member : members_) {
    const std::vector<Event> own = member->engine.take_events_here();
    events.insert(events.end(), own.begin(), own.end());
  }
  sort_events(events);
  return events;
}

Outcome ApartEngines::outcome() {
  return of_first([](RankedEngine& engine) { return engine.outcome(); });
}

u64 ApartEngines::state_digest() {
  return of_first([](RankedEngine& engine) { return engine.state_digest(); });
}

bool ApartEngines::can_save() {
  return of_first([](RankedEngine& engine) { return engine.can_save(); });
}

void ApartEngines::save(const RecordSink& sink) {
  at_all([&](RankedEngine& engine, bool /*is_first*/) { engine.save(sink); });
}

bool ApartEngines::needs(u64 record_head) const {
  return std::ranges::any_of(members_, [&](const auto& member) { return member->engine.needs(record_head); });
}

void ApartEngines::load(std::span<const u64> records) {
  for (const auto& member : members_) member->engine.load(records);
}

void ApartEngines::go_on_at(TimePs now_ps) {
  at_all([&](RankedEngine& engine, bool /*is_first*/) { engine.go_on_at(now_ps); });
}

void ApartEngines::visit_received(const ReceivedVisitor& visit) const {
  for (const auto& member : members_) member->engine.visit_received(visit);
}

u64 ApartEngines::memory_bytes() const {
  return of_first([](RankedEngine& engine) { return engine.memory_bytes(); });
}

u64 ApartEngines::ticks() const {
  return of_first([](RankedEngine& engine) { return engine.ticks(); });
}

}  // namespace heddle
