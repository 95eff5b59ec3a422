#include "kernels/observe/explain.hpp"

#include "kernels/base/text.hpp"

namespace heddle {

FailedQp first_failed_qp(const View& v) {
  FailedQp first;
  for (u32 e = 0; e < v.endpoints; ++e) {
    const Nic& nic = v.endpoint.nic[e];
    if (nic.failed_sender != kNone) first = earlier(first, {nic.failed_ps, v.endpoint.id[e], nic.failed_sender});
  }
  return first;
}

std::string explain_exhausted(const Model& model, const std::function<std::string(u32)>& port_name) {
  const View& v = model.view;
  u64 queued = 0, worst_bytes = 0;
  u32 worst = 0;
  for (u32 l = 0; l < v.links; ++l) {
    u64 bytes = 0;
    for (u32 c = 0; c < v.settings.classes; ++c) bytes += v.queue[l * v.settings.classes + c].bytes;
    queued += bytes;
    if (bytes <= worst_bytes) continue;
    worst = l;
    worst_bytes = bytes;
  }
  const std::string kept = v.collective.charge_pairs ? "queued packets and connections in use" : "queued packets";
  return "the memory for " + kept + " is exhausted: " + rounded_bytes(queued) + " are queued, most of them (" +
         rounded_bytes(worst_bytes) + ") at " + port_name(model.global_link[worst]) +
         "; give the run more memory (heddle run --memory SIZE), or make its queues shorter";
}

std::string explain_too_many_packets(u64 needed, u64 capacity) {
  return "the checkpoint needs room for " + std::to_string(needed) + " queued packets on the GPU, which has room for " +
         std::to_string(capacity) + "; give more (heddle run --memory SIZE), or go on with --device cpu";
}

std::string explain_full_events(u64 events, u64 capacity) {
  return "the GPU's event buffer is full: one tick caused " + std::to_string(events) + " events and it holds " +
         std::to_string(capacity) +
         "; record fewer (output.drop_events = false, output.pfc_events = false, no output.pfc_file), give a shorter "
         "simulation.tick, which changes no result, or run with --device cpu, which has no such limit";
}

}  // namespace heddle
