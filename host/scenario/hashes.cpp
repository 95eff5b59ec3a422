#include "host/scenario/hashes.hpp"

#include "kernels/base/hash.hpp"

namespace heddle {
namespace {

class Hasher {
 public:
  template <class... Words>
  void add(Words... words) {
    ((state_ = absorb(state_, static_cast<u64>(words))), ...);
  }
  u64 value() const { return state_; }

 private:
  u64 state_ = 0;
};

}  // namespace

u64 topology_hash(const World& world) {
  Hasher h;
  h.add(world.fabric.endpoints, world.fabric.nodes.size());
  for (const Link& l : world.fabric.links) h.add(l.src, l.dst, l.dst_port, l.ps_per_byte_q16, l.lambda_ps, l.phi_ps);
  for (const Routing::Hop& hop : world.routing.hops) h.add(hop.node, hop.port);
  for (const u32 weight : world.routing.link_weight) h.add(weight);
  for (const RouteEntries& version : world.routing.controller) {
    h.add(version.from_ps);
    for (const u32 first : version.first) h.add(first);
    for (const RouteEntry& entry : version.entries) h.add(entry.group, entry.port);
  }
  return h.value();
}

u64 workload_hash(const World& world) {
  Hasher h;
  for (const Qp& qp : world.traffic.qps) h.add(qp.src, qp.dst, qp.traffic_class, qp.connection);
  for (const Message& m : world.traffic.messages) h.add(m.qp, m.bytes, m.post_ps, m.waits_for);
  for (const MessageWait& w : world.traffic.waits) h.add(w.awaited, w.received, w.waiting);
  for (const Request& r : world.traffic.requests) h.add(r.generator, r.first, r.questions, r.answers, r.job);
  for (const MessageId m : world.traffic.of_requests) h.add(m);
  if (const ControlNetwork& control = world.routing.control; control.commit_ps != 0) {
    h.add(control.commit_ps, control.solve_ps, control.switches);
    for (const MessageId m : control.routes) h.add(m);
  }
  for (const SlowReceiver& s : world.traffic.slow_receivers) h.add(s.endpoint, s.drain_ps_per_byte_q16);
  for (const Collective& c : world.collectives.collectives)
    h.add(c.job, c.kind, c.bytes, c.start_ps, c.algorithm, c.protocol, c.slots, c.composed, c.eager, c.schedule,
          c.schedules);
  for (const SliceSchedule& schedule : world.collectives.schedules)
    h.add(schedule.total, schedule.full, schedule.full_bytes, schedule.tail_period, schedule.tail_bytes[0],
          schedule.tail_bytes[1]);
  for (const Job& j : world.collectives.jobs) {
    h.add(j.scaling, j.number, j.group, j.by_program, j.slices_per_cts);
    for (const ChannelEndGroup& group : j.groups) h.add(group.window);
    h.add(j.all_pairs.channels, j.all_pairs.gpus_per_server, j.all_pairs.qps, world.traffic.source_port_per_qp);
    for (const EndpointId e : j.ranks) h.add(e);
  }
  const ProgramPlan& programs = world.programs;
  for (const Op& op : programs.ops) h.add(op.kind, op.group, op.stream, op.n, op.ps);
  for (const OpStream& stream : programs.streams) h.add(stream.first_op, stream.ops);
  for (const Program& program : programs.programs) h.add(program.first_stream, program.streams);
  for (const Task& task : programs.tasks) h.add(task.job, task.start_ps, task.iterations, task.jitter_q16, task.trains);
  for (const ProgramRun& run : programs.runs) {
    h.add(run.gpu, run.task, run.program, run.slower_q16);
    if (run.batches != 0) h.add(run.helper, run.batches, run.loads, programs.handover_ps);
  }
  for (const Batch& batch : programs.batches) h.add(batch.posted, batch.awaited);
  for (const u32 message : programs.posted) h.add(message);
  for (const AwaitedMessage& awaited : programs.awaited) h.add(awaited.message, awaited.received);
  return h.value();
}

}  // namespace heddle
