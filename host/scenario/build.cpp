#include "host/scenario/build.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "host/scenario/memory/input_memory.hpp"
#include "host/config/imported_file.hpp"
#include "host/config/quantity_text.hpp"
#include "host/config/units.hpp"
#include "host/scenario/controller/cspf.hpp"
#include "host/scenario/controller/settings.hpp"
#include "host/error.hpp"
#include "host/scenario/failures/schedule.hpp"
#include "host/stage.hpp"
#include "host/scenario/topology/explicit_paths.hpp"
#include "host/scenario/topology/headroom.hpp"
#include "host/scenario/topology/link_weights.hpp"
#include "host/scenario/topology/queue_limits.hpp"
#include "host/scenario/workload/flows.hpp"
#include "io/foreign/byte_matrix.hpp"
#include "io/foreign/chakra.hpp"
#include "io/foreign/demands.hpp"
#include "io/foreign/goal.hpp"
#include "io/foreign/hpcc.hpp"
#include "io/foreign/htsim.hpp"
#include "io/foreign/paths.hpp"
#include "io/foreign/simai.hpp"
#include "io/foreign/size_cdf.hpp"
#include "io/foreign/weights.hpp"
#include "kernels/base/hash.hpp"
#include "kernels/base/units.hpp"
#include "kernels/congestion/control_info.hpp"
#include "kernels/routing/policy_info.hpp"

