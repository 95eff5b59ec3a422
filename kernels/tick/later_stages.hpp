// What the passes of plain runs and of all others have in common: packets that answer others, and the stages of an
// instant between the arrivals and the starts (MODEL.md, 4.4).
#pragma once

#include "kernels/collective/scheduler.hpp"
#include "kernels/transport/receiver.hpp"

namespace heddle {

/// Takes a packet at t that is not data.
template <class Team>
HEDDLE_FN void take_control_packet(const Packet& packet, TimePs t, const SenderSide<Team>& senders,
                                   CollectiveScheduler<Team>& scheduler) {
  switch (packet.kind()) {
    case PacketKind::data:
      break;
    case PacketKind::ack:
    case PacketKind::nak:
      senders.on_ack(packet.dst_qp(), packet.psn(), packet.kind() == PacketKind::nak, packet.ecn(), packet.last(), t);
      break;
    case PacketKind::cnp:
      senders.on_cnp(packet.dst_qp(), t);
      break;
    case PacketKind::cts:
      scheduler.on_cts(packet, t);
      break;
    case PacketKind::cts_ack:
    case PacketKind::cts_nak:
      scheduler.on_cts_answer(packet.dst_qp(), packet.psn(), packet.kind() == PacketKind::cts_nak, t);
      break;
  }
}

/// The stages at t behind the arrivals: the GPU's work, timers, the collective stage.
template <class Team>
HEDDLE_FN void run_later_stages(TimePs t, const SenderSide<Team>& senders, const ReceiverSide<Team>& receivers,
                                CollectiveScheduler<Team>& scheduler) {
  scheduler.complete_work(t);
  if (senders.next_due_ps() <= t) senders.fire(t);
  receivers.fire(t);
  if (!scheduler.present()) return;
  scheduler.time_out_ctss(t);
  scheduler.progress(t);
}

}  // namespace heddle
