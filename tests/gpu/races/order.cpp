#include "tests/gpu/races/order.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "tests/gpu/races/found.hpp"

namespace cuda_on_cpu {

std::unique_ptr<Observer> make_observer() { return std::make_unique<races::Order>(); }

namespace races {
namespace {

/// Numbers of agents; above them, several blocks of one work of the epoch, or of several works.
constexpr unsigned kAgentLimit = 0xff00, kWorkLimit = 0xff, kAnyone = 0xffff;
constexpr std::size_t kCopiedBytes = 4096;  // an unordered copy shows on its first bytes

void merge(Moment& into, const Moment& from) {
  into.resize(std::max(into.size(), from.size()));
  for (std::size_t s = 0; s < from.size(); ++s) into[s] = std::max(into[s], from[s]);
}

bool conflict(Use a, Use b) { return a != b || a == kWrite; }  // two reads do not conflict, nor do two updates

}  // namespace

std::size_t Order::number_of(const Stream* stream) {
  const auto [entry, is_new] = numbers_.try_emplace(stream, numbers_.size());
  if (is_new) {
    done_.emplace_back();
    newest_.push_back(0);
  }
  return entry->second;
}

void Order::begin(const Stream* stream, unsigned agents, const void* kernel) {
  static std::atomic<std::uint32_t> epochs = 0;  // of all threads: memory may move between them
  const std::size_t s = number_of(stream);
  merge(done_[s], host_);
  done_[s].resize(newest_.size());
  bool after_all = true;
  for (std::size_t other = 0; other < newest_.size(); ++other) after_all &= done_[s][other] >= newest_[other];
  if (after_all) {
    epoch_work_.clear();
    epoch_ = ++epochs;
  }
  const unsigned first = epoch_work_.empty() ? 1 : epoch_work_.back().first_agent + epoch_work_.back().agents;
  if (first + agents > kAgentLimit || epoch_work_.size() == kWorkLimit)
    throw std::logic_error("races: too many blocks, or too much work in no order, to tell them apart");
  epoch_work_.push_back({s, ++count_, done_[s], first, agents, kernel});
  done_[s][s] = newest_[s] = count_;
}

void Order::run(unsigned agent) {
  agent_ = static_cast<std::uint16_t>(epoch_work_.back().first_agent + agent);
  watch = {arena().memory, kArenaBytes, arena().granules, this};
}

void Order::launch_begins(const Launch& launch) {
  begin(launch.stream, launch.blocks, launch.kernel);
  count_launch(launch);
}

void Order::block_begins(unsigned block) { run(block); }

void Order::launch_ends() { watch = {}; }

void Order::copies(const Stream* stream, void* to, const void* from, std::size_t bytes, Way) {
  begin(stream, 1, nullptr);
  run(0);
  for (const auto& [memory, how] :
       {std::pair<const void*, Use>(from, kRead), std::pair<const void*, Use>(to, kWrite)}) {
    const std::size_t offset = static_cast<std::size_t>(static_cast<const char*>(memory) - watch.memory);
    if (offset >= watch.bytes) continue;  // memory of the host
    for (std::size_t g = offset / 8; g < (offset + std::min(bytes, kCopiedBytes) + 7) / 8; ++g)
      use(watch.granules[g], 0, 7, how, 0);
  }
  watch = {};
}

void Order::records(const Stream* stream, Moment& moment) { moment = done_[number_of(stream)]; }

void Order::waits(const Stream* stream, const Moment& moment) { merge(done_[number_of(stream)], moment); }

void Order::host_waits(const Stream* stream) { merge(host_, done_[number_of(stream)]); }

/// The index in epoch_work_ of the work that an agent, or several agents, belong to.
std::size_t Order::work_of(std::uint16_t agent) const {
  if (agent >= kAgentLimit) return agent - kAgentLimit;
  std::size_t w = epoch_work_.size() - 1;
  while (agent < epoch_work_[w].first_agent) --w;
  return w;
}

/// Whether all work of `agent` is done when the running work begins, or `agent` itself runs.
bool Order::is_in_order(std::uint16_t agent) const {
  if (agent == agent_) return true;
  if (agent == kAnyone) return false;
  const Work& work = epoch_work_[work_of(agent)];
  return &work != &epoch_work_.back() && epoch_work_.back().before[work.stream] >= work.number;
}

/// The users of a byte after agent_ has used it, too.
std::uint16_t Order::joined(std::uint16_t agent) const {
  if (agent == 0 || is_in_order(agent)) return agent_;
  if (agent == kAnyone || work_of(agent) != epoch_work_.size() - 1) return kAnyone;
  return static_cast<std::uint16_t>(kAgentLimit + epoch_work_.size() - 1);
}

void Order::use(Granule& granule, unsigned first, unsigned last, Use now, std::uint32_t place) {
  if (granule.epoch != epoch_) {
    granule = {};
    granule.epoch = epoch_;
  }
  for (unsigned before = 0; before < kUses; ++before) {
    if (!conflict(static_cast<Use>(before), now)) continue;
    for (unsigned byte = first; byte <= last; ++byte) {
      const std::uint16_t agent = granule.agent[before][byte];
      if (agent == 0 || agent == agent_ || is_in_order(agent)) continue;
      report(agent, static_cast<Use>(before), now, granule.place[before], place);
      break;
    }
  }
  for (unsigned byte = first; byte <= last; ++byte) {
    std::uint16_t& agent = granule.agent[now][byte];
    if (agent != agent_) agent = joined(agent);
  }
  granule.place[now] = place;
}

void Order::report(std::uint16_t agent, Use before, Use now, std::uint32_t place_before, std::uint32_t place) const {
  Race race{before,       now,
            place_before, place,
            nullptr,      epoch_work_.back().kernel,
            kSeveral,     agent_ - epoch_work_.back().first_agent};
  if (agent != kAnyone) {
    const Work& work = epoch_work_[work_of(agent)];
    race.first_kernel = work.kernel;
    if (agent < kAgentLimit) race.first_block = agent - work.first_agent;
  }
  add_race(race);
}

}  // namespace races
}  // namespace cuda_on_cpu
