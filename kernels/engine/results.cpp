// The results of a run, while it is running and at its end.
#include "kernels/engine/impl.hpp"
#include "kernels/observe/explain.hpp"
#include "kernels/observe/link_report.hpp"
#include "kernels/observe/received.hpp"

namespace heddle {

Totals Engine::totals() const {
  const Tally t = impl_->backend->tally();
  const auto count = [&](EventKind kind) { return t.count[static_cast<u32>(kind)]; };
  Totals totals;
  totals.packet_hops = t.packet_hops;
  totals.data_packets_received = t.data_received;
  totals.data_packets_out_of_order = t.out_of_order;
  totals.data_packets_duplicate = t.duplicates;
  totals.largest_reordering_packets = static_cast<u64>(t.largest_reordering);
  totals.flowlets = t.flowlets;
  totals.flowlet_collisions = t.flowlet_collisions;
  totals.path_changes = t.path_changes;
  totals.detours = t.detours;
  totals.marks = count(EventKind::mark);
  totals.pauses = count(EventKind::pause);
  totals.resumes = count(EventKind::resume);
  totals.cnps = count(EventKind::cnp);
  totals.retransmits = count(EventKind::retransmit);
  totals.timeouts = count(EventKind::timeout);
  for (u32 i = 0; i < kDropCauses; ++i) totals.drops[i] = t.drops[i];
  return totals;
}

void Engine::link_counters(std::span<LinkCounters> out) const {
  spread_counters(impl_->model, impl_->backend->link_counters(impl_->last_ps()), out);
}

void Engine::links(std::span<LinkOutcome> out) const {
  impl_->received_at_the_end("links");
  read_links(impl_->model, impl_->last_ps(), out);
}

void Engine::visit_received(const ReceivedVisitor& visit) const {
  impl_->backend->fetch();
  heddle::visit_received(impl_->model, visit);
}

std::vector<Event> Engine::take_events() { return impl_->backend->take_events(); }

Ending Engine::ending() const {
  const Impl& m = *impl_;
  m.backend->fetch();
  const View& v = m.model.view;
  const Tally tally = m.backend->tally();
  Ending end;
  end.event_digest = tally.digest;
  end.totals = totals();
  end.last_completion_ps = tally.last_completion_ps;
  end.unfinished = (m.model.messages_sent - tally.messages_acked) + (m.model.rank_finishes - tally.ranks_finished) +
                   (m.model.iteration_ends - tally.iterations_ended);
  end.quiet = m.quiet();
  end.now_ps = m.tick.from;
  end.horizon_ps = m.horizon_ps;
  if (m.exhausted_ps) {
    m.backend->fetch_all(m.tick.parity);
    end.exhausted_ps = *m.exhausted_ps;
    end.exhausted = explain_exhausted(m.model, m.tick.parity, [&](u32 link) { return m.port_name(link); });
  }
  end.deadlock = m.deadlock;
  if (m.qp_failed()) end.failed = first_failed_qp(v);
  end.collectives.assign(v.collective.log, v.collective.log + m.model.collectives);
  end.iterations.assign(v.collective.programs.log, v.collective.programs.log + m.model.iterations);
  impl_->received = received_bytes(m.model);
  return end;
}

void Engine::messages(u64 first, std::span<MessageOutcome> out) const {
  const MessageLog& log = impl_->model.view.endpoint.message;
  const std::vector<u64>& received = impl_->received_at_the_end("messages");
  for (MessageOutcome& message : out) {
    const u64 i = first++;
    message = {log.sent[i], log.received[i], received[i]};
    if (impl_->model.view.settings.messages_wait) message.posted_ps = impl_->model.view.endpoint.waits.posted_ps[i];
  }
}

Outcome Engine::outcome() {
  if (next_beyond_horizon_ps() >= kNever) skip_to(kNever);
  Ending end = ending();
  if (is_complete(end)) skip_to(kNever);
  Outcome out = conclude(std::move(end), state_digest());
  out.messages.resize(impl_->model.messages);
  messages(0, out.messages);
  out.links.resize(impl_->model.local_link.size());
  links(out.links);
  out.events = take_events();
  out.warnings = warnings();
  return out;
}

const std::vector<std::string>& Engine::warnings() const { return impl_->warnings; }

}  // namespace heddle
