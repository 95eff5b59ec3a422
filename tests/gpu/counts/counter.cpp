#include "tests/gpu/counts/counter.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <tuple>

#include "tests/gpu/cuda_on_cpu/cuda_runtime.h"

namespace cuda_on_cpu {

std::unique_ptr<Observer> make_observer() { return std::make_unique<counts::Counter>(); }

namespace counts {
namespace {

constexpr std::size_t kSectors = races::kArenaBytes / kSectorBytes;

}  // namespace

Counter& counter_of_device() { return static_cast<Counter&>(*device().observer); }

Counter::Counter() : arena_(races::arena().memory) {
  void* const memory = mmap(nullptr, kSectors * sizeof(Stamp), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);  // what is touched costs memory
  if (memory == MAP_FAILED) throw std::bad_alloc();
  stamps_ = static_cast<Stamp*>(memory);
}

Counter::~Counter() { munmap(stamps_, kSectors * sizeof(Stamp)); }

uint32_t Counter::number_of(uint32_t place, bool is_access) {
  if (place >= numbers_.size()) numbers_.resize(std::size_t{place} * 2 + 1);
  uint32_t& number = numbers_[place];
  if (number == 0) {
    Place fresh{place, 1, is_access};
    const auto known = std::ranges::lower_bound(instructions, std::pair(place, -1.0f));
    if (!instructions.empty()) fresh.instructions = 0;
    if (known != instructions.end() && known->first == place) fresh.instructions = known->second;
    places_.push_back(fresh);
    passes_.push_back(0);
    number = static_cast<uint32_t>(places_.size());
  }
  return number - 1;
}

void Counter::launch_begins(const Launch& launch) {
  if (!counting) return;
  auto stream = std::ranges::find(streams_, launch.stream);
  if (stream == streams_.end()) stream = streams_.insert(stream, launch.stream);
  const auto s = static_cast<unsigned>(stream - streams_.begin());
  const auto known =
      std::ranges::find_if(kernels_, [&](const Kernel& k) { return k.function == launch.kernel && k.stream == s; });
  kernel_ = static_cast<unsigned>(known - kernels_.begin());
  if (known == kernels_.end()) {
    kernels_.push_back({launch.kernel, s, launch.threads, launch.shared_bytes, 0, 0});
    done_.emplace_back();
  }
  if (kernel_ == 0) ++tick_;  // every tick has the same launches in the same order
  ++kernels_[kernel_].launches;
  kernels_[kernel_].blocks += launch.blocks;
  warps_.resize(std::max<std::size_t>(warps_.size(), (launch.threads + kWarpLanes - 1) / kWarpLanes));
}

void Counter::block_begins(unsigned block) {
  if (!counting) return;
  ++blocks_;
  chains_.push_back({kernel_, block});
}

void Counter::lane_runs(unsigned lane) {
  if (!counting) return;
  end_lane();
  warp_ = static_cast<int>(lane / kWarpLanes);
  running = this;
}

void Counter::lanes_have_stopped(bool of_warps) {
  if (!counting) return;
  end_lane();
  for (Warp& warp : warps_) end_warp(warp);
  if (of_warps) return;
  Chain& chain = chains_.back();
  ++chain.barriers;
  chain.instructions += std::ranges::max_element(warps_, {}, [](const Warp& w) { return w.cost[0]; })->cost[0];
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    const Warp& longest = *std::ranges::max_element(warps_, {}, [&](const Warp& w) { return w.cost[i + 1]; });
    chain.cycles[i] += longest.cost[i + 1] + latencies[i].barrier;
    for (const Spent& spent : longest.spent) done_[kernel_][spent.place].critical[i] += spent.cycles[i];
  }
  for (Warp& warp : warps_) {
    warp.cost = {};
    warp.spent.clear();
  }
}

void Counter::pass(uint32_t place) {
  const uint32_t p = number_of(place, false);
  if (passes_[p]++ == 0) lane_touched_.push_back(p);
  block_place_ = p;
}

void Counter::access(const char* address, std::size_t bytes, races::Use use, uint32_t place) {
  const std::size_t offset = static_cast<std::size_t>(address - arena_);
  const std::vector<unsigned long>& shared = device().shared;
  const auto in_shared = static_cast<std::size_t>(address - reinterpret_cast<const char*>(shared.data()));
  const bool is_global = offset < races::kArenaBytes;
  if (!is_global && in_shared >= shared.size() * sizeof(shared[0])) return;  // a lane's own
  const uint32_t p = number_of(place, true);
  const uint32_t nth = passes_[p]++;
  if (nth == 0) lane_touched_.push_back(p);
  const std::size_t first = (is_global ? offset : in_shared) / kSectorBytes;
  const std::size_t last = ((is_global ? offset : in_shared) + bytes - 1) / kSectorBytes;
  for (std::size_t sector = first; sector <= last; ++sector)
    warps_[static_cast<unsigned>(warp_)].accesses.push_back(
        {p, nth, block_place_, passes_[block_place_], sector, use, is_global ? kGlobal : kShared});
}

/// What the lane that ran has done goes to its warp.
void Counter::end_lane() {
  running = nullptr;
  if (warp_ < 0) return;
  Warp& warp = warps_[static_cast<unsigned>(warp_)];
  warp.most.resize(places_.size());
  std::vector<Done>& done = done_[kernel_];
  done.resize(places_.size());
  for (const uint32_t p : lane_touched_) {
    if (warp.most[p] == 0) warp.touched.push_back(p);
    warp.most[p] = std::max(warp.most[p], passes_[p]);
    done[p].lanes += passes_[p];
    passes_[p] = 0;
  }
  lane_touched_.clear();
  warp_ = -1;
}

/// Counts a sector of an access; returns whether the block had not touched it before in this launch.
bool Counter::touch_sector(const Access& access, Done& done) {
  Stamp& stamp = stamps_[access.sector];
  const bool writes = access.use != races::kRead;
  ++done.sectors[access.use];
  const bool fresh = stamp.block[0] != blocks_ && stamp.block[1] != blocks_;
  if (stamp.block[writes] != blocks_) ++done.of_block[access.use];
  if (stamp.tick[writes] != tick_) ++done.of_tick[access.use];
  stamp.block[writes] = blocks_;
  stamp.tick[writes] = tick_;
  return fresh;
}

void Counter::spend(Warp& warp, uint32_t place, const std::array<double, 2>& cycles) {
  if (cycles[0] == 0 && cycles[1] == 0) return;
  for (std::size_t i = 0; i < cycles.size(); ++i) warp.cost[i + 1] += cycles[i];
  warp.spent.push_back({place, cycles});
}

/// Adds up what a warp has done since its lanes waited for each other.
void Counter::end_warp(Warp& warp) {
  std::vector<Done>& done = done_[kernel_];
  for (const uint32_t p : warp.touched) {
    const double instructions_done =
        places_[p].is_access ? 0 : warp.most[p] * static_cast<double>(places_[p].instructions);
    done[p].warps += warp.most[p];
    warp.cost[0] += instructions_done;
    spend(warp, p, {instructions_done * latencies[0].instruction, instructions_done * latencies[1].instruction});
    warp.most[p] = 0;
  }
  warp.touched.clear();
  std::vector<Access>& all = warp.accesses;
  const auto of_pass = [](const Access& a) { return std::tuple(a.block, a.block_nth); };
  std::ranges::sort(all, {},
                    [&](const Access& a) { return std::tuple(of_pass(a), a.place, a.nth, a.space, a.sector); });
  for (std::size_t first = 0, end = 0; first < all.size(); first = end) {
    while (end < all.size() && of_pass(all[end]) == of_pass(all[first])) ++end;
    wait_for_loads(warp, first, end);
  }
  all.clear();
}

/// The accesses of one pass through a basic block: either its loads overlap, or each waits for the one before.
void Counter::wait_for_loads(Warp& warp, std::size_t first, std::size_t end) {
  const std::vector<Access>& all = warp.accesses;
  std::array<double, 2> longest = {};
  uint32_t place = all[first].place;
  for (std::size_t k = first, next = first; k < end; k = next) {  // one access by the lanes of the warp
    while (next < end && all[next].place == all[k].place && all[next].nth == all[k].nth) ++next;
    const bool is_far = load(warp, k, next);
    if (all[k].use == races::kWrite) continue;  // nobody waits for it
    std::array<double, 2> cycles;
    for (std::size_t i = 0; i < cycles.size(); ++i) {
      const Latencies& l = latencies[i];
      cycles[i] = all[k].space == kShared ? l.shared : is_far ? l.miss : l.hit;
      if (!l.overlap) continue;
      if (cycles[i] > longest[i]) place = all[k].place;
      longest[i] = std::max(longest[i], cycles[i]);
      cycles[i] = 0;
    }
    spend(warp, all[k].place, cycles);
  }
  spend(warp, place, longest);
}

/// Counts the sectors of an access; returns whether it goes past the L1.
bool Counter::load(const Warp& warp, std::size_t first, std::size_t end) {
  bool is_far = false;
  for (std::size_t k = first; k < end; ++k) {
    const Access& a = warp.accesses[k];
    const bool again = k != first && warp.accesses[k - 1].space == a.space && warp.accesses[k - 1].sector == a.sector;
    if (again || a.space != kGlobal) continue;
    const bool is_fresh = touch_sector(a, done_[kernel_][a.place]);
    is_far |= is_fresh || a.use == races::kUpdate;
  }
  return is_far;
}

}  // namespace counts
}  // namespace cuda_on_cpu
