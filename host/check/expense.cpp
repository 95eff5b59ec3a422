#include "host/check/expense.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/check/queue_memory.hpp"
#include "host/check/run_time.hpp"
#include "host/check/timeouts.hpp"
#include "host/config/units.hpp"

namespace heddle {
namespace {

std::string bytes_text(u64 b) { return human_quantity(static_cast<double>(b), Quantity::bytes); }

/// Of a trial that was the whole run; 0: it was not.
u64 measured_bytes(const Calibration& trial) { return trial.over ? trial.memory_bytes : 0; }

/// "up to 3.2 GB for all that their buffers hold".
std::string buffers_text(const World& world, const TimeoutRisk& risk) {
  if (risk.held_bytes == 0 || !std::isfinite(risk.held_bytes)) return "";
  const double bytes = ring_bytes(risk.held_bytes / world.roce.mtu_bytes);
  return fmt::format(", up to {} for all that buffers can hold", bytes_text(static_cast<u64>(std::min(bytes, 1e19))));
}

std::string memory_text(const World& world, const Cost& cost, const LinkLoads& loads, const TimeoutRisk& risk,
                        const Calibration& trial) {
  const MemoryNeed& m = cost.memory;
  const u64 others = cost.most_bytes() - cost.packet_bytes;
  const std::string parts = fmt::format(
      "{} of program and tables, {} of state{}", bytes_text(cost.program_bytes + m.table_bytes()),
      bytes_text(m.state_bytes()),
      m.on_use_bytes == 0 ? "" : fmt::format(", {} of connections when all are used", bytes_text(m.on_use_bytes)));
  const std::string solving =
      times_state(world) == 1 ? "" : "; while the controller solves, up to three times the state and packets";
  if (const u64 taken = measured_bytes(trial); taken != 0) {
    const u64 tables = cost.program_bytes + m.table_bytes();
    return fmt::format("about {}: {} of program and tables, {} of state and packets, as the run here took{}",
                       bytes_text(tables + times_state(world) * taken), bytes_text(tables), bytes_text(taken), solving);
  }
  const QueueMemory queues = queue_memory(world, loads);
  const u64 packets = loads.known() ? queues.likely_bytes : cost.packet_bytes;
  const std::string of_packets = fmt::format("{} of packets ({} on all wires at full load, the rest in queues)",
                                             bytes_text(packets), bytes_text(std::min(cost.in_flight_bytes, packets)));
  if (!loads.known()) return fmt::format("about {}: {}, {}", bytes_text(others + packets), parts, of_packets);
  const std::string more =
      risk ? fmt::format(" or more, as packets that are sent again fill queues too{}", buffers_text(world, risk))
           : fmt::format(", up to {} if every queue at some time takes in all that can come to it",
                         bytes_text(others + queues.most_bytes));
  return fmt::format("about {}{}: {}, {}", bytes_text(others + packets), more, parts, of_packets);
}

}  // namespace

Expense expense_of(const World& world, double trial_cpu_s) {
  Expense expense;
  const Cost cost = estimate_cost(world);
  const LinkLoads loads = link_loads(world);
  const Calibration trial = calibrate(world, cost, trial_cpu_s);
  // a run that was tried to its end without a timeout needs no foresight
  const bool went_well = trial.over && trial.failure.empty() && trial.needless_timeouts == 0;
  const TimeoutRisk risk = went_well ? TimeoutRisk{} : timeout_risk(world, loads);
  const RunTime time = expected_run_time(world, cost, loads, static_cast<bool>(risk), trial);
  expense.text = fmt::format("\nmemory     {}\ncost       {} of payload, {} {:.3g} packet-hops\n{}",
                             memory_text(world, cost, loads, risk, trial), bytes_text(cost.payload_bytes),
                             risk ? "at least" : "about", cost.packet_hops, run_time_text(time, trial));
  expense.cpu_s = time.cpu_s;
  expense.simulated_ps = time.simulated == Sure::not_known ? 0 : time.simulated_ps;
  expense.may_be_longer = time.simulated != Sure::exactly;
  for (const std::string& warning : {risk.warning, trial_warning(trial)}) {
    if (!warning.empty()) expense.warnings.push_back(warning);
  }
  return expense;
}

}  // namespace heddle