namespace heddle {
namespace {

/// GPUs that the file joins by NVLink are those of a job's servers.
void check_servers(const Config& config, const PlainServers& imported) {
  for (size_t j = 0; j < config.jobs.size(); ++j) {
    const u32 of_job = config.jobs[j].gpus_per_server;
    if (config.fabric.topology.kind != "simai" || of_job == imported.gpus_per_server) continue;
    throw ConfigError(
        fmt::format("{0}: job[{1}].gpus_per_server is {2}, but NVLink joins {3} GPUs in '{4}'; set it to {3}",
                    config.path, j, of_job, imported.gpus_per_server, config.fabric.topology.file));
  }
}

/// One server without a network has what its NVLink carries.
void refuse_messages(const Config& config) {
  if (config.messages.empty() && config.generators.empty() && config.workload_files.flow_file.empty()) return;
  throw ConfigError(fmt::format(
      "{}: '{}' is one server without a network, so there is nothing that messages, generators or a flow_file could "
      "cross; leave them out (jobs use its NVLink), or add switches and links to the file",
      config.path, config.fabric.topology.file));
}

std::optional<PlainTopology> read_imported(const Config& config) {
  const TopologyOptions& topology = config.fabric.topology;
  if (!is_imported(topology.kind)) return std::nullopt;
  if (topology.file.empty()) {
    throw ConfigError(fmt::format("{}: topology.kind = \"{}\" needs topology.file: the path of a topology.txt",
                                  config.path, topology.kind));
  }
  std::optional<PlainServers> imported = read_imported_file(config);
  const std::string lossy = lossy_link_of(imported->network, path_beside(config, topology.file));
  if (!lossy.empty()) throw ConfigError(lossy);
  check_servers(config, *imported);
  if (imported->alone) refuse_messages(config);
  return std::move(imported->network);
}

void set_classes(const Config& config, Fabric& fabric) {
  fabric.classes.assign(config.classes.begin(), config.classes.end());
  for (u32 c = 0; c < kClassNames.size(); ++c) {
    const ClassOptions& options = config.classes[c];
    if (options.limit_alpha > 0 && options.pfc) {
      throw ConfigError(
          fmt::format("{}: class.{}.limit_alpha = {}: this class has pfc, so its packets are accounted for "
                      "where they come in and pause their senders; set pfc = false, or limit_alpha = 0",
                      config.path, kClassNames[c], options.limit_alpha));
    }
    fabric.classes[c].limit_alpha_q16 = static_cast<u32>(std::lround(options.limit_alpha * 65536.0));
    if (options.limit_alpha > 0 && fabric.classes[c].limit_alpha_q16 == 0) {
      throw ConfigError(
          fmt::format("{}: class.{}.limit_alpha = {}: shares are kept in 1/65536, and this one is rounded to 0, which "
                      "would mean no limit; give at least 0.0000153",
                      config.path, kClassNames[c], options.limit_alpha));
    }
  }
}

void set_model(const Config& config, World& world) {
  world.seed = config.simulation.seed;
  set_classes(config, world.fabric);
  if (!world.fabric.classes[0].strict) {
    throw ConfigError(config.path +
                      ": class.control.strict = false: ACKs, NAKs, CNPs and CTSs pass all data in this model; use "
                      "class.lossless.weight to share what is left, and remove this key");
  }
  world.roce = config.roce;
  world.roce.recovery = recovery_of(config.roce_options.recovery);
  world.congestion = config.congestion.congestion();
  world.congestion.whole_nanoseconds = config.fabric.link.whole_nanoseconds;
  if (config.collective.copy_computing_bytes_per_s != 0 && config.collective.copy_computing_bytes_per_s < 100'000'000) {
    throw ConfigError(
        config.path +
        ": collective.copy_rate_computing is below 100 MB/s, so copies would all but stop; give more, or 0 "
        "for copy_rate");
  }
  if (static_cast<double>(config.collective.nvlink_bytes_per_s) * config.collective.nvls_efficiency < 1e8) {
    throw ConfigError(config.path +
                      ": collective.nvlink_rate times nvls_efficiency is below 100 MB/s, slower than anything that is "
                      "built; give more of either");
  }
  world.collectives.settings = collective_settings_of(config.collective);
  world.clocks = sampling_clocks(config.simulation);
}

/// The file of a job that replays one. A schedule says how many ranks it has, a workload does not.
void read_trace(const Config& config, size_t index, JobOptions& job) {
  if (!job.trace.present()) return;
  if (job.trace.file.empty()) {
    throw ConfigError(
        fmt::format("{0}: job[{1}].trace.file: format = \"{2}\" needs it; add file = \"...\" to [job.trace]",
                    config.path, index, job.trace.format));
  }
  const std::string path = path_beside(config, job.trace.file);
  if (job.trace.format != "simai") {
    const std::string groups = job.trace.groups_file.empty() ? "" : path_beside(config, job.trace.groups_file);
    const ChakraGpu gpu{job.trace.peak_tflops, job.trace.memory_bytes_per_s};
    job.replayed = std::make_shared<const Trace>(
        job.trace.format == "goal" ? read_goal(path, job.trace.eager_limit_bytes) : read_chakra(path, groups, gpu));
    if (job.gpus == 0) job.gpus = static_cast<u32>(job.replayed->ranks.size());
    return;
  }
  if (job.gpus == 0) {
    throw ConfigError(
        fmt::format("{}: job[{}].gpus: a SimAI workload is for any number of GPUs; say how many", config.path, index));
  }
  job.replayed = std::make_shared<const Trace>(read_simai(path, job.gpus));
}

void add_notes(const WorkloadInput& workload, std::vector<std::string>& notes) {
  for (const JobOptions& job : workload.jobs) {
    if (job.replayed != nullptr) notes.insert(notes.end(), job.replayed->notes.begin(), job.replayed->notes.end());
  }
}

void read_matrices(const Config& config, JobOptions& job) {
  for (CollectiveStepOptions& step : job.collectives) {
    if (step.matrix_file.empty()) continue;
    const std::string path = path_beside(config, step.matrix_file);
    step.matrix = std::make_shared<const PlainByteMatrix>(read_byte_matrix(path));
    if (job.gpus == 0) job.gpus = step.matrix->ranks;
  }
}

void read_flows(const Config& config, const PlainTopology* imported, WorkloadInput& input,
                std::vector<std::string>& warnings) {
  const WorkloadFileOptions& files = config.workload_files;
  input.flow_file = path_beside(config, files.flow_file);
  if (files.flow_format == "htsim") {
    const StartUnit unit = files.start_unit == "us" ? StartUnit::us : StartUnit::ps;
    PlainMatrix matrix = read_htsim_matrix(input.flow_file, files.first_flows, unit);
    place_waits(matrix, input.flow_file, unit, warnings);
    input.flow_nodes = matrix.nodes;
    input.flow_nodes_line = matrix.nodes_line;
    input.flows = std::move(matrix.flows);
    input.waits = std::move(matrix.waits);
  } else {
    input.flows =
        read_hpcc_flows(input.flow_file, imported == nullptr ? 0 : imported->nodes, {.first_flows = files.first_flows});
    if (imported != nullptr) place_flows(input.flows, *imported, input.flow_file);
  }
}

WorkloadInput workload_input(const Config& config, const PlainTopology* imported, std::vector<std::string>& warnings) {
  WorkloadInput input;
  input.settings = config.workload;
  input.messages = config.messages;
  input.generators = config.generators;
  input.slow_receivers = config.slow_receivers;
  input.jobs = config.jobs;
  for (size_t j = 0; j < input.jobs.size(); ++j) {
    read_trace(config, j, input.jobs[j]);
    read_matrices(config, input.jobs[j]);
  }
  for (const GeneratorOptions& generator : config.generators) {
    input.size_cdfs.emplace_back();
    if (!generator.size_cdf.empty()) {
      input.size_cdfs.back() = size_cdf_of(read_size_cdf(path_beside(config, generator.size_cdf)));
    }
  }
  if (!config.workload_files.flow_file.empty()) read_flows(config, imported, input, warnings);
  return input;
}

void set_explicit_paths(const Config& config, const PlainTopology* imported, World& world) {
  const std::string& file = config.routing.paths_file;
  if (!world.routing.paths_are_given()) {
    if (file.empty()) return;
    throw ConfigError(config.path + ": routing.paths_file is given, but routing.policy is \"" + config.routing.policy +
                      "\", which would ignore it; set routing.policy = \"explicit\" or remove the file");
  }
  if (file.empty()) {
    throw ConfigError(config.path +
                      ": routing.policy = \"explicit\" needs routing.paths_file (CSV src,dst,data_path,ack_path)");
  }
  add_explicit_paths(read_paths_csv(path_beside(config, file)), imported, world);
}

/// A file that no tier's policy looks at.
void refuse_unused(std::string_view key, bool PolicyInfo::*looks_at_it, const Config& config, const World& world) {
  if (any_tier(world.routing, looks_at_it)) return;
  std::string names;
  for (const PolicyInfo& policy : routing_policies()) {
    if (policy.*looks_at_it) names += fmt::format("{}\"{}\"", names.empty() ? "" : " or ", policy.name);
  }
  throw ConfigError(fmt::format(
      "{}: routing.{} is given, but no tier has the policy {}, so it would be ignored; set routing.policy = "
      "{} or remove the file",
      config.path, key, names, names));
}

void set_weights(const Config& config, World& world) {
  const std::string& file = config.routing.weights_file;
  if (file.empty()) return;
  refuse_unused("weights_file", &PolicyInfo::weighs_links, config, world);
  set_link_weights(read_weights_csv(path_beside(config, file)), path_beside(config, file), world);
}

/// One that measures solves while the run goes on (host/scenario/controller/settings.hpp).
void check_measuring(const Config& config, const World& world) {
  if (!config.routing.demands_file.empty()) {
    throw ConfigError(config.path +
                      ": routing.demands_file is given, but routing.traffic_engineering.demands is \"measured\", so it "
                      "would be ignored; set demands = \"workload\" or remove the file");
  }
  if (solution_period_ps(world.routing) == 0) {
    throw ConfigError(config.path +
                      ": routing.traffic_engineering.demands = \"measured\" needs the time over which they are "
                      "measured; set routing.traffic_engineering.period, to \"2 ms\" for example");
  }
  pairs_of_workload(world);  // refuses what is too large to plan for
  constexpr TimePs kLeastPeriodPs = 1'000'000;
  if (solution_period_ps(world.routing) < kLeastPeriodPs) {
    throw ConfigError(fmt::format(
        "{}: routing.traffic_engineering.period: {} is less than {}: the state is made anew for every solution, so the "
        "run would do nothing else; give at least that, usually some \"ms\"",
        config.path, format_quantity(solution_period_ps(world.routing), Quantity::time_ps),
        format_quantity(kLeastPeriodPs, Quantity::time_ps)));
  }
}

void set_traffic_engineering(const Config& config, World& world) {
  const std::string& file = config.routing.demands_file;
  if (!file.empty()) refuse_unused("demands_file", &PolicyInfo::by_controller, config, world);
  if (!any_policy(world, &PolicyInfo::by_controller)) return;
  if (demands_are_measured(world)) return check_measuring(config, world);
  begin_stage("the controller's plan");
  const std::string path = path_beside(config, file);
  const std::vector<RackDemand> demands =
      file.empty() ? demands_of_workload(world) : demands_of_file(read_demands_csv(path), path, world);
  if (!file.empty() && demands.empty()) {
    throw ConfigError(path +
                      ": names no demand, so the controller would plan nothing; give a line for each pair of racks, or "
                      "remove routing.demands_file");
  }
  solve_traffic(demands, world.routing.parameters.at("traffic_engineering.start"), world);
  solve_again(demands, solution_period_ps(world.routing), world);
}

/// No rate lies above its line, so a floor above it would leave nothing to cut.
void check_least_rate(const World& world) {
  const ControlInfo* control = control_of(world.congestion);
  if (control == nullptr || control->least_rate.empty()) return;
  const std::string key = parameter_name(*control, control->least_rate);
  const u64 least_bps = static_cast<u64>(world.congestion.parameters.at(key));
  for (EndpointId e = 0; e < world.fabric.endpoints; ++e) {
    const u32 speed = speed_of(world.fabric.links[world.fabric.nodes[e].first_link].ps_per_byte_q16);
    const u64 line_bps = bits_per_s_of(speed);
    if (least_bps <= line_bps || ps_per_byte_q16_of(least_bps) == speed) continue;  // the same speed, rounded
    throw ConfigError(fmt::format(
        "{}: {} is above the line rate of {}, {}: a cut would raise its rate, so {} would be as good as off; give at "
        "most the line rate, or set roce.congestion_control = \"none\"",
        key, format_quantity(static_cast<i64>(least_bps), Quantity::bits_per_s), world.fabric.names[e],
        rate_text(line_bps), control->name));
  }
}

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

World build_world(const Config& config, const MemoryBudget& budget, std::vector<std::string>* notes) {
  World world;
  set_model(config, world);
  check_inputs(config, budget);
  begin_stage("the topology");
  const std::optional<PlainTopology> imported = read_imported(config);
  const PlainTopology* plain = imported ? &*imported : nullptr;
  build_topology(config.fabric, config.routing, plain, world, !config.jobs.empty());
  begin_stage("the workload");
  {
    std::vector<std::string> of_flows;
    WorkloadInput workload = workload_input(config, plain, of_flows);
    if (notes != nullptr) notes->insert(notes->end(), of_flows.begin(), of_flows.end());
    if (notes != nullptr) add_notes(workload, *notes);
    build_workload(std::move(workload), world,
                   [&](const WorkloadCounts& counts) { check_memory(world, counts, budget); });
  }
  set_explicit_paths(config, plain, world);
  set_weights(config, world);
  begin_stage("clocks and headroom");
  world.clocks = choose_clocks(config.simulation, world);
  add_failures(config.failure_settings, config.failures, world);
  set_traffic_engineering(config, world);
  check_headroom(world, config.fabric.pfc);
  check_queue_limits(config.fabric, world);
  check_least_rate(world);
  check_memory(world, counts_of(world), budget);  // now that the tick is known too
  return world;
}

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
  for (const SlowReceiver& s : world.traffic.slow_receivers) h.add(s.endpoint, s.drain_ps_per_byte_q16);
  for (const Collective& c : world.collectives.collectives)
    h.add(c.job, c.kind, c.bytes, c.start_ps, c.algorithm, c.protocol, c.slots, c.composed, c.eager, c.law, c.laws);
  for (const SliceLaw& law : world.collectives.laws)
    h.add(law.total, law.full, law.full_bytes, law.tail_period, law.tail_bytes[0], law.tail_bytes[1]);
  for (const Job& j : world.collectives.jobs) {
    h.add(j.scaling, j.number, j.group, j.by_program, j.slices_per_cts);
    for (const LaneGroup& group : j.groups) h.add(group.window);
    h.add(j.all_pairs.channels, j.all_pairs.gpus_per_server, j.all_pairs.qps, world.traffic.source_port_per_qp);
    for (const EndpointId e : j.ranks) h.add(e);
  }
  const ProgramPlan& programs = world.programs;
  for (const Op& op : programs.ops) h.add(op.kind, op.group, op.stream, op.n, op.ps);
  for (const OpStream& stream : programs.streams) h.add(stream.first_op, stream.ops);
  for (const Program& program : programs.programs) h.add(program.first_stream, program.streams);
  for (const Task& task : programs.tasks) h.add(task.job, task.start_ps, task.iterations, task.jitter_q16, task.trains);
  for (const ProgramRun& run : programs.runs) h.add(run.gpu, run.task, run.program, run.slower_q16);
  return h.value();
}

}  // namespace heddle
