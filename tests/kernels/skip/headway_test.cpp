// What repeats itself comes to an end: of a message, of a loop of a ring, of the slices of one size.
#include <gtest/gtest.h>

#include "tests/kernels/skip/both_ways.hpp"

namespace heddle {
namespace {

std::string star(u32 hosts, const std::string& more) {
  return "[topology]\nkind = \"star\"\nhosts = " + std::to_string(hosts) + "\n[dcqcn]\nenabled = false\n" + more;
}

std::string message(u32 src, u32 dst, const std::string& bytes) {
  return "[[message]]\nsrc = " + std::to_string(src) + "\ndst = " + std::to_string(dst) + "\nbytes = \"" + bytes +
         "\"\n";
}

/// Messages of two pairs end at different times, and another one of the same queue pair follows.
TEST(Headway, EndsWithAMessage) {
  const std::string text = star(4, "[link]\nhost_rate = \"100 Gb/s\"\n[roce]\nack_every = 1\n") +
                           message(0, 1, "8 MB") + message(0, 1, "4 MB") + message(2, 3, "7 MB") +
                           message(2, 3, "30 MB");
  EXPECT_GT(skipped_without_a_trace(text), 0u);
}

/// The last phase of each loop sends nothing. Here a few phases are a period, and two loops are to be done.
TEST(Headway, EndsWithALoopOfARing) {
  const std::string text = star(16, R"(
[[job]]
gpus = 16
gpus_per_server = 1
channels = 1
qps_per_connection = 1
algorithm = "ring"
protocol = "simple"
[[job.collective]]
kind = "all_reduce"
sizes = ["96 MiB"]
)");
  EXPECT_GT(skipped_without_a_trace(text), 0u);
}

/// The last slice is a small one, and the collective behind it has others.
TEST(Headway, EndsWithTheSlicesOfOneSize) {
  for (const char* scaling : {"round_robin", "split"}) {
    SCOPED_TRACE(scaling);
    const std::string text = star(2, "[[job]]\ngpus = 2\ngpus_per_server = 1\np2p_channels = 1\nqp_scaling = \"" +
                                         std::string(scaling) + "\"\n" + R"(qps_per_connection = 2
[[job.collective]]
kind = "all_to_all"
sizes = ["60000001 B", "5 MB"]
)");
    EXPECT_GT(skipped_without_a_trace(text), 0u);
  }
}

}  // namespace
}  // namespace heddle
