#include "tests/property/skipping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "partition/cut/apart.hpp"
#include "partition/halo/apart_engines.hpp"
#include "tests/property/random_cut.hpp"
#include "tests/property/ranks.hpp"

namespace heddle::property {
namespace {

constexpr u64 kPacketMemoryBytes = 64 << 20;

/// Where a run is looked at in between. Who asks for a state lets a part that waits catch up; who asks for a row does
/// not.
struct Stop {
  TimePs at_ps;
  bool is_row;
  auto operator<=>(const Stop&) const = default;
};

/// Five on no grid, and some where rows of a series are to be.
std::vector<Stop> stops_of(TimePs end_ps, TimePs rows_every_ps) {
  std::vector<Stop> stops;
  for (i64 i = 1; i <= 5; ++i) stops.push_back({end_ps / 97 * (19 * i) + 13 * i, false});
  for (i64 i = 0; i < 40 && rows_every_ps != 0; ++i)
    stops.push_back({(end_ps / rows_every_ps * i / 40 + 1) * rows_every_ps, true});
  std::ranges::sort(stops);
  return stops;
}

/// What a run has said, at instants in between and at its end.
struct Said {
  std::vector<u64> states;
  std::vector<std::vector<LinkCounters>> counters;
  Outcome outcome;
  u64 skipped_hops = 0;
};

template <class AnyEngine>
void skip_hops(Said& said, const AnyEngine& engine) {
  for (const Skip& skip : engine.skips()) said.skipped_hops += skip.packet_hops;
}

/// One engine, or some for components that do not touch each other.
std::unique_ptr<WorldEngine> engine_of(const World& world, const EngineOptions& options, u32 most_apart) {
  const std::vector<Part> parts = parts_apart(world, most_apart);
  if (parts.empty()) return std::make_unique<RankedEngine>(world, options);
  return std::make_unique<ApartEngines>(world, options, parts);
}

/// Saves what an engine is, and lets another one go on, divided in another way.
std::unique_ptr<WorldEngine> restarted(const World& world, const EngineOptions& options, u32 most_apart,
                                       WorldEngine& engine) {
  std::vector<u64> words;
  engine.save([&](std::span<const u64> block) { words.insert(words.end(), block.begin(), block.end()); });
  auto next = engine_of(world, options, most_apart);
  next->load(words);
  next->go_on_at(engine.now_ps());
  return next;
}

/// Goes on to the stop; whether the run goes on.
bool look_at(const World& world, WorldEngine& engine, const Stop& stop, Said& said) {
  if (!engine.advance(stop.at_ps)) return false;
  if (!stop.is_row) said.states.push_back(engine.state_digest());
  said.counters.emplace_back(world.fabric.links.size());
  engine.link_counters(said.counters.back());
  return true;
}

Said run(const World& world, const SkippingWay& way, const EngineOptions& options, const std::vector<Stop>& stops) {
  Said said;
  auto engine = engine_of(world, options, way.most_apart);
  bool goes_on = true;
  for (const Stop& stop : stops) {
    goes_on = look_at(world, *engine, stop, said);
    if (!goes_on) break;
    const std::size_t states = said.states.size();
    if (way.restarts && !stop.is_row && states % 2 == 0) {
      skip_hops(said, *engine);
      engine = restarted(world, options, states == 2 ? 1 : way.most_apart, *engine);
    }
  }
  while (goes_on) goes_on = engine->advance(kNever);
  said.outcome = engine->outcome();
  skip_hops(said, *engine);
  return said;
}

/// In every rank; what the first one says.
Said run_in_ranks(const World& world, const SkippingWay& way, const EngineOptions& options,
                  const std::vector<Stop>& stops) {
  return in_ranks(world, options, random_cut(world, way.ranks, way.cut_seed), [&](RankedEngine& engine) {
    Said said;
    bool goes_on = true;
    for (const Stop& stop : stops) {
      goes_on = look_at(world, engine, stop, said);
      if (!goes_on) break;
    }
    while (goes_on) goes_on = engine.advance(kNever);
    said.outcome = engine.outcome();
    skip_hops(said, engine);
    return said;
  });
}

std::string difference_of(const Outcome& a, const Outcome& b) {
  const auto same = [](const CollectiveOutcome& x, const CollectiveOutcome& y) {
    return x.first_enter_ps == y.first_enter_ps && x.last_enter_ps == y.last_enter_ps &&
           x.first_finish_ps == y.first_finish_ps && x.last_finish_ps == y.last_finish_ps;
  };
  const auto same_message = [](const MessageOutcome& x, const MessageOutcome& y) {
    return x.start_ps == y.start_ps && x.received_ps == y.received_ps && x.acked_ps == y.acked_ps &&
           x.ecn_marks == y.ecn_marks && x.received_bytes == y.received_bytes;
  };
  if (a.reason != b.reason || a.end_ps != b.end_ps)
    return fmt::format("it ends at {} ps ({}), not at {} ({})", b.end_ps, static_cast<u32>(b.reason), a.end_ps,
                       static_cast<u32>(a.reason));
  if (a.totals.packet_hops != b.totals.packet_hops || a.totals.data_packets_received != b.totals.data_packets_received)
    return fmt::format("{} packet-hops instead of {}", b.totals.packet_hops, a.totals.packet_hops);
  if (!std::ranges::equal(a.collectives, b.collectives, same)) return "collectives have other times";
  if (!std::ranges::equal(a.messages, b.messages, same_message)) return "messages have other times";
  if (a.links != b.links) return "links have other counts";
  if (a.event_digest != b.event_digest || a.digest != b.digest) return "the digest is another";
  return "";
}

}  // namespace

SkippingComparison compare_skipping(const World& world, const SkippingWay& way) {
  const auto with_memory = [](EngineOptions all, bool skips) {
    all.memory_limit_bytes = kPacketMemoryBytes;
    all.skips = skips;
    return all;
  };
  const Said first = run(world, {}, with_memory({}, false), {});
  const std::vector<Stop> stops = stops_of(first.outcome.end_ps, way.options.rows_every_ps);
  const Said all = run(world, {}, with_memory({}, false), stops);
  const EngineOptions options = with_memory(way.options, true);
  const Said some = way.ranks > 1 ? run_in_ranks(world, way, options, stops) : run(world, way, options, stops);
  SkippingComparison result{difference_of(all.outcome, some.outcome), all.outcome.totals.packet_hops,
                            some.skipped_hops};
  if (!result.difference.empty()) return result;
  if (all.states != some.states) result.difference = "the state in between is another";
  if (all.counters != some.counters) result.difference = "counters of links in between are others";
  return result;
}

SkippingWay skipping_way(u64 index) {
  SkippingWay way;
  way.restarts = index % 3 == 0;
  way.options.rows_every_ps = index % 5 < 2 ? 0 : 3'000'000 + static_cast<TimePs>(index % 5 * 1'234'567);
  way.most_apart = index % 4 == 0 ? 1 : static_cast<u32>(index % 4) + 1;
  EngineOptions& options = way.options;
  switch (index % 7) {
    case 1:
      options.threads = 2;
      options.sharing_from_nodes = 0;
      break;
    case 2:
      options.shuffled = true;
      options.shuffle_seed = index;
      break;
    case 3:
      options.numbering_seed = index;
      break;
    case 4:
    case 5:
    case 6:
      way.ranks = static_cast<u32>(index % 7) - 2;  // 2 to 4
      way.cut_seed = index;
      break;
    default:
      break;
  }
  return way;
}

}  // namespace heddle::property
