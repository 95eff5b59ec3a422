#include "host/check/expense.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/base/quantity_text.hpp"
#include "host/check/estimates/elsewhere.hpp"
#include "host/check/estimates/queue_memory.hpp"
#include "host/check/estimates/tcp_timeouts.hpp"
#include "host/check/estimates/timeouts.hpp"
#include "host/check/slurm_text.hpp"
#include "host/scenario/topology/transports.hpp"

namespace heddle {
namespace {

/// Memory of a trial that was the whole run; 0: the trial was shorter.
u64 measured_bytes(const Calibration& trial) { return trial.over ? trial.memory_bytes : 0; }

/// "up to 3.2 GB for all that their buffers hold".
std::string buffers_text(const World& world, const TimeoutRisk& risk) {
  if (risk.held_bytes == 0 || !std::isfinite(risk.held_bytes)) return "";
  const double bytes = ring_bytes(risk.held_bytes / smallest_framing(world).payload_bytes);
  return fmt::format(", up to {} for all that buffers can hold", bytes_text(static_cast<u64>(std::min(bytes, 1e19))));
}

/// The parts of the memory; `packets` is the text of the last part.
std::string parts_text(const MemoryNeed& m, u64 state_bytes, const std::string& packets) {
  const std::string on_use =
      m.on_use_bytes == 0 ? "" : fmt::format(", {} of connections when all are used", bytes_text(m.on_use_bytes));
  return fmt::format("{} of program and tables, {} of state{}, {}, {} of results at the end",
                     bytes_text(kProgramBytes + m.table_bytes()), bytes_text(state_bytes), on_use, packets,
                     bytes_text(m.outcome_bytes));
}

struct Memory {
  u64 peak_bytes = 0;
  std::string text;
};

Memory memory_of(const World& world, const Cost& cost, const LinkLoads& loads, const TimeoutRisk& risk,
                 const Calibration& trial, u64 making_bytes) {
  const MemoryNeed& m = cost.memory;
  const u64 used_bytes = m.state_bytes() - unused_pause_bytes(world, nodes_that_may_pause(world, loads));
  const u64 state_bytes = times_state(world) * used_bytes + m.on_use_bytes;
  const auto whole = [&](u64 packets) { return std::max(making_bytes, peak_bytes(m, state_bytes + packets)); };
  const std::string solving =
      times_state(world) == 1 ? "" : "; while the controller solves, up to three times the state and packets";
  const std::string making = making_bytes <= peak_bytes(m, state_bytes)
                                 ? ""
                                 : fmt::format("; {} while its inputs are read", bytes_text(making_bytes));
  if (const u64 taken = measured_bytes(trial); taken != 0) {
    MemoryNeed measured = m;  // what the trial took includes connections
    measured.on_use_bytes = 0;
    const u64 packets = taken - std::min(taken, m.state_bytes());
    const u64 bytes = std::max(making_bytes, peak_bytes(measured, times_state(world) * (used_bytes + packets)));
    const std::string what =
        bytes_text(packets) + (m.on_use_bytes == 0 ? " of packets" : " of packets and connections");
    return {bytes, fmt::format("about {}: {}, as the run here took{}{}", bytes_text(bytes),
                               parts_text(measured, used_bytes, what), solving, making)};
  }
  const QueueMemory queues = queue_memory(world, loads);
  const u64 packets = loads.known() ? queues.likely_bytes : cost.packet_bytes;
  const std::string parts =
      parts_text(m, used_bytes,
                 fmt::format("{} of packets ({} on all wires at full load, the rest in queues)", bytes_text(packets),
                             bytes_text(std::min(cost.in_flight_bytes, packets)))) +
      solving + making;
  if (!loads.known()) return {whole(packets), fmt::format("about {}: {}", bytes_text(whole(packets)), parts)};
  const std::string more =
      risk ? fmt::format(" or more, as packets that are sent again fill queues too{}", buffers_text(world, risk))
           : fmt::format(", up to {} if every queue at some time takes in all that can come to it",
                         bytes_text(whole(queues.max_bytes)));
  return {whole(packets), fmt::format("about {}{}: {}", bytes_text(whole(packets)), more, parts)};
}

/// "some 3 min", "at least 3 min", "less than a second".
std::string forecast_text(const RunTime& time, double seconds) {
  const bool is_bound = time.cpu == Sure::at_least || time.simulated == Sure::at_least;
  const char* const sure = seconds < 1 ? "" : is_bound ? "at least " : "some ";
  return sure + seconds_text(seconds);
}

/// The time on a GPU; "": how long the run takes is not known.
std::string on_gpu_text(const RunTime& time, double packet_hops) {
  if (!time.known()) return "";
  return fmt::format("           {} on a GPU (an H200: tests/bench/PERFORMANCE.md)\n",
                     forecast_text(time, gpu_s(time, packet_hops)));
}

}  // namespace

Expense expense_of(const World& world, double trial_cpu_s, u64 making_bytes) {
  Expense expense;
  const Cost cost = estimate_cost(world);
  const LinkLoads loads = link_loads(world);
  const Calibration trial = calibrate(world, cost, trial_cpu_s);
  // a whole run that was tried without a timeout needs no forecast
  const bool went_well = trial.over && trial.failure.empty() && trial.needless_timeouts == 0;
  const TimeoutRisk risk = went_well ? TimeoutRisk{} : timeout_risk(world, loads);
  expense.time = expected_run_time(world, cost, loads, static_cast<bool>(risk), trial);
  const Memory memory = memory_of(world, cost, loads, risk, trial, making_bytes);
  expense.text = fmt::format("\nmemory     {}\ncost       {} of payload, {} {:.3g} packet-hops\n{}{}", memory.text,
                             bytes_text(cost.payload_bytes), risk ? "at least" : "about", cost.packet_hops,
                             run_time_text(expense.time, trial), on_gpu_text(expense.time, cost.packet_hops));
  expense.peak_bytes = memory.peak_bytes;
  expense.memory = cost.memory;
  for (const std::string& warning : {risk.warning, tcp_timeout_warning(world, loads), trial_warning(trial)}) {
    if (!warning.empty()) expense.warnings.push_back(warning);
  }
  return expense;
}

std::string on_ranks_text(const Expense& expense, const Cut& cut, TimePs tick_ps) {
  const u64 tables = std::min(expense.peak_bytes, kProgramBytes + expense.memory.table_bytes());  // every rank has them
  const u64 bytes =
      tables + static_cast<u64>(static_cast<double>(expense.peak_bytes - tables) / cut.ranks * cut.balance());
  if (!expense.time.known() || expense.time.cpu_s <= 0) return "\n" + slurm_text(cut.ranks, bytes, 0);
  const double seconds = ranks_s(expense.time, cut, tick_ps);
  return fmt::format(
      "\nrun time   {} on {} ranks, a core like this one each: {:.1f} times as fast as on one (a model: "
      "tests/bench/scaling.md)\n{}",
      forecast_text(expense.time, seconds), cut.ranks, expense.time.cpu_s / seconds,
      slurm_text(cut.ranks, bytes, seconds));
}

}  // namespace heddle
