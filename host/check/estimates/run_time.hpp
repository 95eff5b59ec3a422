// The expected length of a run: in simulated time, and on one core of this machine.
#pragma once

#include <string>

#include "host/check/estimates/cost.hpp"
#include "host/check/estimates/link_loads.hpp"

namespace heddle {

/// A sample of a trial run of the configuration. Its work is CPU time, whatever else the machine did.
struct RunSample {
  TimePs now_ps = 0;
  u64 ticks = 0;  // idle stretches are skipped
  u64 packet_hops = 0;
  double cpu_s = 0;
};

/// Measurements of the beginning of a run, and the cost of a packet in a small fabric.
struct Calibration {
  RunSample middle, end;
  bool over = false;                // the whole run was simulated
  bool without_controller = false;  // a controller that measures was left out, so switches used ecmp
  std::string failure;              // "qp_failed at 76 us: ...": it ended before its work was done; empty: it did not
  u64 memory_bytes = 0;             // memory of state and packets at its end
  u64 needless_timeouts = 0, sent_again = 0;  // timeouts though no packet was dropped; retransmitted packets
  const char* timer = "roce.rto";             // the key that decides when timeouts fire
  std::string refusal;                        // why no trial could run; empty: it was too large for one, or it ran
  double hop_s = 70e-9;                       // time per packet-hop of a small fabric; tests/bench measures it
  bool measured = false;                      // false: no trial ran, these numbers are of another machine
};

/// Simulates the World for at most about `cpu_s` on one core, or `max_ticks`, and a small stock fabric for some
/// hundredths of a second. Runs no trial that would take long to set up. Throws nothing.
Calibration calibrate(const World& world, const Cost& cost, double cpu_s, u64 max_ticks = ~u64{0});

/// The certainty of a number.
enum class Sure : u8 { exactly, about, at_least, roughly, not_known };  // roughly: its order of magnitude

struct RunTime {
  TimePs simulated_ps = 0;
  double ticks = 0;
  double cpu_s = 0;      // on one core
  double min_cpu_s = 0;  // lower bound of every run; 0: not given, cpu_s alone counts
  Sure simulated = Sure::about, cpu = Sure::about;
  double packets_share = -1;  // packets' share of cpu_s; visits to nodes, tick by tick, take the rest. -1: unknown

  bool known() const { return simulated != Sure::not_known; }
};

/// Ticks take time even when few packets pass: every active node is visited. Collectives are expected to continue at
/// the pace that the trial has found, slice by slice. Without a trial, and for messages, only the least simulated time
/// is known, that of the fullest link, and the least time on a core, that of packets whose state is in the caches.
/// `sends_again`: packets may be retransmitted, which this estimate does not foresee.
RunTime expected_run_time(const World& world, const Cost& cost, const LinkLoads& loads, bool sends_again,
                          const Calibration& calibration);

/// "37 s", "5 min": of wall time.
std::string seconds_text(double s);

/// "about 37 s on one core ...": what `heddle check` prints.
std::string run_time_text(const RunTime& time, const Calibration& calibration);

/// A warning about problems in the trial run; empty: none.
std::string trial_warning(const Calibration& calibration);

}  // namespace heddle
