// Links that fail: the schedule, and a run's position in it (MODEL.md, 2.5). Empty while nothing fails.
#pragma once

#include "kernels/base/types.hpp"
#include "kernels/world/failures.hpp"

namespace heddle {

/// Condition of a link of this part, in addition to Egress::ps_per_byte_q16, which is 0 while the link is down.
struct LinkCondition {
  u64 loss_q64 = 0;              // per byte, now
  TimePs sent_until_ps = 0;      // end of the packet that was in transmission at the latest change
  u32 sent_ps_per_byte_q16 = 0;  // speed of that packet
  u32 next = 0;                  // index in Failing::change of the next change
  u32 losses = 0;                // packets that started on it and never arrived
};

/// The row of routes that a switch has from `from_ps` on.
struct SwitchRoutes {
  TimePs from_ps = 0;
  u64 row = 0;  // as View::route_row
};

/// A switch's position in its schedule.
struct SwitchProgress {
  u32 change = 0, routes = 0;
};

struct Failing {
  const u32* first = nullptr;  // [links + 1] into change
  const LinkChange* change = nullptr;
  LinkCondition* link = nullptr;         // [links]
  TimePs* pause_effect_ps = nullptr;     // [links * pfc_classes] effect time of the latest change that this egress sent
  const u32* first_instant = nullptr;    // [switches + 1] into instant
  const TimePs* instant = nullptr;       // when links of a switch change, in order
  const u32* first_routes = nullptr;     // [switches + 1] into routes
  const SwitchRoutes* routes = nullptr;  // in order of time
  SwitchProgress* progress = nullptr;    // [switches]
  // Of NICs with several ports, only where Settings::ports_fail.
  const u32* first_ports_out = nullptr;  // [global endpoint + 1] into ports_out
  const PortsOut* ports_out = nullptr;   // in order of time
  const TimePs* port_instant = nullptr;  // when ports of any NIC go out of service or come back, in order
  u32 port_instants = 0;
};

}  // namespace heddle
