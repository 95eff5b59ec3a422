// Texts of `heddle check` on training jobs.
#include "host/check/training_text.hpp"

#include <gtest/gtest.h>

#include "host/check/estimates/computing.hpp"
#include "host/scenario/build.hpp"

namespace heddle {
namespace {

/// Two replicas of two tensor-parallel GPUs on a star.
World training(const std::string& keys) {
  return build_world(
      "[topology]\nkind = 'star'\nhosts = 4\n[[job]]\ngpus_per_server = 1\n[job.training]\nmodel = 'custom'\nlayers = "
      "3\n"
      "hidden = 64\nffn_hidden = 128\nattention_heads = 4\nkv_heads = 4\nvocabulary = 64\nsequence_length = 64\n"
      "tensor_parallel = 2\nforward = '1 ms'\n" +
          keys,
      "training");
}

TEST(TrainingText, SaysWhatIsNotSimulated) {
  EXPECT_EQ(training_text(training("")).find("not simulated"), std::string::npos);
  const std::string text = training_text(training("gather = '2 ms'\nreduce = '3 ms'\n"));
  EXPECT_NE(text.find("data-parallel collectives are not simulated: up to 10 of a GPU take given times, "),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("\n  data "), std::string::npos) << "no communicator does them:\n" << text;
}

TEST(TrainingText, SaysWhatIsRead) {
  const std::string text = training_text(build_world(
      "[topology]\nkind = 'star'\nhosts = 5\n[[job]]\ngpus = 4\ngpus_per_server = 1\n[job.training]\nmodel = 'custom'\n"
      "layers = 3\nhidden = 64\nffn_hidden = 128\nattention_heads = 4\nkv_heads = 4\nvocabulary = 64\nsequence_length "
      "= 64\n"
      "tensor_parallel = 2\nforward = '1 ms'\n[job.training.data]\nbytes_per_gpu = '100 KB'\nfirst_host = 4\nhosts = "
      "1\n",
      "training"));
  // The first ranks of two tensor-parallel groups read 100 KB each: 100,000 + 25 * 102 + 16 B on the wire.
  EXPECT_NE(text.find("  data: 2 GPUs read 200 KB from storage servers for each iteration, in 2 requests\n"
                      "  the data of the first one take at least 4.103 us: gpu4 sends 205.1 KB on the wire, more than "
                      "any other NIC for its rate\n"),
            std::string::npos)
      << text;
}

TEST(Computing, GivenTimesAreNoComputing) {
  const Computing simulated = computing_of(training(""), 0),
                  given = computing_of(training("gather = '2 ms'\nreduce = '3 ms'\n"), 0);
  EXPECT_EQ(given.max_ps, simulated.max_ps);
  const World slow = training("gather = '2 ms'\nreduce = '30 ms'\n");
  EXPECT_GT(computing_end_ps(slow), TimePs{3} * 32'000'000'000) << "but no iteration is shorter than they are together";
}

}  // namespace
}  // namespace heddle
