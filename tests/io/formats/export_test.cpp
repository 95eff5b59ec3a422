// fct.txt and pfc.txt as HPCC's own scripts read them.
#include <gtest/gtest.h>

#include "io/error.hpp"
#include "io/formats/hpcc.hpp"
#include "io/results/ideal.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

TEST(HpccExport, Fct) {
  const World world = small_world();
  Outcome outcome = small_outcome();
  const std::string path = fresh_folder() + "/fct.txt";
  outcome.messages[0].acked_ps = 12'000'999;  // after message 1
  write_hpcc_fct(path, world, outcome);
  const std::string ideal0 = std::to_string(ideal_completion_ps(world, 0) / 1000);
  const std::string ideal1 = std::to_string(ideal_completion_ps(world, 1) / 1000);
  EXPECT_EQ(file_bytes(path), "0b000201 0b000101 49157 100 10000 3000 8000 " + ideal1 +
                                  "\n0b000001 0b000101 49157 100 4096 2000 10000 " + ideal0 + "\n");
}

TEST(HpccExport, FctLeavesOutWhatDidNotFinish) {
  const World world = small_world();
  Outcome outcome = small_outcome();
  outcome.messages[0].acked_ps = outcome.messages[1].acked_ps = -1;
  const std::string path = fresh_folder() + "/fct.txt";
  write_hpcc_fct(path, world, outcome);
  EXPECT_EQ(file_bytes(path), "");
}

TEST(HpccExport, FctWithTheNumbersOfTheTopologyFile) {
  const World world = small_world();
  const std::string path = fresh_folder() + "/fct.txt";
  write_hpcc_fct(path, world, small_outcome(), {{258, 300, 2, 3, 0}, {200, 201}});
  EXPECT_EQ(file_bytes(path).substr(0, 40), "0b010201 0b012c01 49157 200 4096 2000 70");
  const std::string message = message_of<InputError>([&] {
    write_hpcc_fct(path, world, small_outcome(), {{70'000, 1, 2, 3, 4}, {}});
  });
  EXPECT_NE(message.find("node 70000 is beyond 65535"), std::string::npos) << message;
}

TEST(HpccExport, Pfc) {
  const World world = small_world();
  const std::string path = fresh_folder() + "/pfc.txt";
  write_hpcc_pfc(path, world, small_events());
  // The switch's ingress port 2 pauses endpoint 2, whose only port is interface 1.
  EXPECT_EQ(file_bytes(path), "32 2 0 1 1\n65 2 0 1 0\n");
}

TEST(HpccExport, UnwritablePath) {
  const std::string message = message_of<OutputError>([] { write_hpcc_pfc("none/pfc.txt", small_world(), {}); });
  EXPECT_EQ(message.substr(0, 58), "cannot write 'none/pfc.txt': No such file or directory (th");
}

}  // namespace
}  // namespace heddle::test
