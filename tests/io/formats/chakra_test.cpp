// Chakra's execution traces: what is read, and the message for everything that cannot be.
#include "io/formats/chakra.hpp"

#include <gtest/gtest.h>

#include "tests/io/formats/chakra_bytes.hpp"
#include "tests/io/formats/foreign_input.hpp"

namespace heddle::test {
namespace {

constexpr u32 kAllReduce = 0, kAllGather = 2, kReduceScatter = 7, kBarrier = 9;

Trace read(const std::vector<std::vector<ChakraNode>>& ranks, const std::string& groups = "") {
  const std::string folder = fresh_folder();
  return read_chakra(chakra_trace(folder, ranks), groups.empty() ? "" : write_text(folder + "/groups.json", groups));
}

/// The message, behind the folder of its file.
std::string error(const std::vector<std::vector<ChakraNode>>& ranks, const std::string& groups = "") {
  const std::string message = message_of<InputError>([&] { read(ranks, groups); });
  return message.substr(std::min(message.find("/t."), message.size()));
}

TEST(Chakra, ReadsComputationsAndCollectives) {
  const Trace trace =
      read({{computation(5, 7), collective(6, kAllGather, 1000, {5})}, {collective(1, kAllGather, 1000)}});
  ASSERT_EQ(trace.ranks.size(), 2u);
  ASSERT_EQ(trace.communicators.size(), 1u);
  EXPECT_EQ(trace.communicators[0].ranks, (std::vector<u32>{0, 1}));
  ASSERT_EQ(trace.ops(0).size(), 2u);
  EXPECT_EQ(trace.ops(0)[0].compute_ps, 7'000'000);
  EXPECT_EQ(trace.ops(0)[1].kind, CollectiveKind::all_gather);
  EXPECT_EQ(trace.ops(0)[1].bytes, 2000u) << "Chakra says what a rank puts in, nccl-tests what comes out";
  EXPECT_EQ(trace.ops(0)[1].after, std::vector<u32>{0});
}

TEST(Chakra, SizesAreWhatARankPutsIn) {
  const auto one = [](u32 type) { return std::vector<ChakraNode>{collective(0, type, 4000)}; };
  EXPECT_EQ(read({one(kAllReduce), one(kAllReduce)}).ops(0)[0].bytes, 4000u);
  EXPECT_EQ(read({one(kReduceScatter), one(kReduceScatter)}).ops(0)[0].bytes, 4000u);
  EXPECT_EQ(read({one(6), one(6)}).ops(0)[0].kind, CollectiveKind::all_to_all);
  EXPECT_EQ(read({one(3), one(3)}).ops(0)[0].bytes, 8000u) << "gather";
  EXPECT_EQ(read({one(kBarrier), one(kBarrier)}).ops(0)[0].bytes, 4u) << "an all-reduce of one number";
}

TEST(Chakra, ReadsSendsAndReceives) {
  const Trace trace = read({{sends(3, 1, 50)}, {receives(8, 0, 50)}});
  ASSERT_EQ(trace.communicators.size(), 1u);
  EXPECT_EQ(trace.communicators[0].ranks, (std::vector<u32>{0, 1}));
  EXPECT_EQ(trace.ops(1)[0].kind, CollectiveKind::send);
}

/// Control dependencies count as data dependencies do, in lists that are packed or not.
TEST(Chakra, WaitsForControlDependencies) {
  ChakraNode second = computation(2, 1, {1});
  second.rest += number_field(4, 0) + number_field(4, 1);
  const Trace trace = read({{computation(0, 1), computation(1, 2), second}});
  EXPECT_EQ(trace.ops(0)[2].after, (std::vector<u32>{0, 1}));
}

TEST(Chakra, AttributesMayBeOfAnyWholeType) {
  ChakraNode node{0, kCollNode};
  node.rest = attribute("comm_type", kAllReduce, kUint64Val) + attribute("comm_size", 64, 7) +
              attribute("comm_priority", 0, 7) + attribute("is_cpu_op", 0, kBoolVal) +
              bytes_field(10, bytes_field(1, "involved_dim") + bytes_field(28, ""));
  EXPECT_EQ(read({{node}, {node}}).ops(0)[0].bytes, 64u);
}

TEST(Chakra, ComputationsOfTheCpuAreBesideThoseOfTheGpu) {
  ChakraNode on_cpu = computation(0, 1);
  on_cpu.rest += attribute("is_cpu_op", 1, kBoolVal);
  const Trace trace = read({{on_cpu, computation(1, 1)}});
  EXPECT_NE(trace.ops(0)[0].processor, trace.ops(0)[1].processor);
}

TEST(Chakra, GroupsComeFromAFileOrFromTheTrace) {
  const auto in = [](const std::string& group) { return text_attribute("pg_name", group); };
  const Trace of_file = read({{collective(0, kAllReduce, 8, {}, in("7"))},
                              {collective(0, kAllReduce, 8, {}, in("0"))},
                              {collective(0, kAllReduce, 8, {}, in("7"))}},
                             "{\"7\": [2, 0], \"0\": [1]}");
  ASSERT_EQ(of_file.communicators.size(), 2u - 1u) << "a rank alone does nothing";
  EXPECT_EQ(of_file.communicators[0].ranks, (std::vector<u32>{0, 2}));

  ChakraNode init{
      0,
      kMetadataNode,
      {},
      bytes_field(8,
                  bytes_field(1, R"(['[{"pg_name": "7", "pg_desc": "TENSOR_MODEL_PARALLEL_GROUP", "ranks": []}]'])"))};
  init.rest += bytes_field(2, "## process_group:init ##");
  const Trace of_trace =
      read({{init, collective(1, kAllReduce, 8, {0}, in("7"))}, {init, collective(1, kAllReduce, 8, {0}, in("7"))}});
  ASSERT_EQ(of_trace.communicators.size(), 1u);
  EXPECT_EQ(of_trace.communicators[0].group, Group::tensor);
  EXPECT_EQ(of_trace.communicators[0].ranks, (std::vector<u32>{0, 1})) << "no ranks: all";
}

TEST(Chakra, SaysWhatIsWrongAndWhere) {
  const auto both = [](const ChakraNode& node) { return error({{node}, {node}}); };
  expect_contains(both({3, kMemLoadNode}), "/t.0.et: node 3 'n3': is a MEM_LOAD node (type 2), which is not supported");
  expect_contains(both({3, 0}), "is a INVALID node");
  expect_contains(both({3, 77}), "is a unknown node (type 77)");
  expect_contains(both({3, kCollNode}), "comm_type is missing");
  expect_contains(both(collective(0, 12, 8)), "comm_type is 12, outside the range 0 to 9");
  expect_contains(both(collective(0, 0, 0)), "a collective of 0 B");
  expect_contains(both(collective(0, 0, 8, {}, text_attribute("pg_name", "5"))), "nothing says which ranks that has");
  expect_contains(both(collective(0, 0, 8, {4})), "waits for node 4, which is not in this file");
  expect_contains(both(collective(0, 0, 8, {0})), "/t.0.et: node 0 'n0': rank 0 waits for itself here");
  expect_contains(both({0, kCollNode, {}, text_attribute("comm_type", "ring")}), "comm_type is no whole number");
  expect_contains(both(collective(0, 0, 8, {}, attribute("comm_priority", 3))), "node 0 'n0': has comm_priority 3");
  expect_contains(both(collective(0, 0, 8, {}, attribute("involved_dim", 1))), "involved_dim is no list of flags");
  expect_contains(both(sends(0, 0, 8)), "cannot send to itself");
  expect_contains(both(sends(0, 2, 8)), "comm_dst is 2, outside the range 0 to 1");
  expect_contains(both({0, kCompNode, {}, attribute("num_ops", 9)}), "but not how long they take (duration_micros)");
  expect_contains(both(computation(0, 1'000'000'000)), "can take 17000000 us at most");
  expect_contains(error({{computation(0, 1), computation(0, 1)}}), "another node above has this id");
  expect_contains(error({{sends(0, 1, 8)}, {}}), "this send of 8 B from rank 0 to rank 1 has no recv");
  expect_contains(error({{}, {receives(9, 0, 8)}}), "/t.1.et: node 9 'n9': this recv");
  expect_contains(error({{collective(0, 0, 8)}, {collective(0, 0, 16)}}),
                  "rank 0 does this all_reduce of 8 B, but rank 1 of the same group does it less often");
  expect_contains(message_of<InputError>([&] { read({{collective(0, 0, 8)}}, "[1]"); }),
                  "groups.json: is no JSON object of process groups");
  expect_contains(message_of<InputError>([&] { read({{collective(0, 0, 8)}}, "{\"1\": [3]}"); }),
                  "a process group has rank 3, and there are ranks 0 to 0");
  expect_contains(message_of<InputError>([&] { read({{collective(0, 0, 8)}}, "{\"1\": [0, 0]}"); }),
                  "has rank 0 twice");
  expect_contains(message_of<InputError>([&] { read({{collective(0, 0, 8)}}, "{\"1\": [0],\n  \"1\": [0]}"); }),
                  "groups.json:2:3: the process group '1' is given twice; keep one");
  ChakraNode group_of_others = collective(0, 0, 8, {}, text_attribute("pg_name", "1"));
  expect_contains(error({{group_of_others}, {}}, "{\"1\": [1]}"), "which rank 0 does not belong to");
}

/// Lists within lists, as deep as they like to be: the message shows none of them.
TEST(Chakra, RanksThatAreNestedListsAreRefused) {
  constexpr size_t kDepth = 100'000;
  const std::string nested = std::string(kDepth, '[') + std::string(kDepth, ']');
  expect_contains(message_of<InputError>([&] { read({{collective(0, 0, 8)}}, "{\"1\": " + nested + "}"); }),
                  "a process group has rank 'array', and there are ranks 0 to 0");
  ChakraNode init{
      0, kMetadataNode, {}, bytes_field(8, bytes_field(1, R"(['[{"pg_name": "7", "ranks": )" + nested + "}]']"))};
  init.rest += bytes_field(2, "## process_group:init ##");
  expect_contains(error({{init}}), "a process group has rank 'array'");
}

/// As in ASTRA-sim a send waits for nobody, of any size: every rank of its rings sends before it receives.
TEST(Chakra, SendsBeforeReceives) {
  const u64 bytes = 1 << 30;
  const Trace trace =
      read({{sends(1, 1, bytes), receives(2, 1, bytes, {1})}, {sends(1, 0, bytes), receives(2, 0, bytes, {1})}});
  for (const u32 rank : {0u, 1u}) {
    u32 arrive = 0;
    for (const TraceOp& op : trace.ops(rank)) {
      arrive += op.done == DoneWhen::arrived ? 1 : 0;
      EXPECT_NE(op.done, DoneWhen::posted) << "it is done when its data is there";
    }
    EXPECT_EQ(arrive, 1u);
  }
}

TEST(Chakra, OperationsTakeTheTimeOfTheRoofline) {
  const ChakraNode node{0, kCompNode, {}, attribute("num_ops", 2'000'000) + attribute("tensor_size", 3000)};
  const std::string prefix = chakra_trace(fresh_folder(), {{node}});
  EXPECT_EQ(read_chakra(prefix, "", {.peak_tflops = 2}).ops(0)[0].compute_ps, 1'000'000);
  EXPECT_EQ(read_chakra(prefix, "", {2, 1'000'000'000}).ops(0)[0].compute_ps, 3'000'000) << "of memory";
  EXPECT_EQ(read_chakra(prefix, "", {2, 1'000'000'000'000}).ops(0)[0].compute_ps, 1'000'000);
  expect_contains(message_of<InputError>([&] { read_chakra(prefix, ""); }), "give trace.peak_tflops");
  expect_contains(message_of<InputError>([&] { read_chakra(prefix, "", {.peak_tflops = 1e-12}); }),
                  "can take 17000000");
}

/// Circles may lead over several ranks.
TEST(Chakra, FindsCirclesOverRanks) {
  const std::string message =
      error({{receives(1, 1, 8), sends(2, 1, 8, {1})}, {receives(1, 0, 8), sends(2, 0, 8, {1})}});
  expect_contains(message, "/t.0.et: node 1 'n1': rank 0 waits for itself here, by way of ");
}

std::string bytes_error(const std::string& bytes) {
  const std::string folder = fresh_folder();
  write_text(folder + "/t.0.et", bytes);
  const std::string message = message_of<InputError>([&] { read_chakra(folder + "/t", ""); });
  return message.substr(message.rfind("/t"));
}

TEST(Chakra, DamagedFilesAreRefused) {
  const std::string whole = kChakraHead + computation(0, 1).bytes() + computation(1, 2).bytes();
  for (size_t cut = 0; cut < whole.size(); ++cut) {
    const bool between = cut == kChakraHead.size() || cut == kChakraHead.size() + computation(0, 1).bytes().size();
    if (!between) expect_contains(bytes_error(whole.substr(0, cut)), "/t.0.et: at byte ");
  }
  expect_contains(bytes_error(""), "at byte 0: the file is empty");
  expect_contains(bytes_error(computation(0, 1).bytes()), "the first message is a node, not GlobalMetadata");
  expect_contains(bytes_error(kChakraHead + "\x02\xff\xff"), "at byte 8: node 1 of the file is no protobuf message");
  expect_contains(bytes_error(kChakraHead + std::string(11, '\xff')), "at byte 8: the length of node 1");
  expect_contains(bytes_error(kChakraHead + varint(u64{1} << 40)), "should be 1099511627776 B long");
}

TEST(Chakra, EveryRankHasAFile) {
  const std::string folder = fresh_folder();
  expect_contains(message_of<InputError>([&] { read_chakra(folder + "/t", ""); }), "t.0.et': there is no such file");
  chakra_trace(folder, {{}, {}, {}});
  EXPECT_EQ(chakra_files(folder + "/t").size(), 3u);
  std::filesystem::remove(folder + "/t.1.et");
  expect_contains(message_of<InputError>([&] { read_chakra(folder + "/t", ""); }),
                  "t.1.et': there is no such file, but one of rank 2");
}

}  // namespace
}  // namespace heddle::test
