// The simulated state of one process as plain arrays, and the View of them that every kernel gets.
//
// Nodes, links and endpoints are numbered by the engine ("local" numbers: switches first, links by source node);
// results, hashes and packets use the global numbers of the World. What another node may read in a tick is kept twice
// and published by parity: read x[parity], write x[parity ^ 1].
#pragma once

#include "kernels/base/atomic.hpp"
#include "kernels/base/types.hpp"
#include "kernels/boundary/state.hpp"
#include "kernels/collective/state.hpp"
#include "kernels/fabric/fabric.hpp"
#include "kernels/fabric/ring.hpp"
#include "kernels/observe/outcome.hpp"
#include "kernels/routing/routing.hpp"
#include "kernels/transport/state.hpp"

namespace heddle {

/// The producer's side of one FIFO, per (link, class).
struct Queue {
  Ring ring;
  u32 tail = 0, sent = 0;
  u64 bytes = 0;  // frame bytes in [sent, tail)
};

/// What the consumer of a queue may see of it.
struct Published {
  Ring ring;
  u32 sent = 0;
};

/// An egress port: constants and the transmitter.
struct Egress {
  TimePs free_ps = 0;
  TimePs lambda_ps = 0;
  u32 ps_per_byte_q16 = 0;
  u32 ecn = kNone;          // Fabric::ecn
  u32 cell_bytes = 1;       // of its node: what the node holds is counted in whole cells
  u32 most_held_bytes = 1;  // by one packet, of any kind
  u32 dst_node = kNone;     // local number of the node at the other end
  u32 dst_port = 0;         // and its port
  u32 reverse = kNone;      // local link number
};

/// Deficit round robin over the weighted classes; only touched when there are two of them.
struct Drr {
  u32 pointer = 0;
  u32 deficit[kMaxClasses] = {};
};

/// What a node keeps for one of its ingress links; same index as the egress link of that port.
struct IngressPort {
  u32 profile = kNone;  // Fabric::ingress, kNone: no PFC
  u32 pool = kNone;
  TimePs phi_ps = 0;    // of the reverse direction: the way pause frames take
  u32 pause_first = 0;  // storage of the pause changes for the incoming link
  u32 pause_mask = 0;
};

/// PFC account of one (ingress, lossless class).
struct Account {
  u32 occupancy_bytes = 0;
  u32 pausing = 0;
  u32 level_at_pause_bytes = 0;  // occupancy when PAUSE was decided: what comes later is headroom's
};

/// What an egress queue of a class with a dynamic limit has admitted in an epoch, in held bytes.
struct Admitted {
  TimePs epoch = -1;  // number of the epoch that `bytes` belongs to
  u64 bytes = 0;
};

/// The sending end's view of the pauses of one (link, lossless class).
inline constexpr u32 kPaused = 1, kTripped = 2;  // tripped: paused, and the watchdog drops what comes
struct PauseReader {
  u32 head = 0;
  u32 paused = 0;  // 0, kPaused or kTripped
  TimePs since_ps = 0;
  u64 total_ps = 0;
};

struct PoolState {
  u64 used_bytes = 0;            // everything held
  u64 shared_used_bytes = 0;     // without what lies in reserves and headrooms
  TimePs epoch = -1;             // number of the epoch that free_bytes belongs to
  u64 free_bytes = 0;            // shared - shared_used at that epoch's start
  u64 arriving_bytes = 0;        // in the present window
  u32 best_effort_arriving = 0;  // some of them are of a class with a dynamic limit
};

/// Cumulative counters of a port, by its egress link; written by that link's source node.
struct LinkTally {
  u64 sent_wire_bytes = 0;  // of packets whose transmission has started
  u64 sent_packets = 0;
  u64 peak_queue_bytes = 0;  // held bytes of all classes, of a switch: after every acceptance of a packet
  TimePs peak_queue_ps = 0;  // the first that left so much; means nothing while there was none
  u32 marks = 0;
  u32 drops = 0;
  u32 ingress_drops = 0;  // of these, of what had come in by this port; the others were on their way out
  u32 pauses = 0;         // PAUSEs decided for what comes in by this port
};

/// Sums of one worker or block, added up at the end of the run.
struct Tally {
  u64 digest = 0;
  u64 packet_hops = 0, data_received = 0;
  u64 count[16] = {};  // by EventKind
  u64 drops[kDropCauses] = {};
  u64 messages_acked = 0, ranks_finished = 0;
  TimePs last_completion_ps = 0;
};

/// A queue pair has failed: the host sees it between ticks, acknowledges it, and ends the run at the next epoch start.
struct Failure {
  u32 kind = 0;
};
inline constexpr u32 kFailureNew = 1, kFailureSeen = 2;

/// The first violation that a pass has found in itself (observe/broken_phase.hpp); only builds with HEDDLE_CHECK look.
struct BrokenPhase {
  i32 count = 0;    // how many were found
  u32 rule = 0;     // PhaseRule
  NodeId node = 0;  // global
  TimePs from_ps = 0;
  i64 is = 0, must = 0;
};

/// Class table and other settings, small enough for constant memory.
struct Settings {
  u64 seed = 1;
  TimePs epoch_ps = 0;
  u32 slot_log2 = 15;
  u32 classes = 3, pfc_classes = 1;
  u32 pfc_index[kMaxClasses] = {};  // class -> 0.., kNone: no PFC
  u32 pfc_class[kMaxClasses] = {};  // and back
  u32 strict_mask = 1, weighted_mask = 0, ecn_mask = 0, limited_mask = 0;
  u32 quantum_bytes[kMaxClasses] = {};
  u64 limit_bytes[kMaxClasses] = {};      // 0: none
  u32 limit_alpha_q16[kMaxClasses] = {};  // 0: no dynamic limit
  u32 dynamic_limit_mask = 0;
  TimePs watchdog_ps = 0;  // 0: off
  u32 weighted_classes = 0;
  bool ecn_at_arrival = false;
  bool any_nvlink = false;
  RoutingPolicy routing = RoutingPolicy::ecmp;
  u32 recorded_kinds = 0;          // bit mask of EventKind
  bool trace = false;              // departures enter the digest
  bool report_departures = false;  // departures are events at all
  bool source_port_per_qp = false;
  RoceSettings roce;
  DcqcnSettings dcqcn;
  u32 decay_q32[32] = {};  // (1 - g)^(2^i)
};

struct View {
  Settings settings;
  // Of this process: switches are nodes [0, switches), endpoint e is node switches + e. Arrays by link also hold the
  // ghosts of a part: links that come in from other parts, numbered from `links` on; wakes also those of their nodes.
  u32 nodes = 0, switches = 0, endpoints = 0, links = 0;

