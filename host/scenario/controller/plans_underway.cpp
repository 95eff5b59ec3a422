#include "host/scenario/controller/plans_underway.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace heddle {
namespace {

/// The words of records whose number comes first.
template <class Record>
std::span<const u64> words_of_records(WordSource& source) {
  const u64 number = source.word();
  if (number >> 32 != 0) throw std::out_of_range("the controller has more plans than there can be");
  return source.words(number * (sizeof(Record) / sizeof(u64)));
}

u64 receiver_key(EndpointId dst, u32 receiver) { return u64{dst} << 16 | receiver; }

}  // namespace

/// Queue pairs of routes carry nothing else, and send in the order of the table.
PlansUnderway::PlansUnderway(const World& world) : world_(world) {
  const Traffic& traffic = world.traffic;
  std::unordered_map<QpId, std::pair<MessageId, u32>> reached;  // next message of the table, packets before it
  for (const MessageId route : world.routing.control.routes) {
    const QpId id = traffic.messages[route].qp;
    const Qp& qp = traffic.qps[id];
    const auto [at, is_new] = reached.try_emplace(id, 0, 0);
    auto& [next, packets] = at->second;
    if (is_new) {
      next = static_cast<MessageId>(std::ranges::lower_bound(traffic.messages, id, {}, &Message::qp) -
                                    traffic.messages.begin());
      receivers_.emplace(receiver_key(qp.dst, qp.receiver_number), static_cast<u32>(receivers_.size()));
    }
    const Framing framing = framing_of(world, qp.traffic_class);
    for (; next <= route; ++next) packets += static_cast<u32>(framing.packets(traffic.messages[next].bytes));
    arrivals_.push_back({receivers_.at(receiver_key(qp.dst, qp.receiver_number)), packets});
  }
}

void PlansUnderway::add(Plan plan) {
  const TimePs now_ps = plan.measured_ps;
  times_.push_back({now_ps, kNever});
  plans_.push_back(std::move(plan));
  if (next_ps_ == kNever) choose_next(now_ps);
}

/// No plan arrives before it is solved.
void PlansUnderway::choose_next(TimePs now_ps) {
  const ControlNetwork& control = world_.routing.control;
  if (plans_.empty()) {
    next_ps_ = kNever;
    return;
  }
  const TimePs after_ps = std::max(now_ps, plans_.front().measured_ps + control.solve_ps);
  next_ps_ = (after_ps / control.commit_ps + 1) * control.commit_ps;
}

std::vector<u64> PlansUnderway::received(const RankedEngine& engine) const {
  std::vector<u64> packets(receivers_.size(), 0);
  engine.visit_received([&](EndpointId, EndpointId dst, u32 receiver, u32 count) {
    const auto found = receivers_.find(receiver_key(dst, receiver));
    if (found != receivers_.end()) packets[found->second] = count;
  });
  engine.sum(packets);
  return packets;
}

bool PlansUnderway::has_arrived(const Plan& plan, std::span<const u64> received) const {
  const u32 switches = world_.routing.control.switches;
  const auto of_plan = std::span(arrivals_).subspan(plan.period * switches, switches);
  return std::ranges::all_of(of_plan, [&](const Arrival& arrival) {
    return static_cast<i32>(static_cast<u32>(received[arrival.queue_pair]) - arrival.packets) >= 0;
  });
}

std::optional<PlansUnderway::Plan> PlansUnderway::take_arrived(const RankedEngine& engine) {
  const TimePs now_ps = next_ps_;
  const std::vector<u64> packets = received(engine);
  u64 through = plans_.size();
  while (through > 0 && !has_arrived(plans_[through - 1], packets)) --through;
  std::optional<Plan> newest;
  if (through > 0) {
    times_[times_.size() - plans_.size() + through - 1].from_ps = now_ps;
    newest = std::move(plans_[through - 1]);
    plans_.erase(plans_.begin(), plans_.begin() + static_cast<std::ptrdiff_t>(through));
  }
  choose_next(now_ps);
  return newest;
}

void PlansUnderway::append_words(std::vector<u64>& words) const {
  words.push_back(static_cast<u64>(next_ps_));
  words.push_back(times_.size());
  append_records(words, std::span<const PlanTimes>(times_));
  words.push_back(plans_.size());
  for (const Plan& plan : plans_) {
    words.insert(words.end(), {plan.period, static_cast<u64>(plan.measured_ps), plan.demands.size()});
    append_records(words, std::span<const RackDemand>(plan.demands));
  }
}

void PlansUnderway::restore(WordSource& source) {
  next_ps_ = static_cast<TimePs>(source.word());
  times_ = records_of<PlanTimes>(words_of_records<PlanTimes>(source));
  plans_.clear();
  for (u64 left = source.word(); left > 0; --left) {
    Plan plan{source.word(), static_cast<TimePs>(source.word()), {}};
    plan.demands = records_of<RackDemand>(words_of_records<RackDemand>(source));
    check(plan);
    plans_.push_back(std::move(plan));
  }
  if (plans_.size() > times_.size()) throw std::out_of_range("the controller has more plans underway than it made");
}

/// Checks that the plan can be solved.
void PlansUnderway::check(const Plan& plan) const {
  const bool fits = std::ranges::all_of(plan.demands, [&](const RackDemand& d) {
    return d.src < world_.fabric.endpoints && d.group < world_.routing.table.groups && d.bytes != 0;
  });
  if (!fits || plan.period >= world_.routing.control.periods)
    throw std::out_of_range("the controller's plans are of another fabric");
}

}  // namespace heddle
