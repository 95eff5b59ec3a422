// Timers of TCP against round trips, and the work of a connection by hand.
#include "host/check/estimates/tcp_timeouts.hpp"

#include <gtest/gtest.h>

#include <string>

#include "host/base/quantity_text.hpp"
#include "host/scenario/build.hpp"
#include "host/scenario/topology/transports.hpp"
#include "kernels/base/units.hpp"

namespace heddle {
namespace {

/// A message of two full segments and one of 104 B over a star.
World three_segments(const std::string& tcp = "") {
  return build_world(
      "[topology]\nkind = \"star\"\nhosts = 3\n[class.best_effort]\ntransport = \"tcp\"\n[workload]\njitter_packets = "
      "0\n"
      "[[message]]\nsrc = 0\ndst = 1\nbytes = 3000\nclass = \"best_effort\"\n" +
          tcp,
      "test.toml");
}

TEST(TcpTimeouts, WorkOfAConnectionByHand) {
  const QpWork work = work_of_qps(three_segments()).at(0);
  EXPECT_DOUBLE_EQ(work.packets, 3);
  EXPECT_DOUBLE_EQ(work.wire_bytes, 3000 + 3 * 90);
  EXPECT_DOUBLE_EQ(work.answers, 2) << "one for two segments, one for the last";
  EXPECT_DOUBLE_EQ(work.answer_wire_bytes, 2 * 90);
  EXPECT_DOUBLE_EQ(work.max_packets, 3);
}

TEST(TcpTimeouts, ARoundTripIsThatOfASegmentAndItsAck) {
  const World world = three_segments();
  const LinkLoads loads = link_loads(world);
  const Fabric& f = world.fabric;
  const LinkId up = f.nodes[0].first_link, down = f.nodes[3].first_link + 1;
  TimePs trip_ps = 0;
  for (const LinkId l : {up, down}) {
    trip_ps += f.links[l].lambda_ps + f.links[f.links[l].reverse].lambda_ps;
    trip_ps += ser_ps(1448 + 90, f.links[l].ps_per_byte_q16) + ser_ps(90, f.links[l].ps_per_byte_q16);
  }
  EXPECT_EQ(loads.longest_tcp_round_trip.time_ps, trip_ps);
  EXPECT_EQ(loads.longest_round_trip.qp, kNone) << "no queue pair uses RoCE";
  EXPECT_DOUBLE_EQ(loads.of[down].wire_bytes, 3000 + 3 * 90);
  EXPECT_EQ(loads.of[down].tcp_qps, 1u);
}

TEST(TcpTimeouts, ShortTimersAreNamedWithTheRoundTrip) {
  EXPECT_EQ(tcp_timeout_warning(three_segments(), link_loads(three_segments())), "");
  const auto warning_of = [](const std::string& tcp) {
    const World world = three_segments("[tcp]\n" + tcp);
    const LinkLoads loads = link_loads(world);
    const std::string warning = tcp_timeout_warning(world, loads);
    EXPECT_NE(warning.find(time_text(loads.longest_tcp_round_trip.time_ps)), std::string::npos) << warning;
    return warning;
  };
  EXPECT_EQ(warning_of("rto_initial = \"1 us\"\n").rfind("tcp.rto_initial of 1 us is shorter than the way from", 0),
            0u);
  EXPECT_EQ(warning_of("rto_min = \"1 us\"\nrto_max = \"1.5 us\"\n").rfind("tcp.rto_max of 1.5 us", 0), 0u);
  EXPECT_EQ(warning_of("rto_min = \"1 us\"\n").rfind("tcp.rto_min of 1 us", 0), 0u);
}

TEST(TcpTimeouts, OneTimerFiresFirst) {
  const auto timer = [](const std::string& text) { return std::string(shortest_timer(three_segments(text))); };
  EXPECT_EQ(timer(""), "tcp.rto_min") << "200 ms, before the 1 s of rto_initial";
  EXPECT_EQ(timer("[tcp]\nrto_initial = \"10 us\"\n"), "tcp.rto_initial");
  EXPECT_EQ(timer("[tcp]\nrto_min = \"1 us\"\nrto_initial = \"500 us\"\n"), "tcp.rto_initial")
      << "a timeout is 1 ms longer than round trips";
  EXPECT_EQ(timer("[tcp]\nrto_min = \"5 us\"\nrto_max = \"5 us\"\n"), "tcp.rto_max");
  const std::string roce = "[[message]]\nsrc = 1\ndst = 2\nbytes = 1\n";
  EXPECT_EQ(timer(roce), "tcp.rto_min") << "less than the 4.3 s of RoCE";
  EXPECT_EQ(timer(roce + "[roce]\nrto = \"1 ms\"\n"), "roce.rto");
}

TEST(TcpTimeouts, FramesAreThoseOfTheTransportsOfClasses) {
  const std::string lossless = "[class.lossless]\ntransport = \"tcp\"\npfc = false\nlimit = \"1 MB\"\n";
  const Fabric both = three_segments().fabric, tcp = three_segments(lossless).fabric;
  EXPECT_EQ(both.max_frame_bytes, 4096u + 102 + 16 - 20);
  EXPECT_EQ(both.min_frame_bytes, 90u - 20);
  EXPECT_EQ(tcp.max_frame_bytes, 1448u + 90 - 20);
  EXPECT_EQ(three_segments("[tcp]\nsegment = 8948\n").fabric.max_frame_bytes, 8948u + 90 - 20);
}

TEST(TcpTimeouts, ClassesSayWhatTheirPacketsAre) {
  const World world = three_segments("[tcp]\nwindow_segments = 128\n");
  EXPECT_EQ(framing_of(world, 2).packets_per_ack, 2u);
  EXPECT_EQ(framing_of(world, 1).packets_per_ack, world.roce.ack_every);
  EXPECT_EQ(window_of(world, 2), 128u);
  EXPECT_TRUE(carries_tcp_only(world));
  EXPECT_EQ(smallest_framing(world).payload_bytes, 1448u);
}

}  // namespace
}  // namespace heddle
