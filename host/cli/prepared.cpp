#include "host/cli/prepared.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <stdexcept>

#include "host/base/error.hpp"
#include "host/base/stage.hpp"
#include "host/check/estimates/routed_flows.hpp"
#include "host/check/report.hpp"
#include "host/check/warnings/imported_buffers.hpp"
#include "host/check/warnings/unused_keys.hpp"
#include "host/cli/cores.hpp"
#include "host/cli/device.hpp"
#include "host/cli/fabric_picture.hpp"
#include "host/cli/memory.hpp"
#include "host/cli/output_budget.hpp"
#include "host/cli/output_place.hpp"
#include "host/cli/provenance.hpp"
#include "host/cli/resident.hpp"
#include "host/cli/resume.hpp"
#include "host/cli/tell.hpp"
#include "host/scenario/memory/memory_need.hpp"
#include "io/checkpoint/slots.hpp"
#include "io/durable.hpp"
#include "io/results/config_diff.hpp"
#include "io/results/replaced_file.hpp"
#include "kernels/base/hash.hpp"
#include "kernels/base/words.hpp"
#include "partition/cut/cut.hpp"

namespace heddle {
namespace {

void refuse_impossible(const Config& config, const World& world) {
  std::string text;
  for (const std::string& refusal : refusals_of(world))
    text += (text.empty() ? "" : "\n") + config.path + ": " + refusal;
  if (!text.empty()) throw ConfigError(text);
}

void refuse_check(const World& world) {
  if (!demands_are_measured(world)) return;
  throw ConfigError(
      "--check follows an engine from its start, but with routing.traffic_engineering.demands = \"measured\" another "
      "one goes on after every solution; leave --check out, or set demands = \"workload\"");
}

void warn(const std::string& text) { tell(stderr, "warning: {}\n", text); }

u32 cores_of(const Ranks& ranks) { return usable_cores(cores_of_process(), ranks.ranks_here()); }

/// More threads than cores would take turns at every barrier of every tick.
void warn_about_threads(u32 threads, const Ranks& ranks) {
  const u32 cores = cores_of(ranks);
  if (threads <= cores) return;
  warn(
      fmt::format("--threads {}: this process may use {} core{}, and more threads than cores wait for each other at "
                  "every tick; give at most {}, or none",
                  threads, cores, cores == 1 ? "" : "s", cores));
}

u32 threads_of(const RunArguments& arguments, const World& world, Device device, const Ranks& ranks) {
  if (device == Device::gpu) return 1;
  if (arguments.threads) return *arguments.threads;
  return default_threads(cores_of(ranks), world.fabric.names.size() / ranks.ranks());
}

/// The memory budget of a process; a GPU checks its own memory.
MemoryBudget budget_of(const RunArguments& arguments, Device device, const Ranks& ranks) {
  if (!arguments.memory.empty()) return {memory_of(arguments.memory), "--memory " + arguments.memory, ranks.ranks()};
  if (device == Device::gpu) return {};
  return default_memory_budget(ranks.ranks_here(), ranks.ranks());
}

EngineOptions engine_options_of(const RunArguments& arguments, const Config& config, const World& world, Device device,
                                const MemoryBudget& budget, const Ranks& ranks) {
  EngineOptions options;
  options.device = device;
  options.local = ranks.here();
  options.threads = threads_of(arguments, world, device, ranks);
  options.check = arguments.check_invariants;
  if (device == Device::gpu) {
    options.memory_limit_bytes = arguments.memory.empty() ? 0 : budget.limit_bytes;
  } else {
    const MemoryNeed need = memory_need(world, counts_of(world));
    const u64 others_bytes = kProgramBytes + need.table_bytes() + need.outcome_bytes;
    const u64 bytes = without_margin(budget.limit_bytes);
    options.memory_limit_bytes = (bytes - std::min(others_bytes, bytes)) / times_state(world);
  }
  if (ranks.exchange() != nullptr) {
    begin_stage("the division over ranks");
    options.part = cut_world(world, config.partition.policy, ranks.ranks()).part(ranks.rank());
  }
  return options;
}

ResultSettings result_settings_of(const RunArguments& arguments, const Prepared& p) {
  ResultSettings settings;
  settings.provenance = p.provenance;
  settings.fabric_svg = fabric_picture(p.config, fabric_title(p.config.fabric.topology), p.world.fabric);
  settings.link_series = p.config.output.link_series;
  settings.series_interval_ps = p.config.output.series_interval_ps;
  settings.pfc_events = p.config.output.pfc_events;
  settings.cts_waits = p.config.output.cts_waits;
  settings.gpu_time = p.config.output.gpu_time;
  settings.tcp_windows = p.config.output.tcp_windows;
  settings.max_bytes = p.config.output.max_bytes;
  settings.overwrite = arguments.force || !arguments.resume.empty();
  return settings;
}

}  // namespace

Prepared::Prepared(const RunArguments& arguments, const Ranks& ranks)
    : config(load_config(arguments.config_path, arguments.sets)), path(output_path_of(arguments, config)) {
  if (ranks.first()) claim_place(arguments);  // the first rank writes
  const Device device = choose_device(arguments.device, arguments.threads.has_value());
  const MemoryBudget budget = budget_of(arguments, device, ranks);
  std::vector<std::string> notes;
  world = build_world(config, budget, &notes);
  begin_stage("checks of the fabric");
  refuse_impossible(config, world);
  if (arguments.check_invariants) refuse_check(world);
  if (ranks.first()) {
    for (const std::string& note : notes) warn(note);
    if (const std::string note = about_imported_buffers(config, world); !note.empty()) tell(stderr, "note: {}\n", note);
    for (const std::string& warning : warnings_of(world)) warn(warning);
    for (const std::string& warning : warnings_of_output(config.output, world)) warn(warning);
    for (const std::string& warning : unused_keys(config, arguments.sets, world)) warn(warning);
    if (arguments.threads) warn_about_threads(*arguments.threads, ranks);
  }
  check_output_budget(config.output, world);
  options = engine_options_of(arguments, config, world, device, budget, ranks);
  begin_stage("hashes of the inputs");
  provenance = provenance_of(config, world, options, arguments.command_line);
  provenance.ranks = ranks.ranks();
  const RunIdentity run = identity_of(provenance);
  if (ranks.first() && !arguments.resume.empty() && !arguments.force)
    check_earlier_result(path, run, resolved_text(config));
  begin_stage("the checkpoint");
  if (ranks.first()) checkpoint = find_checkpoint(arguments, path, run);
  checkpoints = std::make_unique<Checkpoints>(config.checkpoint, config.output, path, run,
                                              checkpoint ? checkpoint->path() : "", ranks.first());
  give_back_free_memory();  // memory used until here
}

/// Claims the files: from here on no other run writes them.
void Prepared::claim_place(const RunArguments& arguments) {
  const OutputOptions output = placed_output(config);
  refuse_missing_checkpoint(arguments);
  check_names(config, path);
  check_writable(path, true);  // whether the folder exists at all
  lock = std::make_unique<ResultLock>(path);
  if (!lock->warning().empty()) warn(lock->warning());
  for (const std::string& file : {output.fct_file, output.pfc_file}) {
    if (!file.empty() && is_there(file)) replaced_exports.push_back(file);
  }
  if (arguments.force) {
    refuse_foreign_result(path);
    refuse_foreign_result(path + ".part");
    return check_exports(output, true);
  }
  if (arguments.resume.empty()) {
    refuse_to_lose_checkpoints(path);
    check_writable(path, false);
    return check_exports(output, false);
  }
  // exports beside an unfinished run are its own, from an end that could not write all of them
  const bool resumes = has_left_something(path);
  if (resumes || !is_there(path)) check_exports(output, resumes);
}

void Prepared::share_checkpoint(const Ranks& ranks) {
  if (ranks.exchange() == nullptr) return;
  std::vector<u64> words;
  if (checkpoint) append_text(words, checkpoint->path());
  const std::vector<u64> of_first = ranks.exchange()->gather(words)[0];
  ranks.together([&] {
    if (ranks.first() || of_first.empty()) return;
    checkpoint = CheckpointReader::of_verified(WordSource(of_first).text());
  });
}

Given Prepared::given(const RunArguments& arguments) const {
  Given given = flatten_toml(resolved_text(config), config.path);
  u64 division = 0;
  for (const u32 rank : options.part.rank_of_node) division = absorb(division, rank);
  const auto add = [&](const char* name, const std::string& value) { given.emplace(name, value); };
  add("program", version_text());
  add("fabric (hash)", fmt::format("{:016x}", provenance.topology_hash));
  add("workload (hash)", fmt::format("{:016x}", provenance.workload_hash));
  add("division of the fabric (hash)", fmt::format("{:016x}", division));
  add("-o", path);
  add("--resume", arguments.resume.empty() ? "no" : arguments.resume);
  add("--force", arguments.force ? "yes" : "no");
  const auto seen = [&] {
    const CheckpointHeader& header = checkpoint->header();
    return fmt::format("{} at {} ps of run {:016x}", checkpoint->path(), header.time_ps, header.run.config_hash);
  };
  add("checkpoint to resume from", checkpoint ? seen() : "none");
  return given;
}

void Prepared::choose_exchange(const Ranks& ranks) {
  if (ranks.exchange() == nullptr) return;
  begin_stage("the exchange between ranks");
  const bool gpu = options.device == Device::gpu;
  std::string error;
  try {
    exchange = heddle::choose_exchange(config.partition.exchange, gpu);
  } catch (const std::runtime_error& e) {
    error = e.what();
  }
  ranks.together([&] {
    if (error.empty()) return;
    throw ConfigError(
        fmt::format("partition.exchange = \"node\", but ranks of one machine cannot share memory ({}); start all ranks "
                    "of a machine in one container and as one user, or set partition.exchange = \"ranks\"",
                    error));
  });
  options.part.words_on_device = gpu && exchange.exchange->reaches_device_memory();
  if (ranks.first() && !exchange.warning.empty()) warn(exchange.warning);
}

void Prepared::make_simulation() {
  if (demands_are_measured(world)) controller = std::make_unique<MeasuringController>(world);
  if (checkpoint && controller) Checkpoints::load(*checkpoint, *controller);
  begin_stage("the state");
  simulation = std::make_unique<Simulation>(world, options, config.output, exchange.exchange.get(), controller.get());
  if (!checkpoint) return;
  begin_stage("the state of the checkpoint");
  simulation->load(*checkpoint, *checkpoints);
}

std::vector<PlanRow> Prepared::plans() const {
  std::vector<PlanRow> rows;
  if (controller == nullptr) return rows;
  for (const PlanTimes& plan : controller->plan_times())
    rows.push_back({plan.measured_ps, plan.from_ps == kNever ? -1 : plan.from_ps});
  return rows;
}

std::unique_ptr<ResultWriter> Prepared::make_writer(const RunArguments& arguments, std::function<void()> begun) const {
  begin_stage("the result file");
  ResultSettings settings = result_settings_of(arguments, *this);
  settings.begun = std::move(begun);
  settings.routed_flows = [this] { return routed_flows(world); };
  settings.plans = [this] { return plans(); };
  if (checkpoint) {
    remove_temporary_checkpoints(path);
    return std::make_unique<ResultWriter>(path, world, settings, Checkpoints::result_words(*checkpoint));
  }
  remove_checkpoints(path);
  return std::make_unique<ResultWriter>(path, world, settings);
}

}  // namespace heddle
