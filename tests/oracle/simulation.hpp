// The event loop: when each node is woken, and what is in flight to it. Every node handles its own instants.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/world/world.hpp"
#include "tests/oracle/link_book.hpp"
#include "tests/oracle/packet.hpp"
#include "tests/oracle/recorder.hpp"

namespace heddle::oracle {

/// Items that are due at instants, kept in the order of insertion.
template <class T>
class Due {
 public:
  void put(TimePs t, T what) { items_[t].push_back(std::move(what)); }
  /// Returns everything due at `t`; nothing is left behind, because its node is woken at each of these times.
  std::vector<T> take(TimePs t) {
    auto found = items_.find(t);
    if (found == items_.end()) return {};
    std::vector<T> taken = std::move(found->second);
    items_.erase(found);
    return taken;
  }
  bool empty() const { return items_.empty(); }

 private:
  std::map<TimePs, std::vector<T>> items_;
};

struct Arrival {
  LinkId link = kNone;
  Packet packet;
};

/// A pause (or its end) that takes effect for one class at the source of `link`.
struct PauseEffect {
  LinkId link = kNone;
  u32 cls = 0;
  bool pause = false;
};

/// A batch of messages on its way from the program of a GPU to its helper, or its end on the way back (MODEL.md, 9.14).
struct BatchNotice {
  EndpointId gpu = kNone;
  u32 batch = 0;  // in ProgramPlan::batches
};

/// A switch or an endpoint.
class NodeModel {
 public:
  virtual ~NodeModel() = default;
  /// Handles everything that is due at this node at `t`, in the order of MODEL.md 4.3 and 4.4.
  virtual void instant(TimePs t) = 0;
  /// Whether the node holds packets or has paused a neighbour.
  virtual bool busy() const = 0;

  Due<Arrival> arrivals;
  Due<PauseEffect> pause_effects;
  Due<BatchNotice> batches_handed_over;  // to this endpoint as a helper
  Due<BatchNotice> batches_ended;        // of this endpoint's program
};

/// Every latency between nodes is above zero, so instants of two nodes at one time cannot affect each other, and their
/// order (here: by node) does not matter.
class Simulation {
 public:
  Simulation(const World& w, const OracleOptions& options) : world(w), recorder(w, options), links(w) {}

  void wake(NodeId node, TimePs t) {
    if (t < kNever) agenda_.emplace(t, node);
  }
  void deliver(LinkId link, const Packet& packet, TimePs t) {
    nodes[world.fabric.links[link].dst]->arrivals.put(t, {link, packet});
    wake(world.fabric.links[link].dst, t);
  }
  void pause_source_of(LinkId link, u32 cls, bool pause, TimePs t) {
    nodes[world.fabric.links[link].src]->pause_effects.put(t, {link, cls, pause});
    wake(world.fabric.links[link].src, t);
  }
  /// The helper of a GPU takes the batch at `t`.
  void hand_over(EndpointId helper, const BatchNotice& batch, TimePs t) {
    nodes[helper]->batches_handed_over.put(t, batch);
    wake(helper, t);
  }
  /// The GPU knows at `t` that the batch has ended.
  void tell_end_of(const BatchNotice& batch, TimePs t) {
    nodes[batch.gpu]->batches_ended.put(t, batch);
    wake(batch.gpu, t);
  }
  /// Sets when `node` next checks its retransmission timeouts; kNever: nothing is outstanding there. Replaces the
  /// earlier time, so that the agenda holds no timeout that has become pointless.
  void set_timeout(NodeId node, TimePs t) {
    TimePs& known = timeout_of_.try_emplace(node, kNever).first->second;
    if (known == t) return;
    timeouts_.erase({known, node});
    if (t < kNever) timeouts_.emplace(t, node);
    known = t;
  }
  /// A QP gives up: the run ends at the eighth epoch start after `t`. The first reason (by time, then node) is kept.
  void fail(TimePs t, std::string why) {
    if (ends_at) return;
    ends_at = (t / world.clocks.epoch_ps + 8) * world.clocks.epoch_ps;
    failure = std::move(why);
  }
  /// Handles instants in time order until none is left, `horizon` is reached, or a QP failed.
  void run(TimePs horizon);
  /// Whether some node still holds packets or pauses a neighbour.
  bool busy() const;
  bool nothing_left() const { return agenda_.empty() && timeouts_.empty(); }

  const World& world;
  Recorder recorder;
  LinkBook links;
  std::vector<std::unique_ptr<NodeModel>> nodes;
  std::optional<TimePs> ends_at;  // set when a QP has failed
  std::string failure;

 private:
  std::set<std::pair<TimePs, NodeId>> agenda_, timeouts_;
  std::map<NodeId, TimePs> timeout_of_;  // the time in timeouts_ of each node
};

}  // namespace heddle::oracle
