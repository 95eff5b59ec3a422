#include "host/check/estimates/run_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <exception>

#include "host/base/quantity_text.hpp"
#include "host/check/estimates/computing.hpp"
#include "host/check/estimates/first_moments.hpp"
#include "host/check/estimates/tcp_timeouts.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/controller/settings.hpp"
#include "io/results/writer.hpp"
#include "kernels/base/units.hpp"
#include "kernels/engine/engine.hpp"
#include "kernels/state/collective.hpp"
#include "partition/cut/expected_packets.hpp"

namespace heddle {
namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

RunSample sample(const Engine& engine, double began_s) {
  return {engine.now_ps(), engine.ticks(), engine.totals().packet_hops, cpu_seconds() - began_s};
}

/// Seconds per packet-hop of a fabric of 128 GPUs at full load, whose state fits into the caches.
double stock_hop_s() {
  const World world = build_world(
      "[simulation]\nhorizon = \"60 us\"\n[topology]\nkind = \"ai_zone\"\nracks = 8\n"
      "[[generator]]\nkind = \"permutation\"\nbytes = \"4 MiB\"\n",
      "stock case");
  Engine engine(world, {.memory_limit_bytes = u64{64} << 20});
  engine.advance(20'000'000);
  const RunSample warm = sample(engine, cpu_seconds());
  const double began_s = cpu_seconds();
  engine.advance(60'000'000);
  const RunSample end = sample(engine, began_s);
  return end.cpu_s / static_cast<double>(std::max<u64>(end.packet_hops - warm.packet_hops, 1));
}

/// The slowdown of state outside the caches: tests/bench measures 69 ns a hop at 20 MB of state and 222 ns at 1.7 GB.
double out_of_cache(const Cost& cost) {
  const double bytes = static_cast<double>(cost.memory.state_bytes() + cost.packet_bytes);
  return 1 + 2.2 * std::clamp(std::log2(bytes / 20e6) / std::log2(85), 0.0, 1.0);
}

/// Notes whether the trial ended with a failure, and timeouts that no loss explains.
void note_end(Engine& engine, Calibration& out) {
  const Totals totals = engine.totals();
  const bool lossless = std::ranges::all_of(totals.drops, [](u64 drops) { return drops == 0; });
  if (lossless) out.needless_timeouts = totals.timeouts;
  out.sent_again = totals.retransmits;
  out.memory_bytes = engine.memory_bytes();
  if (!out.over) return;
  const Outcome outcome = engine.outcome();
  out.end.now_ps = outcome.end_ps;
  if (outcome.reason == EndReason::complete || outcome.reason == EndReason::horizon) return;
  out.failure =
      fmt::format("{} at {}: {}", status_name(outcome.reason), time_text(outcome.end_ps), outcome.explanation);
}

/// Advances by as many ticks as probably fit into a tenth of the time, repeatedly.
void run_for(Engine& engine, const World& world, double cpu_s, u64 max_ticks, Calibration& out) {
  const double began_s = cpu_seconds();
  out.middle = sample(engine, began_s);
  bool on = true;
  while (on && out.end.cpu_s < cpu_s && out.end.ticks < max_ticks) {
    const double per_ps = out.end.cpu_s / static_cast<double>(std::max<TimePs>(out.end.now_ps, 1));
    const TimePs tick = world.clocks.tick_ps;
    TimePs step =
        out.end.ticks == 0 ? tick : std::min(out.end.now_ps, static_cast<TimePs>(std::min(0.1 * cpu_s / per_ps, 1e15)));
    if (max_ticks != ~u64{0}) step = std::min<TimePs>(step, static_cast<TimePs>(max_ticks / 10 + 1) * tick);
    on = engine.advance(engine.now_ps() + std::max(step, tick));
    out.end = sample(engine, began_s);
    const bool half = max_ticks == ~u64{0} ? out.end.cpu_s < cpu_s / 2 : out.end.ticks < max_ticks / 2;
    if (on && half) out.middle = out.end;
  }
  out.over = !on && !engine.exhausted();
  out.measured = true;
  note_end(engine, out);
}

/// The time of the fullest link at full speed, if every equal next hop takes an equal share; 0: unknown.
TimePs evenly_shared_ps(const World& world) {
  constexpr u64 kMaxDemands = 10'000'000;  // more take seconds to spread
  if (world.traffic.messages.size() + count_connections(world.collectives) > kMaxDemands) return 0;
  const ExpectedPackets packets = expect_packets(world);
  if (packets.uniform) return 0;
  double longest = 0;
  const auto wire_bytes = static_cast<u32>(mean_packet(world, payload_by_transport(world)).wire_bytes);
  for (LinkId l = 0; l < world.fabric.links.size(); ++l) {
    const double packet_ps = static_cast<double>(ser_ps(wire_bytes, world.fabric.links[l].ps_per_byte_q16));
    longest = std::max(longest, packet_ps * static_cast<double>(packets.parts[l]) / kPacketParts);
  }
  return static_cast<TimePs>(std::min(longest, 4e18));
}

TimePs longest_latency_ps(const World& world) {
  TimePs longest = 0;
  for (const Link& link : world.fabric.links) longest = std::max(longest, link.lambda_ps);
  return longest;
}

/// The time until collectives reach their steady pace: slices have then travelled the longest paths several times.
TimePs pace_ps(const World& world) { return 20 * longest_latency_ps(world); }

/// When the last message is posted.
TimePs last_post_ps(const World& world) {
  TimePs last = 0;
  for (const Message& m : world.traffic.messages) last = std::max(last, m.post_ps);
  return last;
}

/// The time of all collectives, from the pace of slices in the calibration's second half, which ran the first ones.
double collectives_ps(const World& world, const Calibration& c) {
  const double hops = static_cast<double>(c.end.packet_hops - c.middle.packet_hops);
  const double ps = static_cast<double>(c.end.now_ps - c.middle.now_ps);
  if (hops == 0 || ps == 0) return 0;
  const CollectiveWork all = collective_work(world), first = first_collective_work(world);
  return first.slices == 0 ? 0 : all.slices * (first.packet_hops / first.slices) / hops * ps;
}

/// The time that the NICs of all-to-alls in closed form need at full speed; 0: less than a latency, so unknown.
TimePs all_pairs_ps(const World& world) {
  const CollectivePlan& plan = world.collectives;
  double longest_ps = 0;
  for (const Job& job : plan.jobs) {
    if (!job.all_pairs) continue;
    double bytes = 0;  // bytes of one connection
    for_each_schedule(
        plan, job, 0, job.groups[0].first_connection,
        [&](const Collective&, const SliceSchedule& schedule) { bytes += static_cast<double>(bytes_of(schedule)); });
    const u64 pairs_per_rank = network_pairs(job) / job.ranks.size();  // every rank has as many
    bytes *= static_cast<double>(pairs_per_rank * job.all_pairs.channels);
    for (const EndpointId gpu : job.ranks)
      longest_ps = std::max(longest_ps, bytes * nic_ps_per_byte(world.fabric, gpu));
  }
  return longest_ps < static_cast<double>(longest_latency_ps(world)) ? 0
                                                                     : static_cast<TimePs>(std::min(longest_ps, 4e18));
}

/// Whether the trial came to the run's pace: before that, connections are created and have no steady pace.
bool is_paced(const World& world, const Calibration& c) { return c.measured && c.end.now_ps >= pace_ps(world); }

/// Estimates the simulated time and its certainty: by the pace of the trial where it has one, else the least that
/// links, posting and computing need.
void expect_simulated(const World& world, const LinkLoads& loads, bool sends_again, const Calibration& c,
                      RunTime& time) {
  const TimePs links_ps = loads.known() ? fullest_link_ps(world, loads) : evenly_shared_ps(world);
  const TimePs network_ps = std::max(links_ps, all_pairs_ps(world)), computing_ps = computing_end_ps(world);
  time.simulated_ps = std::max({network_ps, last_post_ps(world), c.end.now_ps, computing_ps});
  time.simulated = network_ps == 0 && computing_ps == 0 ? Sure::not_known : Sure::at_least;
  // how much of the network is hidden behind computations, and how much is retransmitted, is unknown
  const bool goes_on_so = is_paced(world, c) && computing_ps == 0 && !sends_again;
  if (const double paced_ps = goes_on_so ? collectives_ps(world, c) : 0; paced_ps > 0) {
    time.simulated = Sure::about;
    time.simulated_ps = std::max(time.simulated_ps, static_cast<TimePs>(std::min(paced_ps, 4e18)));
  }
  if (time.simulated_ps < world.clocks.horizon_ps) return;
  time.simulated_ps = world.clocks.horizon_ps;
  time.simulated = Sure::exactly;
}

std::string word(Sure sure) {
  return sure == Sure::about ? "about " : sure == Sure::at_least ? "at least " : sure == Sure::roughly ? "some " : "";
}

std::string wall_text(const RunTime& time) {
  if (time.cpu_s < 1) return time.cpu == Sure::at_least ? "at least some moments" : "less than a second";
  const std::string text = word(time.cpu) + seconds_text(time.cpu_s);
  return time.min_cpu_s < 1 ? text : text + ", at least " + seconds_text(time.min_cpu_s);
}

RunTime run_time_of_trial(const Calibration& c) {
  return {c.end.now_ps, static_cast<double>(c.end.ticks), c.end.cpu_s, 0, Sure::exactly, Sure::about};
}

/// The largest cost of visiting a node, in packet-hops.
constexpr double kDearestLook = 5;

/// Run time when only the least simulated time is known: packets alone, as if all state fitted into the caches, are the
/// lower bound. The method is the same with and without a trial, as a short trial sees connections being created.
RunTime min_run_time(const World& world, const Cost& cost, const Calibration& c, RunTime time) {
  const double nodes = static_cast<double>(world.fabric.nodes.size());
  const double tick_ps = static_cast<double>(world.clocks.tick_ps);
  double busy = 1;  // ticks that are not skipped
  if (is_paced(world, c))
    busy = std::min(1.0, static_cast<double>(c.end.ticks) * tick_ps / static_cast<double>(c.end.now_ps));
  time.ticks = static_cast<double>(time.simulated_ps) / tick_ps * busy;
  time.min_cpu_s = std::max(c.end.cpu_s, cost.packet_hops * c.hop_s);
  time.cpu_s = std::max(c.end.cpu_s, (cost.packet_hops * out_of_cache(cost) + time.ticks * nodes) * c.hop_s);
  time.cpu = Sure::roughly;
  return time;
}

/// State of the collectives that first_moments() leaves out.
u64 steps_bytes(const World& world) {
  return world.collectives.collectives.size() * (sizeof(CollectiveStep) + sizeof(CollectiveOutcome));
}

void try_out(const World& world, u64 state_bytes, double cpu_s, u64 max_ticks, Calibration& out) {
  Engine engine(world, {.memory_limit_bytes = state_bytes + (u64{512} << 20)});
  run_for(engine, world, cpu_s, max_ticks, out);
}

}  // namespace

