// Fields of a node's ports, and of the wires between them.
#pragma once

#include "kernels/fabric/link_schedule.hpp"
#include "kernels/restart/fields.hpp"
#include "kernels/restart/fifos.hpp"
#include "kernels/restart/used_entries.hpp"
#include "kernels/routing/policy_info.hpp"
#include "kernels/state/policy_words.hpp"

namespace heddle {

/// Pause changes in flight to the source of link `l`, and the pause state of that source.
template <class A>
void pause_fields(A& a, const View& v, u32 l, u32 pfc, u32 parity) {
  const u32 at = l * v.settings.pfc_classes + pfc;
  PauseReader& reader = v.pause_reader[at];
  fields(a, reader);
  u32 count = v.pause_tail[parity][at] - reader.head;
  a(count);
  if constexpr (A::kLoads) {
    reader.head = 0;
    v.pause_tail[0][at] = v.pause_tail[1][at] = count;
  }
  const IngressPort& port = v.ingress[v.egress[l].reverse];  // this port keeps the account of the link
  u64* changes = v.pause_change + port.pause_first + static_cast<u64>(pfc) * (port.pause_mask + 1);
  for (u32 i = 0; i < count; ++i) a(changes[(reader.head + i) & port.pause_mask]);
}

/// The packets that wait in queue `q`, at positions from 0 on; packets on the wire have the positions before.
template <class A>
void waiting_fields(A& a, const View& v, u32 q, u32 parity) {
  Queue& queue = v.queue[q];
  u32 count = queue.tail - queue.sent;
  a(queue.bytes, count);
  if constexpr (A::kLoads) {
    reserve(v.pool, queue.ring, v.head[parity][q], queue.tail, count);
    queue.sent = 0;
    queue.tail = count;
  }
  ring_fields(a, v.pool, queue.ring, queue.sent, queue.tail);
}

/// The packets on the wire behind queue `q` that its consumer has not taken.
template <class A>
void wire_fields(A& a, const View& v, u32 q, u32 parity) {
  Queue& queue = v.queue[q];
  u32 count = queue.sent - v.head[parity][q];
  a(count);
  if constexpr (A::kLoads) {
    reserve(v.pool, queue.ring, 0 - count, queue.tail, queue.tail);
    v.head[0][q] = v.head[1][q] = 0 - count;
  }
  ring_fields(a, v.pool, queue.ring, v.head[parity][q], queue.sent);
}

/// State of the switch's policy for the ingress queues of the port of link `l`: most of it may be zero.
template <class A>
void route_fields(A& a, const View& v, u32 l) {
  const u32 node = v.link_node[l];
  if (node >= v.switches) return;
  if (routing_policies()[v.policy_of[node]].samples_queues) a(v.sampled_queue[l].epoch, v.sampled_queue[l].bytes);
  const PolicyWords state = policy_words(v, node, l);
  used_entries(a, state.words, state.count);
}

/// State that does not follow from the schedule of failures: losses, the speed of the packet in transmission, and the
/// effect times of the latest pause changes.
template <class A>
void condition_fields(A& a, const View& v, u32 l) {
  LinkCondition& condition = v.failing.link[l];
  u32 sent_ps_per_byte_q16 = sent_at(v, l);
  a(condition.losses, sent_ps_per_byte_q16);
  if constexpr (A::kLoads) condition.sent_ps_per_byte_q16 = sent_ps_per_byte_q16;
  for (u32 p = 0; p < v.settings.pfc_classes; ++p) a(v.failing.pause_effect_ps[l * v.settings.pfc_classes + p]);
}

/// The egress of link `l`, and the ingress of the same port.
template <class A>
void port_fields(A& a, const View& v, u32 l, u32 parity) {
  a(v.egress[l].free_ps);
  fields(a, v.drr[l]);
  fields(a, v.link_tally[l]);
  if (v.settings.links_fail) condition_fields(a, v, l);
  route_fields(a, v, l);
  for (u32 c = 0; c < v.settings.classes; ++c) {
    waiting_fields(a, v, l * v.settings.classes + c, parity);
    if (v.settings.dynamic_limit_mask != 0) fields(a, v.admitted[l * v.settings.classes + c]);
  }
  for (u32 p = 0; p < v.settings.pfc_classes; ++p) {
    fields(a, v.account[l * v.settings.pfc_classes + p]);
    pause_fields(a, v, l, p, parity);
  }
}

}  // namespace heddle
