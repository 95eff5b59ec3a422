#include "tests/property/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "kernels/outcome/events.hpp"
#include "kernels/outcome/totals.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/property/run_variant.hpp"

namespace heddle::property {
namespace {

constexpr u32 kAllKinds = (1u << kEventKindCount) - 1;

constexpr std::array<const char*, kEventKindCount> kKindNames = {
    "depart",   "mark",       "pause",     "resume",       "drop",          "cnp",     "retransmit",
    "timeout",  "msg_receiv", "msg_ack",   "rank_entered", "rank_finished", "failure", "iteration_ended",
    "cts_wait", "gpu_time",   "tcp_window"};
constexpr std::array<const char*, 6> kReasonNames = {"complete", "horizon",   "stalled",
                                                     "deadlock", "qp_failed", "error"};

std::string text_of(const Event& e) {
  const u32 kind = static_cast<u32>(e.kind);
  std::string text =
      fmt::format("t={} node {} port {} class {} {}", e.time_ps, e.node, e.port, e.cls, kKindNames[kind]);
  const bool packet = e.kind == EventKind::depart || e.kind == EventKind::mark || e.kind == EventKind::drop ||
                      e.kind == EventKind::retransmit;
  if (packet) {
    constexpr std::array<const char*, 7> kPackets = {"data", "ack", "nak", "cnp", "cts", "cts_ack", "cts_nak"};
    const u64 packet_kind = (e.value >> 24) & 15;
    text += fmt::format(" {} to endpoint {} qp {} psn {}", packet_kind < kPackets.size() ? kPackets[packet_kind] : "?",
                        e.value >> 44, (e.value >> 28) & 0xffff, e.value & 0xffffff);
  } else {
    text += fmt::format(" value {} | {}", e.value >> 32, e.value & 0xffffffff);
  }
  return text + (e.detail != 0 ? fmt::format(" detail {}", e.detail) : "");
}

class Report {
 public:
  template <class T>
  void compare(const std::string& what, const T& oracle, const T& engine) {
    if (oracle == engine || ++lines_ > kMaxLines) return;
    text_ += fmt::format("  {}: oracle {}, engine {}\n", what, oracle, engine);
  }
  template <class T, std::size_t n>
  void compare(const std::string& what, const T (&oracle)[n], const T (&engine)[n]) {
    for (std::size_t i = 0; i < n; ++i) compare(fmt::format("{} {}", what, i), oracle[i], engine[i]);
  }
  const std::string& text() const { return text_; }

 private:
  static constexpr u32 kMaxLines = 12;
  u32 lines_ = 0;
  std::string text_;
};

void compare_totals(const Totals& a, const Totals& b, Report& report) {
  for_each_total_of_two(a, b, [&](const char* name, u64 oracle, u64 engine) { report.compare(name, oracle, engine); });
}

template <class Row>
void compare_rows(const std::string& name, const std::vector<Row>& a, const std::vector<Row>& b, Report& report) {
  report.compare(name + "s", a.size(), b.size());
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] == b[i]) continue;
    for_each_column<Row>([&](const auto& column) {
      report.compare(fmt::format("{} {} {}", name, i, column.name), a[i].*column.member, b[i].*column.member);
    });
  }
}

std::string window(const std::vector<Event>& events, std::size_t at) {
  std::string text;
  for (std::size_t i = at > 5 ? at - 5 : 0; i < std::min(at + 4, events.size()); ++i) {
    text += fmt::format("    {} {}\n", i == at ? ">" : " ", text_of(events[i]));
  }
  return text;
}

std::vector<Event> sorted(std::vector<Event> events) {
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return order_of(a) < order_of(b); });
  return events;
}

std::vector<Event> events_of_oracle(const World& world) { return sorted(simulate(world, {true, kAllKinds}).events); }

std::vector<Event> events_of_engine(const World& world, const Variant& variant, TimePs end_ps) {
  return sorted(run_variant(world, variant, {.recorded_kinds = kAllKinds, .end_ps = end_ps}).outcome.events);
}

/// Returns the first event that differs, with its neighbours; both inputs are ordered.
std::string first_different_event(const std::vector<Event>& oracle, const std::vector<Event>& engine) {
  std::size_t at = 0;
  while (at < oracle.size() && at < engine.size() && order_of(oracle[at]) == order_of(engine[at])) ++at;
  if (at == oracle.size() && at == engine.size()) return {};
  return fmt::format("  first difference at event {} of {} (oracle) and {} (engine)\n  oracle:\n{}  engine:\n{}", at,
                     oracle.size(), engine.size(), window(oracle, at), window(engine, at));
}