std::string seconds_text(double s) {
  return s < 1            ? "less than a second"
         : s < 120        ? fmt::format("{:.0f} s", s)
         : s < 2 * 3600   ? fmt::format("{:.0f} min", s / 60)
         : s < 72 * 3600. ? fmt::format("{:.0f} hours", s / 3600)
                          : fmt::format("{:.0f} days", s / 86400);
}

Calibration calibrate(const World& world, const Cost& cost, double cpu_s, u64 max_ticks) {
  Calibration out;
  out.without_controller = demands_are_measured(world);
  out.timer = shortest_timer(world);
  try {
    out.hop_s = stock_hop_s();
    constexpr u64 kMaxBytes = u64{1} << 30;  // half a second to make
    const u64 state_bytes = cost.memory.state_bytes(), steps = steps_bytes(world);
    // `heddle check` shall take at most half of the memory of the run, where only its length is large
    const u64 here_bytes = kProgramBytes + cost.memory.table_bytes() + state_bytes;
    const bool long_run = 2 * here_bytes > peak_bytes(cost.memory, state_bytes) && 2 * steps > state_bytes;
    if (state_bytes <= kMaxBytes && !long_run) {
      try_out(world, state_bytes, cpu_s, max_ticks, out);
    } else if (state_bytes - steps <= kMaxBytes / 2) {
      constexpr u64 kCollectives = 100'000;  // some 20 MB
      const World first = first_moments(world, kCollectives);
      try_out(first, memory_need(first, counts_of(first)).state_bytes(), cpu_s, max_ticks, out);
      out.over = out.over && !out.failure.empty();  // the end of `first` is not that of the run
    }
  } catch (const std::exception& error) {
    out = {};
    out.refusal = error.what();
  }
  return out;
}

