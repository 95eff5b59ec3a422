// Programs of GPUs, and the communicators that they name.
#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "kernels/instantiate/instantiate.hpp"

namespace heddle {
namespace {

/// Members of jobs that programs name, by local endpoint, in the order of the jobs.
struct NamedMembers {
  std::vector<u32> member, first{0};

  u32 count(u32 e) const { return first[e + 1] - first[e]; }
};

NamedMembers named_members(const World& world, const View& v) {
  const Collectives& k = v.collective;
  NamedMembers named;
  for (u32 e = 0; e < v.endpoints; ++e) {
    for (u32 m = k.first_member[e]; m < k.first_member[e + 1]; ++m) {
      if (named_by_programs(world.collectives.jobs[k.member[m].job])) named.member.push_back(m);
    }
    named.first.push_back(static_cast<u32>(named.member.size()));
  }
  return named;
}

void check_op(const Op& op, const OpStream* streams, u32 count) {
  switch (op.kind) {
    case OpKind::compute:
    case OpKind::delay:
      if (op.ps < 0 || op.ps >= kMaxComputePs)
        throw std::invalid_argument("program: a computation or a delay of 17 s or more");
      return;
    case OpKind::collective:
    case OpKind::entered:
    case OpKind::finish:
      return;
    case OpKind::post:
    case OpKind::written:
      if (op.stream >= kBatchSeries) throw std::invalid_argument("program: a series of batches of no such number");
      return;
    case OpKind::wait:
      if (op.stream >= count || op.n > streams[op.stream].ops)
        throw std::invalid_argument("program: a wait for an operation that there is not");
      if (op.group != kNoGroup && op.group >= kGroups)
        throw std::invalid_argument("program: a group of no such number");
      return;
  }
}

/// Numbers of operations by which a program uses one communicator in an iteration.
struct Asked {
  u64 collectives = 0, entered = 0, finished = 0;
};

/// Usage of each communicator that the program names, indexed by communicator. Checks the operations on the way.
std::vector<Asked> asked_by(const ProgramPlan& plan, const Program& program) {
  std::vector<Asked> asked;
  const OpStream* streams = plan.streams.data() + program.first_stream;
  for (u32 s = 0; s < program.streams; ++s) {
    for (u32 i = 0; i < streams[s].ops; ++i) {
      const Op& op = plan.ops[streams[s].first_op + i];
      check_op(op, streams, program.streams);
      if (op.kind != OpKind::collective && op.kind != OpKind::entered && op.kind != OpKind::finish) continue;
      if (op.n >= asked.size()) asked.resize(op.n + 1);
      if (op.kind == OpKind::collective) ++asked[op.n].collectives;
      if (op.kind == OpKind::entered) ++asked[op.n].entered;
      if (op.kind == OpKind::finish) ++asked[op.n].finished;
    }
  }
  return asked;
}

u64 composed_of(const CollectivePlan& plan, const Job& job) {
  return static_cast<u64>(
      std::ranges::count_if(job.collectives, [&](u32 id) { return plan.collectives[id].composed; }));
}

/// Checks that a GPU is in the communicators that its program names, and that they have as many collectives as it uses.
void check_communicators(const World& world, const View& v, const NamedMembers& named, u32 e,
                         const std::vector<Asked>& asked, u32 iterations) {
  bool right = asked.size() == named.count(e);
  for (u32 i = 0; right && i < asked.size(); ++i) {
    const Job& job = world.collectives.jobs[v.collective.member[named.member[named.first[e] + i]].job];
    const u64 composed = composed_of(world.collectives, job);
    right = asked[i].collectives * iterations == (job.by_program ? job.collectives.size() : 0) &&
            asked[i].entered * iterations == composed && asked[i].finished * iterations == composed;
  }
  if (!right) throw std::invalid_argument("program: other collectives than its GPU's communicators have");
}

/// By series: Op::n of each post of a program, in one stream of which all posts and waits for them stand.
using Posts = std::array<std::vector<u32>, kBatchSeries>;

Posts posts_of(const ProgramPlan& plan, const Program& program) {
  Posts posts;
  u32 streams[kBatchSeries] = {};
  for (u32 s = program.first_stream; s < program.first_stream + program.streams; ++s) {
    bool any[kBatchSeries] = {};
    for (u32 i = plan.streams[s].first_op; i < plan.streams[s].first_op + plan.streams[s].ops; ++i) {
      const Op& op = plan.ops[i];
      if (op.kind == OpKind::post) posts[op.stream].push_back(op.n);
      if (op.kind == OpKind::post || op.kind == OpKind::written) any[op.stream] = true;
    }
    for (u32 series = 0; series < kBatchSeries; ++series) streams[series] += any[series] ? 1 : 0;
  }
  if (streams[0] > 1 || streams[1] > 1)
    throw std::invalid_argument("program: posts in several streams, whose order at an instant is not defined");
  return posts;
}

/// `posts`: of its program.
void check_batches(const ProgramPlan& plan, const ProgramRun& run, const Posts& posts, const Model& model) {
  const u32 iterations = plan.tasks[run.task].iterations;
  if (run.loads > run.batches) throw std::invalid_argument("program: batches that are not in the table");
  for (u32 series = 0; series < kBatchSeries; ++series) {
    u64 executed = 0;
    for (const u32 n : posts[series]) executed += n == 0 ? iterations : iterations / n;
    if (executed != run.series(static_cast<BatchSeries>(series)).count)
      throw std::invalid_argument("program: other posts than its run has batches");
  }
  if (run.batches == 0) return;
  if (run.first_batch > plan.batches.size() || run.batches > plan.batches.size() - run.first_batch)
    throw std::invalid_argument("program: batches that are not in the table");
  if (run.helper >= model.local_endpoint.size() || model.local_endpoint[run.helper] == kNone)
    throw std::invalid_argument("program: the helper of a GPU is in another part, or nowhere");
}

/// Adds the state by which GPUs and their helpers exchange batches.
void add_batches(const ProgramPlan& plan, const std::vector<GpuProgram>& gpus, Model& model) {
  if (plan.batches.empty()) return;
  View& v = model.view;
  Programs& p = v.collective.programs;
  Arrays& a = model.arrays;
  p.handover_ps = plan.handover_ps;
  TimePs* handed = a.add<TimePs>(v, p.handed_ps, "batches handed over", StateKind::dense, plan.batches.size());
  std::fill_n(handed, plan.batches.size(), kNever);
  std::vector<u32> first(v.endpoints + 1, 0), client;
  for (u32 e = 0; e < v.endpoints; ++e) {
    for (u32 series = 0; series < kBatchSeries; ++series) {
      if (gpus[e].series[series].count == 0) continue;
      client.push_back(kBatchSeries * e + series);
      ++first[gpus[e].helper + 1];
    }
  }
  std::ranges::stable_sort(client, {}, [&](u32 c) { return gpus[c / kBatchSeries].helper; });
  std::partial_sum(first.begin(), first.end(), first.begin());
  a.add_plan(v, p.first_client, "first helped GPU", first);
  a.add_plan(v, p.client, "helped GPUs", client);
  a.add<u32>(v, p.taken, "batches taken", StateKind::dense, client.size());
}

void check_tasks(const World& world) {
  const ProgramPlan& plan = world.programs;
  if (!plan.tasks.empty() && world.collectives.jobs.empty())
    throw std::invalid_argument("program: programs that communicate with nobody");
  for (const Task& task : plan.tasks) {
    if (task.jitter_q16 > kMaxStretchQ16) throw std::invalid_argument("program: too much jitter");
  }
}

}  // namespace

void instantiate_programs(const World& world, Model& model) {
  const ProgramPlan& plan = world.programs;
  check_tasks(world);
  if (plan.tasks.empty()) return;
  View& v = model.view;
  Programs& p = v.collective.programs;
  const NamedMembers named = named_members(world, v);
  std::vector<GpuProgram> gpus(v.endpoints);
  std::vector<std::vector<Asked>> asked;
  std::vector<Posts> posts;
  for (const Program& program : plan.programs) {
    asked.push_back(asked_by(plan, program));
    posts.push_back(posts_of(plan, program));
  }
  u32 streams = 0;
  for (const ProgramRun& run : plan.runs) {
    const u32 e = model.local_endpoint[run.gpu];
    if (e == kNone) continue;
    if (gpus[e].program != kNone) throw std::invalid_argument("program: a GPU with two of them");
    if (run.slower_q16 > kMaxStretchQ16) throw std::invalid_argument("program: too slow a GPU");
    check_communicators(world, v, named, e, asked[run.program], plan.tasks[run.task].iterations);
    check_batches(plan, run, posts[run.program], model);
    gpus[e] = {run.program,
               run.task,
               run.slower_q16,
               streams,
               named.first[e],
               run.batches == 0 ? kNone : model.local_endpoint[run.helper],
               {run.series(BatchSeries::checkpoints), run.series(BatchSeries::loads)}};
    streams += plan.programs[run.program].streams;
    model.iteration_ends += plan.tasks[run.task].iterations;
    TimePs& due = v.collective.gpu[e].due_ps[kMemberStart];
    due = std::min(due, plan.tasks[run.task].start_ps);
  }
  const std::vector<u32> first = first_iterations(plan);
  model.iterations = first.back();
  p.tasks = static_cast<u32>(plan.tasks.size());
  Arrays& a = model.arrays;
  a.add_plan(v, p.op, "operations", plan.ops);
  a.add_plan(v, p.op_stream, "streams of operations", plan.streams);
  a.add_plan(v, p.program, "programs", plan.programs);
  a.add_plan(v, p.task, "tasks", plan.tasks);
  a.add_plan(v, p.first_iteration, "first iterations", first);
  a.add_plan(v, p.gpu, "programs of GPUs", gpus);
  a.add_plan(v, p.member, "members that programs name", named.member);
  add_batches(plan, gpus, model);
  a.add<StreamState>(v, p.stream, "streams", StateKind::dense, streams);
  a.add<ProgramState>(v, p.state, "program states", StateKind::dense, v.endpoints);
  IterationOutcome* log = a.add<IterationOutcome>(v, p.log, "iteration log", StateKind::dense, model.iterations);
  std::fill(log, log + model.iterations, IterationOutcome{});
}

}  // namespace heddle
