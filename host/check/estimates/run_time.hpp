// How long a run will be: in simulated time, and on one core of this machine.
#pragma once

#include <string>

#include "host/check/estimates/cost.hpp"
#include "host/check/estimates/link_loads.hpp"

namespace heddle {

/// Where a short run of the configuration itself stood. Work is what the processor did, whatever else the machine did.
struct RunSample {
  TimePs now_ps = 0;
  u64 ticks = 0;  // idle stretches are skipped
  u64 packet_hops = 0;
  double cpu_s = 0;
};

/// The first moments of a run, and what a packet costs where little else is to do.
struct Calibration {
  RunSample middle, end;
  bool over = false;                // the whole run was simulated
  bool without_controller = false;  // one that measures was left out, so switches did as ecmp
  std::string failure;              // "qp_failed at 76 us: ...": it ended before its work was done; empty: it did not
  u64 memory_bytes = 0;             // of state and packets at its end
  u64 needless_timeouts = 0, sent_again = 0;  // timeouts though nothing was dropped; packets that were sent again
  std::string refusal;                        // nothing could be run: why; empty: it was too large, or it was run
  double hop_s = 70e-9;                       // per packet-hop, of a small fabric; tests/bench measures it
  bool measured = false;                      // false: nothing was run, these are the numbers of another machine
};

/// Simulates the World for at most about so long on one core, or so many ticks, and a small stock fabric for some
/// hundredths of a second. Nothing is run of what would take long to make; nothing throws.
Calibration calibrate(const World& world, const Cost& cost, double cpu_s, u64 most_ticks = ~u64{0});

/// How sure a number is.
enum class Sure : u8 { exactly, about, at_least, roughly, not_known };  // roughly: its order of magnitude

struct RunTime {
  TimePs simulated_ps = 0;
  double ticks = 0;
  double cpu_s = 0;        // on one core
  double least_cpu_s = 0;  // no run takes less; 0: cpu_s is all that is said
  Sure simulated = Sure::about, cpu = Sure::about;
  double packets_share = -1;  // of cpu_s, for packets; the rest looks at nodes, tick by tick. -1: nobody knows
};

/// Ticks take time even when few packets pass: every node with something to do is looked at. Collectives are expected
/// to go on at the pace that the trial has found, slice by slice. Without one, and of messages, all that is known is
/// the least simulated time, of the fullest link, and the least time on a core, of packets whose state the caches hold.
/// `sends_again`: packets may be sent twice, which nothing here foresees.
RunTime expected_run_time(const World& world, const Cost& cost, const LinkLoads& loads, bool sends_again,
                          const Calibration& calibration);

/// "about 37 s on one core ...": what `heddle check` prints.
std::string run_time_text(const RunTime& time, const Calibration& calibration);

/// What the trial run came to that nobody would wish; empty: nothing.
std::string trial_warning(const Calibration& calibration);

}  // namespace heddle