RunTime expected_run_time(const World& world, const Cost& cost, const LinkLoads& loads, bool sends_again,
                          const Calibration& c) {
  if (c.over) return run_time_of_trial(c);
  sends_again = sends_again || c.needless_timeouts != 0;
  RunTime time;
  expect_simulated(world, loads, sends_again, c, time);
  if (time.simulated == Sure::at_least || time.simulated == Sure::not_known) return min_run_time(world, cost, c, time);
  time.cpu = c.measured ? Sure::about : Sure::roughly;
  if (sends_again) time.cpu = Sure::at_least;
  const bool is_cut = time.simulated_ps == world.clocks.horizon_ps;

  // The time per packet-hop, and the remaining time: visits to nodes, tick by tick.
  const RunSample from = c.end.ticks > c.middle.ticks ? c.middle : RunSample{};  // else no ticks since the middle
  const double hops = static_cast<double>(c.end.packet_hops - from.packet_hops);
  const double ticks = static_cast<double>(c.end.ticks - from.ticks), cpu_s = c.end.cpu_s - from.cpu_s;
  double hop_s = c.hop_s * out_of_cache(cost);
  double tick_s = static_cast<double>(world.fabric.nodes.size()) * c.hop_s;
  double busy = 1;  // ticks that are not skipped
  if (c.measured && ticks > 0) {
    if (hops > 0) hop_s = std::min(hop_s, cpu_s / hops);
    const double spent_s = std::max(0.0, cpu_s - hop_s * hops) / ticks;
    tick_s =
        is_paced(world, c) ? spent_s : std::min(spent_s, kDearestLook * tick_s);  // else memory is still being created
    busy = ticks * static_cast<double>(world.clocks.tick_ps) / static_cast<double>(c.end.now_ps - from.now_ps);
  }
  const double rest_ps = static_cast<double>(time.simulated_ps - std::min(c.end.now_ps, time.simulated_ps));
  const double rest_ticks = rest_ps / static_cast<double>(world.clocks.tick_ps) * std::min(busy, 1.0);
  double rest_hops = std::max(0.0, cost.packet_hops - static_cast<double>(c.end.packet_hops));
  if (is_cut && world.traffic.messages.empty() && c.measured && c.end.now_ps > from.now_ps)
    rest_hops = std::min(rest_hops, hops / static_cast<double>(c.end.now_ps - from.now_ps) * rest_ps);
  time.ticks = static_cast<double>(c.end.ticks) + rest_ticks;
  time.cpu_s = c.end.cpu_s + rest_ticks * tick_s + rest_hops * hop_s;
  const double packets_s = (static_cast<double>(c.end.packet_hops) + rest_hops) * hop_s;
  if (time.cpu_s > 0) time.packets_share = std::min(1.0, packets_s / time.cpu_s);
  return time;
}

