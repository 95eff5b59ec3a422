// Traces of other projects: what is read, and the message for everything that cannot be.
#include <gtest/gtest.h>

#include "io/formats/goal.hpp"
#include "io/formats/simai.hpp"
#include "tests/io/formats/foreign_input.hpp"

namespace heddle::test {
namespace {

Trace goal(const std::string& ranks) { return read_goal(file_of(ranks)); }
std::string goal_error(const std::string& text) {
  return error_of(text, [](const std::string& path) { read_goal(path); });
}

TEST(Goal, ReadsSendsReceivesAndComputations) {
  const Trace trace = goal(
      "// of a test\nnum_ranks 3\n\n// one\nrank 0 {\n// first\na: calc 7 cpu 2\nb: send 100b to 1 tag 5 cpu 0 nic "
      "0\nb requires a\n"
      "c: send 200b to 1 tag 5\n}\nrank 1 {\nr: recv 100b from 0 tag 5\nrecv 200b from 0 tag 5\n}\nrank 2 {\n}\n");
  ASSERT_EQ(trace.ranks.size(), 3u);
  ASSERT_EQ(trace.communicators.size(), 1u) << "one for a pair of ranks and a tag";
  EXPECT_EQ(trace.communicators[0].ranks, (std::vector<u32>{0, 1}));
  ASSERT_EQ(trace.ops(0).size(), 3u);
  EXPECT_EQ(trace.ops(0)[0].bytes, 200u) << "need not wait";
  EXPECT_EQ(trace.ops(0)[0].after, std::vector<u32>{});
  EXPECT_TRUE(trace.ops(0)[1].computes);
  EXPECT_EQ(trace.ops(0)[1].compute_ps, 7000);
  EXPECT_EQ(trace.ops(0)[1].processor, 2u);
  EXPECT_EQ(trace.ops(0)[2].bytes, 100u);
  EXPECT_EQ(trace.ops(0)[2].after, std::vector<u32>{1});
  EXPECT_EQ(trace.ops(1)[1].bytes, 100u);
  EXPECT_TRUE(trace.ops(2).empty());
}

/// LogGOPSim looks at the source and the tag alone, and takes the sends in their order.
TEST(Goal, TheSendSaysTheSize) {
  const Trace trace =
      goal("num_ranks 2\nrank 0 {\nsend 1b to 1\nsend 2b to 1\n}\nrank 1 {\nrecv 2b from 0\nrecv 7b from 0\n}\n");
  for (const u32 rank : {0u, 1u}) {
    EXPECT_EQ(trace.ops(rank)[0].bytes, 1u);
    EXPECT_EQ(trace.ops(rank)[1].bytes, 2u);
  }
  ASSERT_EQ(trace.notes.size(), 1u);
  expect_contains(trace.notes[0], "2 recvs say another size than the send that they take");
  EXPECT_TRUE(goal("num_ranks 2\nrank 0 {\nsend 1b to 1\n}\nrank 1 {\nrecv 1b from 0\n}\n").notes.empty());
}

/// Blanks stand where they help, and comments where a statement may begin.
TEST(Goal, IsReadAsLogGOPSimReadsIt) {
  const Trace trace = goal(
      "num_ranks 2 // two\n/* of\n a test */ rank 0{ // the first\nl1 : send 8 b to 1\n/* x */ l2:calc 3\n"
      "l1 requires l2\n} // done\nrank 1 { recv 8b from 0 }\n");
  ASSERT_EQ(trace.ops(0).size(), 2u);
  EXPECT_EQ(trace.ops(0)[0].compute_ps, 3000);
  EXPECT_EQ(trace.ops(0)[1].bytes, 8u);
  EXPECT_EQ(trace.ops(1).size(), 1u);
}

TEST(Goal, ASendMayBeEmpty) {
  const Trace trace = goal("num_ranks 2\nrank 0 {\nsend 0b to 1\n}\nrank 1 {\nrecv 0b from 0\n}\n");
  EXPECT_EQ(trace.ops(0)[0].bytes, 0u);
}

/// A dependence may lead down the file: operations come in an order in which they can be done.
TEST(Goal, PutsOperationsBehindWhatTheyWaitFor) {
  const Trace trace = goal("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\nc: calc 3\na requires c\nc requires b\n}\n");
  ASSERT_EQ(trace.ops(0).size(), 3u);
  EXPECT_EQ(trace.ops(0)[0].compute_ps, 2000);
  EXPECT_EQ(trace.ops(0)[1].compute_ps, 3000);
  EXPECT_EQ(trace.ops(0)[2].compute_ps, 1000);
  EXPECT_EQ(trace.ops(0)[2].after, std::vector<u32>{1});
}

TEST(Goal, SaysWhatIsWrongAndWhere) {
  expect_contains(goal_error(""), ":1:1: the file ends where");
  expect_contains(goal_error("ranks 2\n"), ":1:1: a GOAL schedule begins with 'num_ranks N'");
  expect_contains(goal_error("num_ranks 0\n"), ":1:11:");
  const std::string head = "num_ranks 2\nrank 0 {\n";
  expect_contains(goal_error(head), "the file ends where } at the end of rank 0");
  expect_contains(goal_error(head + "}\nrank 0 {\n}\n"), ":4:6: rank 0 is given twice");
  expect_contains(goal_error(head + "}\nrank 0 {\n"), ":4:6: rank 0 is given twice");
  expect_contains(goal_error("num_ranks 2\nrank 2 {\n}\n"), ":2:6: rank is 2, outside the range 0 to 1");
  expect_contains(goal_error(head + "a: jump 3\n}\n"), ":3:4: 'jump' is no operation");
  expect_contains(goal_error(head + "a: calc 3\na: calc 3\n}\n"), ":4:1: the label 'a' is given twice");
  expect_contains(goal_error(head + "send 1 to 1\n}\n"), ":3:6: '1' is no size; write bytes as 4096b");
  expect_contains(goal_error(head + "send 1b from 1\n}\n"), ":3:9: expected 'to', found 'from'");
  expect_contains(goal_error(head + "send 1b to 0\n}\n"), "a rank cannot send to itself");
  expect_contains(goal_error(head + "send 1b to\n}\n"), "the line ends where a rank should follow");
  expect_contains(goal_error(head + "send 1b to 1 nic 1\n}\n"), "a GPU has one NIC");
  expect_contains(goal_error(head + "send 1b to 1 tug 1\n}\n"), ":3:14: 'tug' is unknown");
  expect_contains(goal_error(head + "a: calc 1\na requires b\n}\n"), ":4:12: there is no operation 'b'");
  expect_contains(goal_error(head + "a: calc 1\nb: calc 1\nb irequires a\n}\n"), "irequires");
  const std::string rest = "}\nrank 1 {\n}\n";
  expect_contains(goal_error(head + "}\n"), ":1:11: 2 ranks are announced, but nothing is said of rank 1");
  expect_contains(goal_error(head + "a: calc 1\nb: calc 1\na requires b\nb requires a\n" + rest),
                  ":3:4: rank 0 waits for itself here, by way of ");
  expect_contains(goal_error(head + "send 1b to 1\n" + rest),
                  ":3:1: this send of 1 B from rank 0 to rank 1 has no recv of the same tag: it would wait");
  expect_contains(goal_error(head + "recv 1b from 1\n" + rest), "has no send of the same tag: it would wait for ever");
  expect_contains(goal_error(head + "recv 1b from -1\n" + rest), ":3:14: '-1' is a wildcard");
  expect_contains(goal_error(head + "recv 1b from ANY_SOURCE\n" + rest), ":3:14: 'ANY_SOURCE' is a wildcard");
  expect_contains(goal_error(head + "recv 1b from 1 tag -1\n" + rest), ":3:20: '-1' is a wildcard, for any source");
  expect_contains(goal_error(head + "send 1b to 1 tag 1 tag 2\n" + rest), ":3:20: tag is given twice");
  expect_contains(goal_error(head + "calc 1 cpu 1 cpu 2\n" + rest), ":3:14: cpu is given twice");
  expect_contains(goal_error(head + "calc 1 tag 1\n" + rest), ":3:8: a calc has no tag");
  expect_contains(goal_error(head + "calc 1 nic 0\n" + rest), ":3:8: a calc has no nic");
  expect_contains(goal_error(head + ": calc 1\n" + rest), ":3:1: a label is missing before ':'");
  expect_contains(goal_error(head + "7: calc 1\n" + rest), ":3:1: '7' is no label");
  expect_contains(goal_error(head + "calc 1\n/* no\nend\n"), ":4:1: this comment has no end");
}

constexpr const char* kHeader =
    "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 checkpoints: 0 checkpoint_initiates: 0\n";

std::string simai_error(const std::string& text, u32 gpus = 4) {
  return error_of(text, [&](const std::string& path) { read_simai(path, gpus); });
}

/// Two layers: forwards, then backwards from the second; the collective of an input's gradient is awaited before the
/// gradient of the weights is computed, that of the weights at the end.
TEST(Simai, IsReadLayerByLayer) {
  const Trace trace =
      read_simai(file_of(std::string(kHeader) + "2\na -1 1 ALLGATHER 8 2 REDUCESCATTER 16 3 ALLREDUCE 32 7\n"
                                                "b -1 4 NONE 0 5 ALLREDUCE 64 6 NONE 0 8\n"),
                 4);
  ASSERT_EQ(trace.ranks.size(), 4u);
  ASSERT_EQ(trace.communicators.size(), 4u) << "2 tensor-parallel and 2 data-parallel groups";
  EXPECT_EQ(trace.communicators[0].group, Group::tensor);
  EXPECT_EQ(trace.communicators[0].ranks, (std::vector<u32>{0, 1}));
  EXPECT_EQ(trace.communicators[3].group, Group::data);
  EXPECT_EQ(trace.communicators[3].ranks, (std::vector<u32>{1, 3}));
  const std::vector<TraceOp>& ops = trace.ops(3);
  // forward a, its gather, update, forward b; input b, its all-reduce, update, weight b; input a, its reduction,
  // update, weight a, its all-reduce, update; the end
  ASSERT_EQ(ops.size(), 15u);
  EXPECT_EQ(ops[0].compute_ps, 1000);
  EXPECT_EQ(ops[1].kind, CollectiveKind::all_gather);
  EXPECT_EQ(ops[1].after, std::vector<u32>{0});
  EXPECT_EQ(ops[2].compute_ps, 7000) << "what is behind a collective";
  EXPECT_EQ(ops[2].after, std::vector<u32>{1});
  EXPECT_EQ(ops[3].after, (std::vector<u32>{1, 2})) << "forward collectives are awaited";
  EXPECT_EQ(ops[4].compute_ps, 5000);
  EXPECT_EQ(ops[7].compute_ps, 6000);
  EXPECT_EQ(ops[7].after, (std::vector<u32>{5, 6})) << "SimAI blocks on the input gradient's collective";
  EXPECT_EQ(ops[8].after, std::vector<u32>{}) << "its processor alone";
  EXPECT_EQ(ops[11].after, (std::vector<u32>{9, 10}));
  EXPECT_EQ(ops[12].kind, CollectiveKind::all_reduce);
  EXPECT_EQ(trace.ranks[3].communicators[ops[12].communicator], 3u);
  EXPECT_EQ(ops[13].processor, 2u) << "updates of weights keep up no others";
  EXPECT_EQ(ops[14].after, std::vector<u32>{12}) << "weights' collectives are awaited at the end";
  EXPECT_EQ(trace.programs.size(), 1u) << "all ranks do the same";
}

TEST(Simai, GroupsAreNamedBehindTheKind) {
  const Trace trace = read_simai(file_of("HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 2 all_gpus: 8\n1\n"
                                         "l -1 1 ALLTOALL_EP 64 1 NONE 0 1 REDUCESCATTER_DP_EP 64 1\n"),
                                 8);
  ASSERT_EQ(trace.communicators.size(), 8u);
  EXPECT_EQ(trace.communicators[0].group, Group::expert);
  EXPECT_EQ(trace.communicators[0].ranks, (std::vector<u32>{0, 2}));
  EXPECT_EQ(trace.communicators[4].group, Group::data);
  EXPECT_EQ(trace.communicators[4].ranks, (std::vector<u32>{0, 4}));
}

/// The header of AICB's decks today, and their lines: a size may stand beside NONE, and a collective may be of nothing.
TEST(Simai, WhatAicbWritesIsRead) {
  const Trace trace = read_simai(
      file_of("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 2 ga: 1 all_gpus: 4 "
              "checkpoints: 0 checkpoint_initiates: 0 mode: 1 pp_comm: 0\n"
              "1\nl -1 1 NONE 512 1 ALLGATHER_DP_EP 0 1 ALLREDUCE 64 1\n"),
      4);
  ASSERT_EQ(trace.communicators.size(), 2u) << "data-parallel groups alone";
  EXPECT_EQ(trace.communicators[0].group, Group::data);
  EXPECT_EQ(trace.ops(0).size(), 6u) << "three computations, a collective with its update, the end";
}

/// A deck of DeepSpeed's ZeRO-3 has its gathers in the columns of tensor-parallel groups.
TEST(Simai, SaysWhichCollectivesSendNothing) {
  const auto notes = [](const std::string& group) {
    return read_simai(file_of("HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: " + group +
                              " ep: 1 all_gpus: 4\n3\nl -1 1 NONE 0 1 ALLGATHER 64 1 NONE 0 1\n"
                              "l -1 1 ALLGATHER 64 1 ALLGATHER 64 1 NONE 0 1\n"
                              "l -1 1 ALLGATHER 0 1 NONE 0 1 REDUCESCATTER 64 1\n"),
                      4)
        .notes;
  };
  ASSERT_EQ(notes("1").size(), 1u);
  expect_contains(notes("1")[0], ": 3 of 4 collectives are of groups of one GPU and send nothing");
  expect_contains(notes("1")[0], "(3 tensor-parallel)");
  EXPECT_TRUE(notes("2").empty());
}

TEST(Simai, AMicroBenchmarkIsOfAllRanks) {
  const Trace trace = read_simai(file_of("MICRO\n1\nm -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4096 1\n"), 4);
  ASSERT_EQ(trace.communicators.size(), 1u);
  EXPECT_EQ(trace.communicators[0].ranks.size(), 4u);
  for (const TraceOp& op : trace.ops(0))
    EXPECT_TRUE(!op.computes || op.compute_ps == 0 || op.processor == 2) << "SimAI computes nothing but the update";
}

TEST(Simai, SaysWhatIsWrongAndWhere) {
  const std::string layer = "a -1 1 NONE 0 1 NONE 0 1 NONE 0 1\n";
  expect_contains(simai_error("DATA\n1\n" + layer), ":1:1: 'DATA' is not supported");
  expect_contains(simai_error("MICRO 3\n1\n" + layer), "expected pairs 'key: value'");
  expect_contains(simai_error("MICRO pq: 3\n1\n" + layer), ":1:7: 'pq:' is unknown");
  expect_contains(simai_error("MICRO pp: 2\n1\n" + layer),
                  ":1:11: pp: 2 is not supported: SimAI itself simulates no pipeline");
  expect_contains(simai_error("MICRO pp: 2\n1\n" + layer), "[job.training] has pipelines");
  for (const std::string key : {"model_parallel_NPU_group:", "ep:", "pp:"})
    expect_contains(simai_error("MICRO " + key + " 0\n1\n" + layer), key + " 0 is no size of a group; write 1");
  expect_contains(simai_error("MICRO checkpoints: 1\n1\n" + layer), "not computed again");
  expect_contains(simai_error("MICRO checkpoints: 1 3\n1\n" + layer), ":1:20: checkpoints: 1 is not supported: layers");
  expect_contains(simai_error("MICRO pp_comm: 4096\n1\n" + layer), ":1:16: pp_comm: 4096 is not supported");
  expect_contains(simai_error("MICRO ep: 2 ep: 1\n1\n" + layer), ":1:13: 'ep:' is given twice");
  expect_contains(simai_error("MICRO expert_parallel_npu_group: 8\n1\n" + layer), "SimAI does not read it");
  expect_contains(simai_error("MICRO all_gpus: 8\n1\n" + layer), "for 8 GPUs, and the job has 4");
  expect_contains(simai_error(std::string(kHeader) + "1\n" + layer, 3), "do not divide them");
  expect_contains(simai_error("MICRO\n2\n" + layer), ":2:1: 2 layers are announced, but 1 lines follow");
  expect_contains(simai_error("MICRO\n1\na -1 1\n"), "3 values where 12 are expected");
  expect_contains(simai_error("MICRO\n1\na -1 1 PUT 8 1 NONE 0 1 NONE 0 1\n"), ":3:8: 'PUT' is no collective");
  expect_contains(simai_error("MICRO\n2\n" + layer + layer), ":4:1: a second line of a MICRO workload, of which SimAI");
  expect_contains(simai_error("MICRO\n1\na -1 1 ALLREDUCE 8 1 NONE 0 1 NONE 0 1\n"), ":3:8: SimAI does the last of");
  expect_contains(simai_error("MICRO\n1\na -1 1 NONE 0 1 ALLREDUCE 8 1 NONE 0 1\n"), ":3:17: SimAI does the last of");
  expect_contains(simai_error("MICRO\n1\na x 1 NONE 0 1 NONE 0 1 NONE 0 1\n"), ":3:3: dependence is 'x'");
  expect_contains(simai_error("MICRO\n1\na - 1 NONE 0 1 NONE 0 1 NONE 0 1\n"), ":3:3: dependence is '-'");
  expect_contains(simai_error("MICRO\n1\na -1 1 NONE 0 1 NONE 0 1 NONE 0 x\n"), ":3:33: update time (ns) is 'x'");
  expect_contains(simai_error("MICRO\n1\na -1 x NONE 0 1 NONE 0 1 NONE 0 1\n"), ":3:6: compute time (ns) is 'x'");
}

}  // namespace
}  // namespace heddle::test