  // topology (never changes)
  const u32* first_link = nullptr;  // [nodes + 1]
  const NodeId* node_id = nullptr;  // [nodes] global
  const u32* link_node = nullptr;   // [links] source node, local
  const EcnProfile* ecn = nullptr;
  const IngressProfile* ingress_profile = nullptr;
  const u32* first_pool = nullptr;  // [nodes + 1] pools are numbered by node
  const Pool* pool_limits = nullptr;
  // routing
  const u32* group_of = nullptr;     // [global endpoint]
  const u32* attach_link = nullptr;  // [global endpoint] -> local egress link of its switch
  const u32* attach_node = nullptr;  // [global endpoint] -> local switch
  const u64* route_row = nullptr;    // [switch] where its row begins in `route`; those that forward alike share one
  const u32* route = nullptr;        // [route_row + group] -> index of sets
  const NextHops* sets = nullptr;
  const u16* set_ports = nullptr;
  const u64* ecmp_state = nullptr;       // [switch] hash chain after seed, stream and switch
  const u32* data_path_first = nullptr;  // explicit: [global endpoint + 1] into *_path, by receiver number
  const u32* data_path = nullptr;
  const u32* control_path_first = nullptr;
  const u32* control_path = nullptr;
  const u32* path_first = nullptr;
  const Routing::Hop* hops = nullptr;  // node = local switch

  // fabric state
  RingPool pool;
  Queue* queue = nullptr;               // [links * classes]
  Published* published[2] = {};         // [links * classes]
  u32* head[2] = {};                    // [links * classes] taken by the consumer
  Egress* egress = nullptr;             // [links]
  Drr* drr = nullptr;                   // [links]
  IngressPort* ingress = nullptr;       // [links]
  Account* account = nullptr;           // [links * pfc_classes]
  u64* pause_change = nullptr;          // rings of (time << 1 | pause), per (link, pfc class)
  u32* pause_tail[2] = {};              // [links * pfc_classes] written by the receiving end
  PauseReader* pause_reader = nullptr;  // [links * pfc_classes]
  PoolState* pool_state = nullptr;
  Admitted* admitted = nullptr;     // [links * classes]; empty without dynamic limits
  LinkTally* link_tally = nullptr;  // [links]

  // endpoints
  Endpoints endpoint;
  Collectives collective;

  Boundary boundary;  // of a part

  // time
  TimePs* next_ps = nullptr;             // [nodes] earliest instant at which the node has something to do, as it knows
  TimePs* wake_ps[2] = {};               // [nodes] as others told it
  const u32* first_port_word = nullptr;  // [switches + 1] 64 ports a word
  u64* port_active = nullptr;            // ports of a switch at which something is or was going on
  u64* port_wake[2] = {};                // ports at which others made something happen
  Failure* failure = nullptr;
  BrokenPhase* broken_phase = nullptr;
};

/// Tells a node that something happens at one of its ports at `when`; it reads that in the next tick.
HEDDLE_FN void wake(const View& v, u32 node, u32 port, u32 next_parity, TimePs when) {
  global_min(v.wake_ps[next_parity][node], when);
  if (node < v.switches)
    global_or(v.port_wake[next_parity][v.first_port_word[node] + port / 64], u64{1} << (port % 64));
}

}  // namespace heddle
