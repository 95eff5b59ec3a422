// Texts about a queue pair that gave up.
#include "kernels/outcome/failed_qp.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(FailedQp, AfterDropsThePacketsAreLookedFor) {
  EXPECT_EQ(explain_failed_qp({40'000'165, 48, 1, 7}, 3),
            "queue pair 1 of endpoint 48 gave up at 40.000165 us after 7 retransmission timeouts; 3 packets were "
            "dropped: look at /event/drop, or raise roce.rto or roce.rto_tries");
}

TEST(FailedQp, WithoutDropsTheTimeoutWasTooShort) {
  const std::string why = explain_failed_qp({40'000'165, 48, 1, 7}, 0);
  EXPECT_NE(why.find("nothing was dropped"), std::string::npos) << why;
  EXPECT_NE(why.find("than roce.rto; raise it"), std::string::npos) << why;
  EXPECT_EQ(why.find("/event/drop"), std::string::npos) << why;
}

TEST(FailedQp, OfTcpTheTimeoutsAndKeysAreThoseOfTcp) {
  const FailedQp qp{40'000'165, 48, 1, 15, Transport::tcp};
  EXPECT_EQ(explain_failed_qp(qp, 3),
            "TCP queue pair 1 of endpoint 48 gave up at 40.000165 us at retransmission timeout 16 in a row "
            "(tcp.retries = 15); 3 packets were dropped: look at /event/drop, or raise tcp.retries, tcp.rto_min or "
            "tcp.rto_max, so that the connection tries for longer");
  const std::string why = explain_failed_qp(qp, 0);
  EXPECT_NE(why.find("nothing was dropped"), std::string::npos) << why;
  EXPECT_NE(why.find("raise tcp.rto_min or tcp.rto_max"), std::string::npos) << why;
  EXPECT_EQ(why.find("roce"), std::string::npos) << why;
}

}  // namespace
}  // namespace heddle
