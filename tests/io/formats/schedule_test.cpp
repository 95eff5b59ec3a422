// In which order the operations of a trace are done.
#include "io/formats/schedule.hpp"

#include <gtest/gtest.h>

#include "io/formats/goal.hpp"
#include "tests/io/formats/foreign_input.hpp"

namespace heddle::test {
namespace {

/// Sends wait for their recvs.
Trace goal(const std::string& text) { return read_goal(file_of(text), 0); }

std::vector<TimePs> times(const Trace& trace, u32 rank) {
  std::vector<TimePs> all;
  for (const TraceOp& op : trace.ops(rank)) {
    if (op.computes) all.push_back(op.compute_ps / 1000);
  }
  return all;
}

/// Of one processor: what must wait does not keep up what need not.
TEST(Schedule, AComputationThatWaitsStandsBehindOneThatCanGo) {
  const Trace trace = goal(
      "num_ranks 2\nrank 0 {\nsend 8b to 1\n}\nrank 1 {\nr: recv 8b from 0\na: calc 7\na requires r\nb: calc 9\n}\n");
  EXPECT_EQ(times(trace, 1), (std::vector<TimePs>{9, 7}));
}

TEST(Schedule, WhatCanBeginFirstIsFirst) {
  const Trace trace = goal(
      "num_ranks 1\nrank 0 {\na: calc 100 cpu 1\nb: calc 10 cpu 2\nc: calc 1\nc requires a\nd: calc 2\nd requires b\n"
      "e: calc 3\n}\n");
  EXPECT_EQ(times(trace, 0), (std::vector<TimePs>{100, 10, 3, 2, 1}));
}

TEST(Schedule, TheFileDecidesBetweenEquals) {
  EXPECT_EQ(times(goal("num_ranks 1\nrank 0 {\ncalc 3\ncalc 1\ncalc 2\n}\n"), 0), (std::vector<TimePs>{3, 1, 2}));
}

/// The first send waits for an answer to the second one: with the sends in order of the file both ranks would wait for
/// ever.
TEST(Schedule, ASendThatWaitsStandsBehindOneThatCanGo) {
  const Trace trace = goal(
      "num_ranks 2\nrank 0 {\nx: recv 4b from 1 tag 9\na: send 8b to 1\na requires x\nb: send 8b to 1\n}\n"
      "rank 1 {\nr: recv 8b from 0\nrecv 8b from 0\ny: send 4b to 0 tag 9\ny requires r\n}\n");
  const std::vector<TraceOp>& ops = trace.ops(0);
  ASSERT_EQ(ops.size(), 3u);
  EXPECT_EQ(ops[0].after, std::vector<u32>{}) << "b";
  EXPECT_EQ(ops[1].bytes, 4u) << "x";
  EXPECT_EQ(ops[2].after, std::vector<u32>{1}) << "a";
}

/// Of one pair and tag the first recv takes what is sent first, whatever it is.
TEST(Schedule, TheNextReceiveTakesTheNextSend) {
  const Trace trace = goal(
      "num_ranks 2\nrank 0 {\nc: calc 50\na: send 8b to 1\na requires c\nsend 16b to 1\n}\n"
      "rank 1 {\nrecv 8b from 0\nrecv 16b from 0\n}\n");
  EXPECT_EQ(trace.ops(1)[0].bytes, 16u);
  EXPECT_EQ(trace.ops(1)[1].bytes, 8u);
}

/// Up to the limit, a send is done for its rank when it is posted, and its recv need not be there yet.
TEST(Schedule, EagerSendsWaitForNobody) {
  const std::string exchange =
      "num_ranks 2\nrank 0 {\na: send 100b to 1 tag 1\nb: recv 100b from 1 tag 2\nb requires a\n}\n"
      "rank 1 {\na: send 100b to 0 tag 2\nb: recv 100b from 0 tag 1\nb requires a\n}\n";
  const Trace trace = read_goal(file_of(exchange), 100);
  for (const u32 rank : {0u, 1u}) {
    ASSERT_EQ(trace.ops(rank).size(), 2u);
    u32 sends = 0;
    for (const TraceOp& op : trace.ops(rank)) sends += op.done == DoneWhen::posted ? 1 : 0;
    EXPECT_EQ(sends, 1u);
    for (const TraceOp& op : trace.ops(rank)) EXPECT_EQ(op.done == DoneWhen::arrived, op.after.size() == 1);
  }
  expect_contains(error_of(exchange, [](const std::string& path) { read_goal(path, 99); }),
                  ":3:4: rank 0 waits for itself here, by way of ");
  expect_contains(error_of(exchange, [](const std::string& path) { read_goal(path, 99); }),
                  "; a send of more than trace.eager_limit = 99 B waits until it is received");
}

/// Of one pair and tag a small send keeps its place behind a large one, for which the receiver has to come.
TEST(Schedule, EagerSendsOvertakeNoOthers) {
  const Trace trace = read_goal(
      file_of("num_ranks 2\nrank 0 {\na: send 900b to 1\nb: send 7b to 1\nc: calc 3\nc requires b\n}\n"
              "rank 1 {\nx: calc 50\nr: recv 900b from 0\nr requires x\ns: recv 7b from 0\ns requires r\n}\n"),
      100);
  EXPECT_EQ(trace.ops(1)[1].bytes, 900u);
  EXPECT_EQ(trace.ops(1)[2].bytes, 7u);
  EXPECT_EQ(trace.ops(1)[2].done, DoneWhen::arrived);
  EXPECT_EQ(trace.ops(0)[0].compute_ps, 3000) << "it waits for the posting of b alone";
  EXPECT_EQ(trace.ops(0)[1].bytes, 900u);
}

/// All ranks of a communicator do the same in the same order, and everything stands behind what it waits for.
TEST(Schedule, IsOneOrderOfAllRanks) {
  const Trace trace = goal(
      "num_ranks 3\nrank 0 {\na: send 8b to 1 tag 3\nb: send 9b to 1 tag 3\nc: recv 8b from 2\nb requires c\n}\n"
      "rank 1 {\ne: recv 8b from 0 tag 3\nd: recv 9b from 0 tag 3\nf: send 8b to 2\nf requires e\n}\n"
      "rank 2 {\ng: recv 8b from 1\nh: send 8b to 0\nh requires g\n}\n");
  EXPECT_EQ(trace.ops(0)[0].bytes, 8u);
  EXPECT_EQ(trace.ops(1)[0].bytes, 8u) << "of one pair and tag";
  EXPECT_EQ(trace.ops(0).back().bytes, 9u);
  EXPECT_EQ(trace.ops(1).back().bytes, 9u);
}

TEST(Schedule, CirclesAreNamed) {
  const auto error = [](const std::string& text) {
    return error_of(text, [](const std::string& path) { read_goal(path); });
  };
  expect_contains(
      error("num_ranks 2\nrank 0 {\na: recv 8b from 1\nb: send 8b to 1\nb requires a\n}\nrank 1 {\na: recv 8b "
            "from 0\nb: send 8b to 0\nb requires a\n}\n"),
      ":3:4: rank 0 waits for itself here, by way of ");
  expect_contains(error("num_ranks 1\nrank 0 {\na: calc 1\na requires a\n}\n"), ":3:4: rank 0 waits for itself here");
}

}  // namespace
}  // namespace heddle::test
