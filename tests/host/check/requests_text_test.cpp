// Texts of `heddle check` on generators of requests, by hand: a NIC has 50 GB/s.
#include "host/check/requests_text.hpp"

#include <gtest/gtest.h>

#include "host/scenario/build.hpp"

namespace heddle {
namespace {

World asking(const std::string& generator) {
  return build_world(
      "[topology]\nkind = 'star'\nhosts = 8\n[workload]\njitter_packets = 0\n[[generator]]\nkind = 'requests'\n"
      "first_server = 6\nservers = 2\n" +
          generator,
      "requests");
}

TEST(RequestsText, SaysWhatTheBusiestServerSends) {
  // 6 clients, 3 requests each, 5000 B from each server: 18 times 5000 + 2 * 102 + 16 B on the wire, 93,960 B.
  EXPECT_EQ(requests_text(asking("stripes = 2\noutstanding = 1\nmessages = 3\nbytes = '10 KB'\n")),
            "requests   generator 0: 18 requests of 6 clients to 2 servers, which answer with 180 KB\n"
            "           the busiest server, gpu6, answers with 93.96 KB on the wire: at least 1.879 us at its rate\n");
}

TEST(RequestsText, SaysTheLoadOfRequestsAtRandomInstants) {
  // Six clients read at 30 % of their rate from two servers: each answers at some 90 % of its own, with headers at 92
  // %.
  const std::string text = requests_text(asking("load = 0.3\nduration = '400 us'\nbytes = '20 KB'\n"));
  const size_t at = text.find(" us: a load of ");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_NEAR(std::stod(text.substr(at + 15)), 92, 15) << text;
  const std::string at_once = requests_text(asking("load = 1\nduration = '400 us'\nbytes = '20 KB'\n"));
  EXPECT_NE(at_once.find("more than it can answer meanwhile"), std::string::npos) << at_once;
}

TEST(RequestsText, SaysNothingWithoutAny) {
  EXPECT_EQ(requests_text(build_world(
                "[topology]\nkind = 'star'\nhosts = 4\n[[message]]\nsrc = 0\ndst = 1\nbytes = 1\n", "none")),
            "");
}

}  // namespace
}  // namespace heddle
