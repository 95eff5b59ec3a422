// Timeouts of TCP, in pure arithmetic (MODEL.md, 8.11; RFC 6298).
#include "kernels/transport/tcp_window.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(TcpWindow, ATimeoutHasAFloor) {
  TcpSettings tcp;
  tcp.rto_initial_ps = 7'000'000'000;
  tcp.rto_min_ps = 1'100'000'000;
  tcp.rto_max_ps = 60'000'000'000;
  TcpSender c;
  EXPECT_EQ(tcp_rto_ps(tcp, c), 7'000'000'000) << "nothing was measured";
  tcp_sample(c, 3'000'000);
  EXPECT_EQ(tcp_rto_ps(tcp, c), 1'100'000'000) << "3 us and 1 ms are less";
  tcp_sample(c, 1'000'000'000);
  EXPECT_EQ(tcp_rto_ps(tcp, c), 127'625'000 + 4 * TimePs{250'375'000}) << "4 rttvar are more";
}

TEST(TcpWindow, ATimeoutDoublesUpToItsMost) {
  TcpSettings tcp;
  tcp.rto_min_ps = 1'100'000'000;
  tcp.rto_max_ps = 4'000'000'000;
  TcpSender c;
  tcp_sample(c, 3'000'000);
  c.backoff = 1;
  EXPECT_EQ(tcp_present_rto_ps(tcp, c), 2'200'000'000);
  c.backoff = 2;
  EXPECT_EQ(tcp_present_rto_ps(tcp, c), 4'000'000'000);
  c.backoff = 15;
  EXPECT_EQ(tcp_present_rto_ps(tcp, c), 4'000'000'000);
}

}  // namespace
}  // namespace heddle
