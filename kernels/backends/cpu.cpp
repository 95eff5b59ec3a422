// Ticks on CPU threads: every worker takes tick groups, and there is one barrier per tick batch.
#include <algorithm>
#include <bit>
#include <memory>
#include <stdexcept>
#include <string>

#include "kernels/backends/backend.hpp"
#include "kernels/backends/cpu_boundary.hpp"
#include "kernels/backends/thread_pool.hpp"
#include "kernels/backends/worker_loop.hpp"
#include "kernels/observe/link_counters.hpp"
#include "kernels/observe/quiet.hpp"
#include "kernels/observe/state_digest.hpp"
#include "kernels/observe/stuck.hpp"
#include "kernels/outcome/events.hpp"
#include "kernels/state/plain.hpp"
#include "kernels/state/retired_rings.hpp"
#include "kernels/team/algorithms.hpp"
#include "kernels/team/serial.hpp"

namespace heddle {
namespace {

/// Smallest number of busy nodes per tick for which workers prefetch: the state of so many nodes, some 10 KB each, does
/// not stay in a core's caches until the next tick. Tests that share every tick prefetch in every tick, too.
constexpr u32 kPrefetchFromNodes = 512;

class CpuBackend : public Backend {
 public:
  CpuBackend(Model& model, const EngineOptions& options, TimePs tick_ps)
      : model_(model),
        view_(model.view),
        options_(options),
        run_worker_(is_plain_run(view_.settings) ? run_worker_plain : run_worker_serial),
        workers_(std::max(1u, options.threads)),
        work_(view_, tick_groups_of(model, options, tick_ps)),
        pool_(static_cast<u32>(workers_.size()), options.sharing_from_nodes == 0) {
    const Settings& s = view_.settings;
    const u32 ports = std::max(1u, model.max_switch_ports);
    const u32 bins = static_cast<u32>(tick_ps >> s.slot_log2) + 2;
    const u32 packets = packets_of_scratch(ports);
    for (u32 n = 0; n < workers_.size(); ++n) {
      Worker& w = workers_[n];
      w.number = n;
      w.scratch_memory.resize(SwitchScratch::bytes(ports, s.classes, s.pfc_classes, bins, packets) / 8 + 8);
      w.scratch.lay_out(w.scratch_memory.data(), ports, s.classes, s.pfc_classes, bins, packets);
    }
    if (options_.shuffled && may_go_by_ports(s)) {
      work_.bins = make_bins(view_, packets_of_bin(packets), [&]<class T>(T*& array, u64 entries) {
        bin_memory_.emplace_back(entries * sizeof(T) / sizeof(u64) + 1);
        array = reinterpret_cast<T*>(bin_memory_.back().data());
      });
    }
    forget_words();
  }

  void advance(Tick& tick, TimePs tick_ps, TimePs until, u64& ticks) override {
    while (tick.from < until) {
      const TickBatch batch = batch_from(tick, tick_ps, until);
      const TimePs next = run(batch);
      ticks += ticks_with_work();
      tick.to = batch.end_ps();
      if (*view_.pool.exhausted != 0) {
        tick = stopped_in(tick);
        return;
      }
      const bool failed = view_.failure->kind == kFailureNew;  // a failed run must not skip idle time
      tick = next_tick(tick, failed ? tick.to : next, tick_ps, until);
      if (failed) return;
    }
  }

  TimePs look_ahead(Tick& tick) {
    const auto make_due = [&](TimePs& next_ps) { next_ps = next_ps <= tick.from ? tick.from - 1 : next_ps; };
    std::for_each(view_.next_ps, view_.next_ps + view_.nodes, make_due);
    std::for_each(view_.port_next_ps, view_.port_next_ps + view_.first_link[view_.switches], make_due);
    forget_words();
    run({{{tick.from, tick.from, tick.parity}}, 1});
    tick.parity ^= 1;
    return next_event_ps(tick.parity);
  }

  void fetch() override {}
  void fetch_all(u32) override {}
  void restore(const Tally& sums) override {
    workers_[0].tally = sums;
    forget_words();
  }
  void acknowledge_failure() override { view_.failure->kind = kFailureSeen; }

  u64 state_digest(const Tick& tick) override {
    return sum_over(thrust::seq, view_.links, LinkDigest{&view_, tick.parity, tick.from}) +
           sum_over(thrust::seq, view_.endpoints, EndpointDigest{&view_, tick.from});
  }

  std::span<const LinkCounters> link_counters(TimePs now_ps) override {
    link_counters_.resize(view_.links);
    write_over(thrust::seq, view_.links, CountersOfLink{&view_, now_ps}, link_counters_.data());
    return link_counters_;
  }

  bool quiet(u32 parity) override { return !any_over(thrust::seq, view_.links, LinkIsAtWork{&view_, parity}); }
  std::vector<u64> stuck_ports(TimePs paused_before_ps) override {
    return heddle::stuck_ports(view_, paused_before_ps);
  }

  Tally tally() override {
    Tally sum;
    for (const Worker& w : workers_) add_tally(sum, w.tally);
    return sum;
  }

  std::vector<Event> take_events() override {
    std::vector<Event> events;
    for (Worker& w : workers_) {
      events.insert(events.end(), w.events.begin(), w.events.end());
      w.events.clear();
    }
    sort_events(events);
    return events;
  }

  TimePs next_event_ps(u32 parity) override { return earliest_ps(view_, parity); }
  WordMemory& word_memory() override { return word_memory_; }

