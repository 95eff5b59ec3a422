#include "kernels/observe/explain.hpp"

#include "kernels/base/text.hpp"
#include "kernels/state/pairs.hpp"

namespace heddle {

namespace {

/// The queue pair that endpoint e, here, has noted as failed.
FailedQp failed_qp_at(const View& v, u32 e) {
  const Nic& nic = v.endpoint.nic[e];
  FailedQp qp{nic.failed_ps, v.endpoint.id[e], nic.failed_qp, v.settings.roce.rto_tries, Transport::roce};
  if (qp.number >= kReceivingEnd || sender_plan(v, PairsRank(v, e), e, qp.number).tcp == kNone) return qp;
  qp.retries = v.settings.tcp.retries;
  qp.transport = Transport::tcp;
  return qp;
}

}  // namespace

FailedQp first_failed_qp(const View& v) {
  FailedQp first;
  for (u32 e = 0; e < v.endpoints; ++e) {
    if (v.endpoint.nic[e].failed_qp != kNone) first = earlier(first, failed_qp_at(v, e));
  }
  return first;
}

namespace {

/// Packets that occupy memory of an egress.
struct Kept {
  u64 queued = 0, queued_bytes = 0;
  u64 on_wire = 0;
  u64 packets() const { return queued + on_wire; }
  void operator+=(const Kept& other) {
    queued += other.queued;
    queued_bytes += other.queued_bytes;
    on_wire += other.on_wire;
  }
};

Kept kept_at(const View& v, u32 link, u32 parity) {
  Kept kept;
  for (u32 c = 0; c < v.settings.classes; ++c) {
    const u32 q = link * v.settings.classes + c;
    const Queue& queue = v.queue[q];
    kept += {queue.tail - queue.sent, queue.bytes, queue.sent - v.head[parity][q]};
  }
  return kept;
}

}  // namespace

std::string explain_exhausted(const Model& model, u32 parity, const std::function<std::string(u32)>& port_name) {
  const View& v = model.view;
  Kept all, most;
  u32 fullest = 0;
  for (u32 l = 0; l < model.all_links(); ++l) {
    const Kept kept = kept_at(v, l, parity);
    all += kept;
    if (kept.packets() <= most.packets()) continue;
    fullest = l;
    most = kept;
  }
  const std::string what = v.collective.charge_pairs ? "queued packets and connections in use" : "queued packets";
  return "the memory for " + what + " is exhausted: " + std::to_string(all.queued) + " packets (" +
         rounded_bytes(all.queued_bytes) + ") are queued and " + std::to_string(all.on_wire) +
         " are on wires, most of them (" + std::to_string(most.packets()) + ") at " +
         port_name(model.global_link[fullest]) + "; give the run more memory (heddle run --memory SIZE), or " +
         (all.queued >= all.on_wire ? "make its queues shorter" : "let it have fewer packets under way");
}

std::string explain_too_many_packets(u64 needed, u64 capacity) {
  return "the checkpoint needs room for " + std::to_string(needed) + " queued packets on the GPU, which has room for " +
         std::to_string(capacity) + "; give more (heddle run --memory SIZE), or resume with --device cpu";
}

std::string explain_full_events(u64 events, u64 capacity) {
  return "the GPU's event buffer is full: one tick caused " + std::to_string(events) + " events and it holds " +
         std::to_string(capacity) +
         "; record fewer (output.drop_events = false, output.pfc_events = false, no output.pfc_file), give a shorter "
         "simulation.tick, which changes no result, or run with --device cpu, which has no such limit";
}

}  // namespace heddle
