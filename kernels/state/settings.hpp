// Properties of the World that every kernel needs besides arrays.
#pragma once

#include "kernels/base/macros.hpp"
#include "kernels/base/types.hpp"
#include "kernels/world/tcp.hpp"
#include "kernels/world/transport.hpp"

namespace heddle {

/// The congestion control of this run: its number in congestion/controls.hpp. Its settings are in Endpoints::control.
struct ControlView {
  u32 number = kNone;       // kNone: none
  u32 state_bytes = 0;      // per sender
  bool sends_cnps = false;  // receivers answer marks, at most every
  TimePs cnp_gap_ps = 0;
  bool whole_nanoseconds = false;  // waits for the pace are truncated to whole ns

  HEDDLE_FN bool any() const { return number != kNone; }
};

/// Class table and other settings, small enough for constant memory.
struct Settings {
  u64 seed = 1;
  TimePs epoch_ps = 0;
  u32 slot_log2 = 15;
  u32 classes = 3, pfc_classes = 1;
  u32 pfc_index[kMaxClasses] = {};  // class -> 0.., kNone: no PFC
  u32 pfc_class[kMaxClasses] = {};  // the inverse
  u32 strict_mask = 1, weighted_mask = 0, ecn_mask = 0, limited_mask = 0;
  u32 quantum_bytes[kMaxClasses] = {};
  u32 wire_gap_bytes = 0;                 // Fabric::wire_gap_bytes
  u64 limit_bytes[kMaxClasses] = {};      // 0: none
  u32 limit_alpha_q16[kMaxClasses] = {};  // 0: no dynamic limit
  u32 dynamic_limit_mask = 0;
  TimePs watchdog_ps = 0;  // 0: off
  u32 weighted_classes = 0;
  u32 nic_ports = 1;        // of a NIC, at most
  bool ports_fail = false;  // some ports of NICs with several ports go out of service
  bool ecn_at_arrival = false;
  bool any_nvlink = false;
  u32 detour_class = 0;    // Routing::detour_class
  u32 route_groups = 0;    // groups of addresses: so long is a row of View::route
  bool plain_hash = true;  // all switches hash the five-tuple, ideally
  bool links_fail = false;
  bool slow_nics = false;          // some NICs drain their buffers slower than packets arrive
  bool keeps_route_state = false;  // some policy of this part has state
  bool samples_queues = false;     // some policy of this part reads sampled queues
  u32 recorded_kinds = 0;          // bit mask of EventKind
  bool trace = false;              // departures enter the digest
  bool report_departures = false;  // departures are events at all
  bool report_cts_waits = false;   // waits for CTSs are events
  bool report_windows = false;     // changes of TCP's windows are events
  bool source_port_per_qp = false;
  bool messages_wait = false;  // some messages wait for others, or for programs
  bool any_batches = false;    // some programs post messages
  bool any_tcp = false;        // some queue pairs are TCP connections
  RoceSettings roce;
  TcpSettings tcp;
  ControlView congestion;
};

}  // namespace heddle