  TimePs collect(u32 parity, std::span<WordBuffer> out) override {
    TimePs first_ps = kNever;
    for (u32 n = 0; n < out.size(); ++n) {
      Parcel parcel;
      do {
        out[n].make_room(parcel.size);
        parcel = {out[n].data(), out[n].capacity()};
        collect_on_cpu(view_, n, parity, parcel, order_seed());
      } while (parcel.size > parcel.capacity);
      out[n].resize(parcel.size);
      first_ps = std::min(first_ps, parcel.first_ps);
    }
    return first_ps;
  }

  void deliver(u32 parity, std::span<const WordBuffer> in) override {
    for (u32 n = 0; n < in.size(); ++n) {
      u32 misfits = 0;
      deliver_on_cpu(view_, n, parity, in[n].words(), misfits, order_seed());
      if (misfits != 0) refuse_words(model_, n);
    }
  }

  void release(u32 parity, TimePs now_ps) override {
    const u32 fifos = view_.boundary.first_out[view_.boundary.neighbours];
    for (u32 k = 0; k < fifos; ++k) heddle::release(view_, k, parity, now_ps);
  }

 private:
  /// Invalidates the next events kept per word of updates, after View::next_ps has changed.
  void forget_words() { work_.word_next_ps.assign((view_.endpoints + kEndpointsPerWord - 1) / kEndpointsPerWord, 0); }

  /// Arrivals that fit the scratch of a worker. The testing team has so little room that passes have several windows,
  /// and not all packets that waited fit; no instant has more than an arrival for each class of a port.
  u32 packets_of_scratch(u32 ports) const {
    return options_.shuffled ? ports * kMaxClasses : std::clamp(ports * 64, 4096u, 1u << 20);
  }

  /// Arrivals that fit a bin of the testing team: as few as on no GPU, or as many, if its scratch has room for a port.
  u32 packets_of_bin(u32 packets_of_scratch) const {
    const bool few = options_.shuffle_seed % 2 != 0;
    return few ? kMaxClasses / kPlainClasses : std::min(kBinPackets, packets_of_scratch / kPlainClasses);
  }

  /// Seed of the testing team; 0 runs phases in order.
  u64 order_seed() const { return options_.shuffled ? options_.shuffle_seed | 1 : 0; }

  TickBatch batch_from(const Tick& tick, TimePs tick_ps, TimePs until) const {
    TickBatch batch;
    TimePs from = tick.from;
    while (batch.ticks < work_.nodes.batch_ticks && from < until) {
      const TimePs to = tick_end(from, tick_ps, until);
      batch.tick[batch.ticks] = {from, to, tick.parity, batch.ticks == 0};
      ++batch.ticks;
      from = to;
    }
    return batch;
  }

  /// Number of ticks of the last batch in which a node had something to do.
  u32 ticks_with_work() const {
    u32 busy = 0;
    for (const Worker& w : workers_) busy |= w.busy_ticks;
    return static_cast<u32>(std::popcount(busy));
  }

  /// Returns the earliest instant at which anything is due after the batch.
  TimePs run(const TickBatch& batch) {
    work_.alone.refill();
    work_.tick_groups.refill();
    const u32 busy_in_a_tick = busy_nodes_ / work_.nodes.batch_ticks;
    work_.prefetches = busy_in_a_tick >= (options_.sharing_from_nodes == 0 ? 0 : kPrefetchFromNodes);
    const auto work = [&](u32 worker) {
      if (options_.shuffled) {
        const u64 seed = options_.shuffle_seed + static_cast<u64>(batch.tick[0].from);
        const bool in_step = is_plain_run(view_.settings) && (mix64(seed) & 1) != 0;
        (in_step ? run_worker_in_step : run_worker_shuffled)(view_, workers_[worker], work_, batch, seed);
      } else {
        run_worker_(view_, workers_[worker], work_, batch);
      }
    };
    for (Worker& w : workers_) {
      w.next_ps = kNever;
      w.nodes_run = w.busy_ticks = 0;
    }
    if (busy_nodes_ < options_.sharing_from_nodes) {
      work(0);
    } else {
      pool_.run(work);
    }
    if (u32 first[kRingClasses + 1]; any_retired(view_.pool)) {
      merge_retired_rings(Serial(nullptr), view_.pool, first);
    }
    TimePs next = kNever;
    busy_nodes_ = 0;
    for (const Worker& w : workers_) {
      next = std::min(next, w.next_ps);
      busy_nodes_ += w.nodes_run;
    }
    return next;
  }

  Model& model_;
  View view_;
  HeapWords word_memory_;
  EngineOptions options_;
  decltype(&run_worker_serial) const run_worker_;
  std::vector<Worker> workers_;
  std::vector<std::vector<u64>> bin_memory_;
  SharedWork work_;
  std::vector<LinkCounters> link_counters_;
  u32 busy_nodes_ = 0;  // summed over the ticks of the last batch
  ThreadPool pool_;
};

}  // namespace

TimePs look_ahead(Model& model, Tick& tick, TimePs tick_ps) {
  return CpuBackend(model, {.max_batch_ticks = 1}, tick_ps).look_ahead(tick);
}

TimePs earliest_ps(const View& v, u32 parity) {
  TimePs next = kNever;
  for (u32 n = 0; n < v.nodes; ++n) next = std::min(next, next_of_node(v, n, parity));
  return next;
}

void refuse_words(const Model& model, u32 n) {
  throw std::runtime_error("boundary: what came from rank " + std::to_string(model.neighbours[n].rank) +
                           " does not fit the links between us; do all ranks run the same program and configuration?");
}

std::unique_ptr<Backend> make_cpu_backend(Model& model, const EngineOptions& options, TimePs tick_ps) {
  return std::make_unique<CpuBackend>(model, options, tick_ps);
}

}  // namespace heddle
