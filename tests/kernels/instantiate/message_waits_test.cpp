// Worlds whose batches of messages do not fit their programs are refused, with the reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "host/scenario/build.hpp"
#include "kernels/instantiate/instantiate.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

/// Two GPUs that write two checkpoints each, of two messages to each of two hosts.
World checkpointing_world() {
  return build_world(
      "[topology]\nkind = 'star'\nhosts = 5\n[[job]]\ngpus = 2\ngpus_per_server = 1\n"
      "[job.training]\nmodel = 'custom'\nlayers = 1\nhidden = 64\nffn_hidden = 64\nattention_heads = 4\nkv_heads = 4\n"
      "vocabulary = 8\nsequence_length = 16\niterations = 2\n"
      "[job.training.checkpoint]\nevery = 1\nfirst_host = 2\nhosts = 2\nbytes_per_gpu = '4 KB'\nchunk = '1 KB'\n",
      "test.toml");
}

std::string refusal_of_batches(const std::function<void(World&)>& change) {
  World changed = checkpointing_world();
  change(changed);
  Model model;
  return test::message_of<std::invalid_argument>(
      [&] { instantiate(changed, {.memory_limit_bytes = 64 << 20}, model); });
}

void without_post(World& w) { std::ranges::find(w.programs.ops, OpKind::post, &Op::kind)->kind = OpKind::written; }

TEST(MessageWaits, BatchesFitTheirPrograms) {
  EXPECT_EQ(refusal_of_batches([](World&) {}), "");
  EXPECT_EQ(refusal_of_batches(without_post), "program: other posts than its run has batches");
  EXPECT_EQ(refusal_of_batches([](World& w) { w.programs.handover_ps = 1; }),
            "program: a batch is handed over in less than a tick");
  EXPECT_EQ(refusal_of_batches([](World& w) { w.programs.runs[0].helper = 1; }),
            "transport: a batch posts a message that its helper does not send");
  EXPECT_EQ(refusal_of_batches([](World& w) { w.programs.batches[0].posted = 1000; }),
            "transport: a batch has messages that are not in the table");
  EXPECT_EQ(refusal_of_batches([](World& w) { w.programs.posted[1] = w.programs.posted[0]; }),
            "transport: a message is posted twice");
  EXPECT_EQ(refusal_of_batches([](World& w) { w.programs.awaited[0].received = true; }),
            "transport: a batch awaits a message of which its helper does not know the end");
  EXPECT_EQ(refusal_of_batches([](World& w) { w.traffic.messages[w.programs.posted[0]].waits_for = 2; }),
            "transport: a message waits for more than it names");
  EXPECT_EQ(refusal_of_batches([](World& w) { w.traffic.messages[w.programs.posted[0]].waits_for = 0; }),
            "transport: a message names others and waits for none");
}

TEST(MessageWaits, AQueuePairHasTheMessagesOfOneProgram) {
  const auto exchange_batches = [](World& w) { std::swap(w.programs.batches[0], w.programs.batches[1]); };
  EXPECT_EQ(refusal_of_batches(exchange_batches),
            "transport: a queue pair has messages of several programs, or not in the order of their batches");
}

}  // namespace
}  // namespace heddle