/// The world with the variant's tick. Slots and epochs stay, so the result must stay, too.
World with_tick_of(const Variant& variant, World world) {
  Clocks& clocks = world.clocks;
  const TimePs bound_ps = std::max<TimePs>(clocks.tick_ps / variant.tick_divisor, 1);
  const TimePs slot_ps = TimePs{1} << clocks.slot_log2_ps, slots = clocks.epoch_ps / slot_ps;
  if (variant.tick_divisor == 1) return world;
  clocks.tick_ps = slot_ps;  // ticks nest with slots and epochs: multiples of the slot that divide the epoch, or parts
  for (TimePs n = slots; n >= 1; --n) {
    if (slots % n == 0 && clocks.epoch_ps / n <= bound_ps) clocks.tick_ps = clocks.epoch_ps / n;
  }
  while (clocks.tick_ps > bound_ps) clocks.tick_ps /= 2;
  return world;
}

}  // namespace

std::string differences(const Outcome& oracle, const Outcome& engine) {
  Report report;
  const auto name = [](EndReason reason) { return std::string(kReasonNames[static_cast<u32>(reason)]); };
  report.compare("reason", name(oracle.reason), name(engine.reason));
  report.compare("end", oracle.end_ps, engine.end_ps);
  report.compare("event digest", oracle.event_digest, engine.event_digest);
  compare_totals(oracle.totals, engine.totals, report);
  compare_rows("message", oracle.messages, engine.messages, report);
  compare_rows("collective", oracle.collectives, engine.collectives, report);
  compare_rows("iteration", oracle.iterations, engine.iterations, report);
  compare_rows("link", oracle.links, engine.links, report);
  if (report.text().empty()) return {};
  return report.text() +
         fmt::format("  oracle says \"{}\", engine says \"{}\"\n", oracle.explanation, engine.explanation);
}

Comparison::Comparison(const World& world) : world_(world), oracle_(simulate(world, {.trace = true})) {
  const TimePs epochs = oracle_.end_ps / world.clocks.epoch_ps;
  for (TimePs part = 1; part <= 3; ++part) {
    const TimePs stop = (epochs * part / 4 + 1) * world.clocks.epoch_ps;
    if (stops_ps_.empty() || stop > stops_ps_.back()) stops_ps_.push_back(stop);
  }
}

std::string Comparison::check(const Variant& variant) {
  const World world = with_tick_of(variant, world_);
  const Run run = run_variant(world, variant, {.stops_ps = stops_ps_, .end_ps = oracle_.end_ps});
  std::string difference = differences(oracle_, run.outcome);
  if (!difference.empty())
    difference += first_different_event(events_of_oracle(world), events_of_engine(world, variant, oracle_.end_ps));
  Report report;
  const Totals& totals = oracle_.totals;
  report.compare("marks summed over the links", totals.marks, run.link_marks);
  if (world.traffic.slow_receivers.empty()) {  // a NIC's own drops belong to no switch port
    report.compare("drops summed over the links",
                   std::accumulate(std::begin(totals.drops), std::end(totals.drops), u64{0}), run.link_drops);
  }
  difference += report.text();
  if (state_digests_.empty()) {
    state_digests_ = run.state_digests;
    digest_ = run.outcome.digest;
  }
  if (digest_ != run.outcome.digest) {
    difference +=
        fmt::format("  result digest {:016x} is not that of the first variant, {:016x}\n", run.outcome.digest, digest_);
  }
  for (std::size_t i = 0; i < stops_ps_.size(); ++i) {
    const bool over = state_digests_[i] == kEnded || run.state_digests[i] == kEnded;  // may be seen a tick later
    if (over || state_digests_[i] == run.state_digests[i]) continue;
    difference += fmt::format("  state digest at {} ps differs from that of the first variant\n", stops_ps_[i]);
  }
  return difference.empty() ? difference : variant.name + ":\n" + difference;
}

std::string Comparison::check_every_event(const Variant& variant, u64* events) const {
  const World world = with_tick_of(variant, world_);
  const std::vector<Event> oracle = events_of_oracle(world);
  *events += oracle.size();
  return first_different_event(oracle, events_of_engine(world, variant, oracle_.end_ps));
}

}  // namespace heddle::property
