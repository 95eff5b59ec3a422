// A congestion control with every hook that DCQCN does without, asked as a sender asks its own.
#include "kernels/transport/pacing.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

/// Opens its window by what ACKs acknowledge, closes it when a round trip takes too long, and spreads it over the round
/// trip.
class Spread {
 public:
  struct Settings {
    TimePs target_ps = 0;
  };
  using Prepared = Settings;
  struct State {
    RoundTripTimer round_trip;
    TimePs rtt_ps = 0;
    u32 window = 0;

    bool started() const { return window != 0; }
  };
  static constexpr bool kIdleUntilSignal = false;

  Spread(const Prepared& settings, State& state, const NicLine&) : settings_(settings), state_(state) {}

  void on_start(TimePs, u32) {
    if (state_.window == 0) state_.window = 2;
  }
  bool on_ack(TimePs, TimePs rtt_ps, u32 acked_packets) {
    if (rtt_ps == 0) return false;
    state_.rtt_ps = rtt_ps;
    state_.window = rtt_ps > settings_.target_ps ? 1 : state_.window + acked_packets;
    return true;
  }
  u32 window_packets() const { return state_.window; }
  TimePs next_timer(TimePs, TimePs last_start, u32) { return last_start + state_.rtt_ps / state_.window; }

 private:
  const Settings& settings_;
  State& state_;
};

using Controls = ControlList<Dcqcn, Spread>;
static_assert(ReadsAcks<Spread> && HasWindow<Spread> && !UsesCnps<Spread::Settings>);
static_assert(!ReadsAcks<Dcqcn> && !HasWindow<Dcqcn> && UsesCnps<Dcqcn::Settings>);

/// The second of two senders of a NIC, and one of DCQCN beside it.
struct Pacing : testing::Test {
  void SetUp() override {
    controls.of<Spread>() = {&settings, states};
    controls.of<Dcqcn>() = {&dcqcn, dcqcn_states};
    view.endpoint.sender = senders;
    use(1);
  }
  void use(u32 control) { view.settings.congestion.number = control; }

  /// Packet q.next starts.
  void start(TimePs t) {
    q.pace_ps = paced.pace_after_start(q.next++, 1000, t);
    q.last_start_ps = t;
    q.last_wire_bytes = 1000;
  }
  void acknowledge(u32 packets, TimePs t) {
    q.una += packets;
    paced.note_ack(packets, t);
  }
  bool open() { return paced.window_is_open(q.next - q.una); }

  View view;
  Nic nic;
  Sender senders[2];
  Sender& q = senders[1];
  const Spread::Settings settings{.target_ps = 500};
  Spread::State states[2];
  const PreparedDcqcn dcqcn{{}};
  DcqcnState dcqcn_states[2];
  Controls::Arrays controls;
  const PacedSenderOf<Controls> paced{view, controls, nic, 0, 1, 1};
};

TEST_F(Pacing, TheWindowFollowsTheAcks) {
  EXPECT_TRUE(open()) << "nothing was sent yet";
  start(100);
  EXPECT_TRUE(open());
  start(200);
  EXPECT_FALSE(open()) << "2 packets";
  acknowledge(1, 400);
  EXPECT_EQ(states[1].rtt_ps, 300) << "of the first packet";
  EXPECT_EQ(states[1].window, 3u);
  EXPECT_TRUE(open());
  acknowledge(1, 450);
  EXPECT_EQ(states[1].window, 3u) << "the second was not timed, as the first was under way";
  start(500);
  acknowledge(1, 1001);
  EXPECT_EQ(states[1].window, 1u) << "a round trip of 501";
  EXPECT_FALSE(states[0].started()) << "of another sender";
}

TEST_F(Pacing, AnAckMovesAWaitUnderWayButNotOneThatIsOver) {
  start(100);
  EXPECT_EQ(q.pace_ps, 100) << "no round trip is known";
  acknowledge(1, 400);
  EXPECT_EQ(q.pace_ps, 100) << "reached before";
  start(400);
  EXPECT_EQ(q.pace_ps, 400 + 300 / 3);
  acknowledge(1, 460);
  EXPECT_EQ(q.pace_ps, 460) << "400 + 60 / 4 is over";
  start(460);
  start(470);
  EXPECT_EQ(q.pace_ps, 470 + 60 / 4);
  acknowledge(1, 480);
  EXPECT_EQ(q.pace_ps, 480) << "470 + 20 / 5 is over";
}

TEST_F(Pacing, APacketThatIsSentAgainIsTimedFromItsLastStart) {
  start(100);
  start(150);
  q.next = q.una;  // rewound
  start(300);
  acknowledge(1, 500);
  EXPECT_EQ(states[1].rtt_ps, 200);
}

TEST_F(Pacing, WithoutAHookNothingHappens) {
  start(100);
  const TimePs pace_ps = q.pace_ps;
  paced.slow_down(100);
  EXPECT_EQ(q.pace_ps, pace_ps) << "it takes no CNPs";
  use(0);
  nic.line_bps = 400'000'000'000;
  EXPECT_TRUE(paced.window_is_open(1'000'000)) << "DCQCN has no window";
  acknowledge(1, 200);
  EXPECT_FALSE(dcqcn_states[1].started());
  EXPECT_EQ(states[1].rtt_ps, 0);
  paced.slow_down(200);
  EXPECT_TRUE(dcqcn_states[1].started());
  EXPECT_FALSE(dcqcn_states[0].started());
}

}  // namespace
}  // namespace heddle
