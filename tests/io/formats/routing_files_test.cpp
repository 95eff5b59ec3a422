// weights.csv and demands.csv: what is read, and the message for everything that cannot be.
#include <gtest/gtest.h>

#include "io/error.hpp"
#include "io/formats/routing_files.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

std::string file_of(const std::string& text) { return write_text(fresh_folder() + "/in.csv", text); }

std::string weights_error(const std::string& text) {
  return message_of<InputError>([&] { read_weights_csv(file_of(text)); });
}
std::string demands_error(const std::string& text) {
  return message_of<InputError>([&] { read_demands_csv(file_of(text)); });
}

TEST(WeightsFile, Reads) {
  const std::vector<PlainWeight> weights =
      read_weights_csv(file_of("switch,next_hop,weight\r\n\r\nrtsw0,ctsw1,3\r\nctsw1,rtsw0,0\r\n"));
  ASSERT_EQ(weights.size(), 2u);
  EXPECT_EQ(weights[0].from, "rtsw0");
  EXPECT_EQ(weights[0].to, "ctsw1");
  EXPECT_EQ(weights[0].weight, 3u);
  EXPECT_EQ(weights[0].line, 3u);
  EXPECT_EQ(weights[1].weight, 0u);
}

TEST(WeightsFile, MistakesAreNamedWithTheirPlace) {
  EXPECT_NE(weights_error("").find("header"), std::string::npos);
  EXPECT_NE(weights_error("switch,weight\n").find(":1:1: the header is"), std::string::npos);
  EXPECT_NE(weights_error("switch,next_hop,weight\nrtsw0,ctsw1\n").find(":2:"), std::string::npos);
  EXPECT_NE(weights_error("switch,next_hop,weight\nrtsw0,ctsw1,1.5\n").find(":2:13"), std::string::npos);
  EXPECT_NE(weights_error("switch,next_hop,weight\nrtsw0,ctsw1,1000001\n").find(":2:13"), std::string::npos);
}

TEST(DemandsFile, Reads) {
  const std::vector<PlainDemand> demands =
      read_demands_csv(file_of("src_rack,dst_rack,bytes\nrtsw0,rtsw1,1000000000000000\n"));
  ASSERT_EQ(demands.size(), 1u);
  EXPECT_EQ(demands[0].from, "rtsw0");
  EXPECT_EQ(demands[0].to, "rtsw1");
  EXPECT_EQ(demands[0].bytes, 1'000'000'000'000'000u);
  EXPECT_EQ(demands[0].line, 2u);
}

TEST(DemandsFile, MistakesAreNamedWithTheirPlace) {
  EXPECT_NE(demands_error("rtsw0,rtsw1,5\n").find(":1:1: the header is"), std::string::npos);
  EXPECT_NE(demands_error("src_rack,dst_rack,bytes\nrtsw0,rtsw1,0\n").find(":2:13"), std::string::npos);
  EXPECT_NE(demands_error("src_rack,dst_rack,bytes\nrtsw0,rtsw1,1 GB\n").find(":2:"), std::string::npos);
  EXPECT_NE(demands_error("src_rack,dst_rack,bytes\nrtsw0,rtsw1,-3\n").find(":2:13"), std::string::npos);
}

}  // namespace
}  // namespace heddle::test
