// Only PFC decisions (slots) and dynamic thresholds (epochs) are sampled (kernels/MODEL.md, 3.3). Halving the slot and
// the epoch, and again, shows the cost: a table per case of how much each result changes, on worlds where PFC does all
// the work. Headroom and thresholds are fixed, so that only the grid differs. README.md has the table.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/acceptance/worlds.hpp"

namespace heddle::theory {
namespace {

using acceptance::run_engine;
using acceptance::world_of;

struct PfcCase {
  const char* name;
  std::string toml;
  /// Shares by which halving slot and epoch may change the makespan, and the mean completion time.
  double makespan, mean;
};

void PrintTo(const PfcCase& c, std::ostream* out) { *out << c.name; }

std::string incast(const std::string& thresholds) {
  return "[topology]\nkind = 'star'\nhosts = 17\n[pfc]\nallow_unsafe_headroom = true\n[buffer.rtsw]\n"
         "headroom = '300 KB'\n" +
         thresholds + "[[generator]]\nkind = 'incast'\nfan_in = 16\nbytes = '2 MiB'\n";
}

/// 64 GPUs behind 2:1 oversubscribed racks, each sending to another: hashing overloads some uplinks, and pauses spread.
std::string permutation(const std::string& thresholds) {
  return "[topology]\nkind = 'ai_zone'\nracks = 8\ngpus_per_rack = 8\nctsws = 4\nuplinks_per_rtsw = 4\n[pfc]\n"
         "allow_unsafe_headroom = true\n[buffer.ctsw]\nkind = 'static'\nbytes = '2 MB'\nxoff = '200 KB'\nheadroom = "
         "'600 KB'\n[buffer.rtsw]\nheadroom = '600 KB'\n" +
         thresholds + "[[generator]]\nkind = 'permutation'\nbytes = '2 MiB'\n";
}

const char* const kStatic = "kind = 'static'\nbytes = '4 MB'\nxoff = '100 KB'\n";
const char* const kDynamic = "kind = 'shared'\nbytes = '64 MB'\npools = 1\nalpha = 0.03125\n";

/// A start that is shifted against the grids changes which instants are sampled and how ties fall, nothing else: the
/// spread over shifts is the noise of both, and a bias of coarse sampling would show in the mean.
constexpr u32 kShifts = 16;
constexpr TimePs kShiftPs = 35'023;

struct Measures {
  double makespan_us = 0, mean_us = 0, pauses = 0, paused_us = 0;  // means over shifts; paused: all links together
  double makespan_spread = 0;                                      // standard deviation over shifts / mean
};

Measures measure(const std::string& toml, TimePs slot_ps, TimePs epoch_ps) {
  Measures m;
  double squares = 0;
  for (u32 shift = 0; shift < kShifts; ++shift) {
    const TimePs start_ps = shift * kShiftPs;
    const World world = world_of(toml + fmt::format("start = '{} ps'\n[simulation]\nslot = '{} ps'\nepoch = '{} ps'\n",
                                                    start_ps, slot_ps, epoch_ps));
    Engine engine(world, {});
    while (engine.advance(kNever)) {
    }
    std::vector<LinkCounters> counters(world.fabric.links.size());
    engine.link_counters(counters);
    const Outcome outcome = engine.outcome();
    EXPECT_EQ(outcome.reason, EndReason::complete) << outcome.explanation;
    EXPECT_EQ(outcome.totals.drops[0] + outcome.totals.drops[1] + outcome.totals.drops[2], 0u);
    double last_us = 0, sum_us = 0;
    for (const MessageOutcome& message : outcome.messages) {
      const double us = static_cast<double>(message.received_ps - start_ps) / 1e6;
      last_us = std::max(last_us, us);
      sum_us += us;
    }
    m.makespan_us += last_us / kShifts;
    squares += last_us * last_us / kShifts;
    m.mean_us += sum_us / static_cast<double>(outcome.messages.size()) / kShifts;
    m.pauses += static_cast<double>(outcome.totals.pauses) / kShifts;
    for (const LinkCounters& c : counters) m.paused_us += static_cast<double>(c.paused_ps) / 1e6 / kShifts;
  }
  m.makespan_spread = std::sqrt(std::max(0.0, squares - m.makespan_us * m.makespan_us)) / m.makespan_us;
  return m;
}

class Convergence : public testing::TestWithParam<PfcCase> {};

TEST_P(Convergence, HalvingSlotAndEpoch) {
  const PfcCase& c = GetParam();
  std::printf(
      "| case | slot, ns | epoch, ns | makespan, us | moves | spread over shifts | mean completion, us | moves | "
      "pauses | paused, us |\n");
  Measures before;
  for (u32 halvings = 0; halvings <= 3; ++halvings) {
    const TimePs slot_ps = TimePs{1 << 15} >> halvings, epoch_ps = TimePs{1 << 19} >> halvings;
    const Measures m = measure(c.toml, slot_ps, epoch_ps);
    const double makespan = halvings == 0 ? 0 : m.makespan_us / before.makespan_us - 1;
    const double mean = halvings == 0 ? 0 : m.mean_us / before.mean_us - 1;
    std::printf("| %s | %.3f | %.3f | %.3f | %+.3f %% | %.3f %% | %.3f | %+.3f %% | %.0f | %.0f |\n", c.name,
                static_cast<double>(slot_ps) / 1e3, static_cast<double>(epoch_ps) / 1e3, m.makespan_us, 100 * makespan,
                100 * m.makespan_spread, m.mean_us, 100 * mean, m.pauses, m.paused_us);
    EXPECT_GT(m.pauses, 100) << "not a case of PFC";
    EXPECT_LE(std::abs(makespan), c.makespan) << "halving " << halvings;
    EXPECT_LE(std::abs(mean), c.mean) << "halving " << halvings;
    before = m;
  }
}

INSTANTIATE_TEST_SUITE_P(Pfc, Convergence,
                         testing::Values(PfcCase{"incast_static", incast(kStatic), 0.001, 0.01},
                                         PfcCase{"incast_dynamic", incast(kDynamic), 0.001, 0.01},
                                         PfcCase{"permutation_static", permutation(kStatic), 0.02, 0.02},
                                         PfcCase{"permutation_dynamic", permutation(kDynamic), 0.02, 0.02}),
                         [](const auto& c) { return std::string(c.param.name); });

}  // namespace
}  // namespace heddle::theory
