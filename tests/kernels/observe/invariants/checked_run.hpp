// A World run tick by tick under the invariant checker, with a hook that can corrupt the state between two ticks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/backends/backend.hpp"
#include "kernels/instantiate/instantiate.hpp"
#include "kernels/observe/invariants/checker.hpp"
#include "tests/oracle/tiny_world.hpp"

namespace heddle {

/// Endpoints 1 to 4 send to 0 through one switch, two queue pairs each, with accounts that pause early.
inline World incast_world() {
  World w = oracle::star(5);
  w.fabric.ingress = {{false, 50'000, 40'000, 300'000, 0}};
  for (u32 src = 1; src < 5; ++src) {
    for (u32 k = 0; k < 2; ++k) oracle::add_qp(w, src, 0, {{1'000'000, 0}});
  }
  return w;
}

/// incast_world() without PFC: nothing is charged, nothing is paused.
inline World incast_without_pfc() {
  World w = incast_world();
  w.fabric.classes[1].pfc = false;
  return w;
}

/// incast_world() with too little headroom: packets of the lossless class are dropped and counted.
inline World incast_with_overruns() {
  World w = incast_world();
  w.fabric.ingress[0].headroom_bytes = 3'000;
  w.roce.rto_ps = 20'000'000;
  return w;
}

/// incast_world() with selective repeat, so that losses leave gaps.
inline World incast_with_gaps() {
  World w = incast_with_overruns();
  w.roce.recovery = Recovery::selective_repeat;
  w.roce.reorder_window_packets = 128;
  w.roce.reorder_distance_packets = 4;
  return w;
}

/// incast_world() with a memory that the switch's accounts share.
inline World incast_in_a_pool() {
  World w = incast_world();
  w.fabric.pools = {{5, 2'000'000, 4'000'000}};
  for (Link& link : w.fabric.links) {
    if (link.dst == 5) link.pool = 0;
  }
  return w;
}

/// incast_world() with DCQCN and marks.
inline World incast_with_dcqcn() {
  World w = incast_world();
  w.fabric.ecn = {{5'000, 50'000, 0x40000000}};
  for (Link& link : w.fabric.links) link.ecn = 0;
  w.congestion.control = DcqcnSettings{};
  return w;
}

/// incast_world() into a slow NIC with a buffer of its own.
inline World incast_into_slow_nic() {
  World w = incast_world();
  w.traffic.slow_receivers = {{0, 60u << 16}};
  return w;
}

class CheckedRun {
 public:
  explicit CheckedRun(const World& world) : tick_ps_(world.clocks.tick_ps) {
    instantiate(world, {}, model);
    checker_ = std::make_unique<InvariantChecker>(model);
    backend_ = make_cpu_backend(model, {}, tick_ps_);
    remember();
  }

  /// Runs tick after tick. After each, `spoil(run)` may corrupt the state and then returns true. Returns the checker's
  /// report after that; or its report on an intact tick, or that there was nothing to corrupt.
  template <class F>
  std::string spoil(const F& spoil) {
    for (;;) {
      remember();
      done = {tick_.from, tick_end(tick_.from, tick_ps_, kNever), tick_.from, tick_.parity};
      u64 ticks = 0;
      backend_->advance(tick_, tick_ps_, done.to_ps, ticks);
      done.next_ps = tick_.from;
      done.parity = tick_.parity;
      tally = backend_->tally();
      const bool spoilt = spoil(*this);
      const std::string problem = checker_->find_violation(done, tally);
      if (spoilt) return problem;
      if (!problem.empty()) return "not spoilt, but: " + problem;
      if (tick_.from >= kNever || tick_.from > 10'000'000'000) return "nothing to spoil was found";
    }
  }

  /// Calls f(q) for every switch queue of class c until it returns true; returns whether it did.
  template <class F>
  bool any_switch_queue(u32 c, const F& f) {
    const View& v = model.view;
    for (u32 link = 0; link < v.first_link[v.switches]; ++link) {
      if (f(link * v.settings.classes + c)) return true;
    }
    return false;
  }
  /// Calls f(q) likewise for the queues of NICs.
  template <class F>
  bool any_nic_queue(u32 c, const F& f) {
    const View& v = model.view;
    for (u32 link = v.first_link[v.switches]; link < v.links; ++link) {
      if (f(link * v.settings.classes + c)) return true;
    }
    return false;
  }
  /// Calls f(sender) for every queue pair that has unacknowledged packets until it returns true.
  template <class F>
  bool any_sender(const F& f) {
    const Endpoints& endpoint = model.view.endpoint;
    for (u32 i = 0; i < endpoint.first_sender[model.view.endpoints]; ++i) {
      if (endpoint.sender[i].una != endpoint.sender[i].sent_end && f(i)) return true;
    }
    return false;
  }

  u32 link_of(u32 q) const { return q / model.view.settings.classes; }
  u32 head(u32 q) const { return model.view.head[done.parity][q]; }
  Packet& packet(u32 q, u32 position) { return model.view.pool.packet[model.view.queue[q].ring.at(position)]; }
  TimePs& time_ps(u32 q, u32 position) { return model.view.pool.time_ps[model.view.queue[q].ring.at(position)]; }

  Model model;
  TickDone done;
  Tally tally;                       // sums of the run so far
  std::vector<FifoPosition> before;  // positions in every queue when the tick began
  std::vector<u32> changes_before;   // pauses in effect, [links * pfc_classes] by the sending end

 private:
  void remember() {
    const View& v = model.view;
    before.resize(static_cast<std::size_t>(v.links) * v.settings.classes);
    for (u32 q = 0; q < before.size(); ++q) before[q] = {v.head[tick_.parity][q], v.queue[q].sent, v.queue[q].tail};
    changes_before.resize(static_cast<std::size_t>(v.links) * v.settings.pfc_classes);
    for (u32 x = 0; x < changes_before.size(); ++x) changes_before[x] = v.pause_reader[x].head;
  }

  TimePs tick_ps_;
  Tick tick_;
  std::unique_ptr<InvariantChecker> checker_;
  std::unique_ptr<Backend> backend_;
};

/// Expects that the checker names the violation with these words.
#define EXPECT_FOUND(problem, words)                                         \
  do {                                                                       \
    const std::string found = (problem);                                     \
    EXPECT_NE(found.find(words), std::string::npos) << found;                \
    EXPECT_NE(found.find("invariant violated"), std::string::npos) << found; \
  } while (false)

}  // namespace heddle