std::string trial_warning(const Calibration& c) {
  if (!c.failure.empty()) {
    return fmt::format("the run was tried here{} and it ended early: {}",
                       c.without_controller ? ", without the controller that measures," : "", c.failure);
  }
  if (c.needless_timeouts == 0) return {};
  return fmt::format(
      "in the first {}, run here, {} retransmission timeouts fired though nothing was dropped, and {} packets were "
      "sent again: {} is shorter than packets and their ACKs wait; give a larger one, or what the run takes is "
      "not known",
      time_text(c.end.now_ps), c.needless_timeouts, c.sent_again, c.timer);
}

std::string run_time_text(const RunTime& time, const Calibration& c) {
  const std::string tried = c.without_controller ? ", without the controller that measures" : "";
  const std::string how = c.over       ? "it was run" + tried
                          : c.measured ? fmt::format("from the first {}, run here{}", time_text(c.end.now_ps), tried)
                          : c.refusal.empty() ? "too large for a trial run here: by its size alone"
                                              : "it could not be tried: " + c.refusal;
  if (!time.known()) {
    return fmt::format(
        "run time   not known; its packets alone take {} on one core of this machine: how much simulated time it takes "
        "cannot be said beforehand ({}); give a simulation.horizon and see how far it comes\n",
        wall_text(time), how);
  }
  const std::string parts = time.packets_share < 0
                                ? ""
                                : fmt::format("; packets take {:.0f} % of it, visits to nodes without packets the rest",
                                              100 * time.packets_share);
  return fmt::format("run time   {} on one core of this machine: {} of simulated time in {:.3g} ticks{} ({})\n",
                     wall_text(time), word(time.simulated) + time_text(time.simulated_ps), time.ticks, parts, how);
}

}  // namespace heddle
