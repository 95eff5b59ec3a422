// Checkpoints: what is written is read, and a failure leaves the one before.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <stdexcept>

#include "io/checkpoint/layout.hpp"
#include "io/checkpoint/reader.hpp"
#include "io/checkpoint/run_section.hpp"
#include "io/checkpoint/seal.hpp"
#include "io/results/input_file.hpp"
#include "tests/io/checkpoint/some_checkpoint.hpp"
#include "tests/io/child.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

TEST(Checkpoint, RoundTrip) {
  const std::string path = write_checkpoint(fresh_folder() + "/run.h5.checkpoint_0", some_header(42));
  EXPECT_TRUE(temporaries_of(path).empty());
  const CheckpointReader reader(path);
  EXPECT_EQ(reader.header().run, some_header().run);
  EXPECT_EQ(reader.header().time_ps, 42);
  EXPECT_EQ(reader.header().history, some_header().history);
  EXPECT_EQ(reader.words("engine"), 300'000u);
  EXPECT_EQ(reader.words("empty"), 0u);
  EXPECT_EQ(reader.read("engine"), some_words(1, 300'000));
  EXPECT_TRUE(reader.read("empty").empty());
  EXPECT_EQ(reader.read("result"), some_words(2, 100));
}

TEST(Checkpoint, InPiecesOfAnySize) {
  const std::string path = fresh_folder() + "/checkpoint";
  std::mt19937 random(1);
  for (const u64 count : {u64{0}, u64{1}, checkpoint_layout::kChunkWords - 1, checkpoint_layout::kChunkWords,
                          checkpoint_layout::kChunkWords + 1, 2 * checkpoint_layout::kChunkWords, u64{500'000}}) {
    const std::vector<u64> words = some_words(3, count);
    CheckpointWriter writer(path, some_header());
    writer.begin("engine");
    for (u64 at = 0, piece = 0; at < count; at += piece) {
      piece = std::min<u64>(count - at, 1 + random() % 100'000);
      writer.append(std::span(words).subspan(at, piece));
    }
    writer.finish();
    const CheckpointReader reader(path);
    ASSERT_EQ(reader.words("engine"), count);
    for (u64 at = 0, piece = 0; at < count; at += piece) {
      piece = std::min<u64>(count - at, 1 + random() % 100'000);
      std::vector<u64> back(piece);
      reader.read("engine", at, back);
      ASSERT_TRUE(std::equal(back.begin(), back.end(), words.begin() + static_cast<std::ptrdiff_t>(at)));
    }
  }
}

TEST(Checkpoint, EqualStatesGiveEqualBytes) {
  const std::string folder = fresh_folder();
  const std::string a = write_checkpoint(folder + "/a"), b = write_checkpoint(folder + "/b");
  EXPECT_TRUE(file_bytes(a) == file_bytes(b));
}

TEST(Checkpoint, IsHdf5WithAttributesForOtherTools) {
  const InputFile file(write_checkpoint(fresh_folder() + "/checkpoint"));
  EXPECT_EQ(file.text_attribute("/", "format"), "heddle-checkpoint");
  EXPECT_EQ(file.number_attribute("/", "format_version"), 1u);
  EXPECT_EQ(file.text_attribute("/", "software_version"), "0.1.0");
  EXPECT_EQ(file.text_attribute("/", "config_hash"), "000000000000feed");
  EXPECT_EQ(file.text_attribute("/", "topology_hash"), "000000000000cafe");
  EXPECT_EQ(file.text_attribute("/", "workload_hash"), "000000000000beef");
  EXPECT_EQ(file.signed_attribute("/", "time_ps"), 1'000'000);
  EXPECT_EQ(file.numbers("/result"), some_words(2, 100));
}

/// One rank verifies; what the others read is looked at by HDF5's checksums.
TEST(Checkpoint, OfAnotherThatHasVerifiedIt) {
  const std::string path = write_checkpoint(fresh_folder() + "/checkpoint");
  EXPECT_EQ(CheckpointReader::of_verified(path)->read("engine"), some_words(1, 300'000));
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(fs::file_size(path) / 2));  // in the long section
  file.write("damage", 6);
  file.close();
  const auto reader = CheckpointReader::of_verified(path);
  EXPECT_EQ(reader->read("result"), some_words(2, 100));
  EXPECT_NE(message_of<InputError>([&] { (void)reader->read("engine"); }), "");
  EXPECT_NE(message_of<InputError>([&] { CheckpointReader whole(path); }), "");
}

TEST(Checkpoint, WhatIsNotThereCannotBeRead) {
  const std::string path = write_checkpoint(fresh_folder() + "/checkpoint");
  const CheckpointReader reader(path);
  std::vector<u64> two(2);
  const auto refusal = [&](const auto& call) { return message_of<InputError>(call); };
  expect_contains(refusal([&] { (void)reader.words("other"); }), "it has no section 'other'");
  expect_contains(refusal([&] { reader.read("result", 99, two); }), "section 'result' has 100 words");
  expect_contains(refusal([&] { reader.read("result", ~u64{0}, two); }), path);
  EXPECT_EQ(refusal([&] { reader.read("result", 98, two); }), "");
}

TEST(Checkpoint, TheSectionOfTheHeaderIsLookedAt) {
  std::vector<u64> words = run_section(some_header());
  CheckpointHeader header;
  take_run_section(words, "a", header);
  EXPECT_EQ(header.history, some_header().history);
  EXPECT_EQ(header.run.inputs, some_header().run.inputs);
  for (u64 count = 0; count < words.size(); ++count) {
    const auto take = [&] { take_run_section(std::span(words).first(count), "a", header); };
    expect_contains(message_of<InputError>(take), "cannot use checkpoint 'a': section 'run'");
  }
  words.push_back(0);
  expect_contains(message_of<InputError>([&] { take_run_section(words, "a", header); }), "less was expected");
}

TEST(Checkpoint, MisuseIsRefused) {
  const std::string path = fresh_folder() + "/checkpoint";
  CheckpointWriter writer(path, some_header());
  EXPECT_THROW(writer.append(std::vector<u64>{1}), std::invalid_argument);
  EXPECT_THROW(writer.begin(""), std::invalid_argument);
  EXPECT_THROW(writer.begin("a/b"), std::invalid_argument);
  writer.begin("engine");
  EXPECT_THROW(writer.begin("engine"), std::invalid_argument);
  CheckpointHeader header = some_header();
  header.run.software_version = std::string(kMaxVersionBytes + 1, 'v');
  EXPECT_THROW(CheckpointWriter(path + "2", header), std::invalid_argument);
  header.run.software_version = "0.1\n";
  EXPECT_THROW(CheckpointWriter(path + "2", header), std::invalid_argument);
  header.run.software_version = std::string(kMaxVersionBytes, 'v');
  header.time_ps = kNever;
  header.run.config_hash = header.run.topology_hash = header.run.workload_hash = ~u64{0};
  EXPECT_EQ(CheckpointReader(write_checkpoint(path + "2", header)).header().run, header.run) << "the longest seal fits";
}

TEST(Checkpoint, WithoutFinishNothingIsLeft) {
  const std::string path = fresh_folder() + "/checkpoint";
  {
    CheckpointWriter writer(path, some_header());
    writer.begin("engine");
    writer.append(some_words(1, 200'000));
    EXPECT_EQ(temporaries_of(path).size(), 1u);
    EXPECT_FALSE(fs::exists(path));
  }
  EXPECT_TRUE(temporaries_of(path).empty());
}

/// Somebody has removed the lock of a live run by hand, and now there are two of them.
TEST(Checkpoint, TwoWritersShareNothing) {
  const std::string path = fresh_folder() + "/checkpoint";
  CheckpointWriter first(path, some_header(1)), second(path, some_header(2));
  EXPECT_EQ(temporaries_of(path).size(), 2u);
  const auto words_of = [](u64 seed) { return some_words(seed, 200'000); };
  first.begin("engine");
  second.begin("engine");
  first.append(words_of(1));
  second.append(words_of(2));
  first.finish();
  EXPECT_EQ(CheckpointReader(path).read("engine"), words_of(1));
  second.finish();
  EXPECT_EQ(CheckpointReader(path).read("engine"), words_of(2));
  EXPECT_TRUE(temporaries_of(path).empty());
}

TEST(Checkpoint, MissingFolder) {
  const std::string path = fresh_folder() + "/none/checkpoint";
  const std::string text = message_of<OutputError>([&] { write_checkpoint(path); });
  expect_contains(text, ".tmp': No such file or directory");
}

TEST(Checkpoint, FullDiskLeavesTheOneBeforeAndCanBeRepeated) {
  const std::string path = fresh_folder() + "/checkpoint";
  const u64 whole = fs::file_size(write_checkpoint(path, some_header(1)));
  for (u64 percent = 0; percent < 100; percent += 9) {
    const int status = in_child([&] {
      limit_file_size(whole * percent / 100);
      const std::string text = message_of<OutputError>([&] { write_checkpoint(path, some_header(2)); });
      const bool clear = text.find("'" + path + ".") != std::string::npos &&
                         text.find("File too large") != std::string::npos &&
                         text.find("the one before it, if there is one, is intact") != std::string::npos;
      if (!clear) return 1;
      if (!temporaries_of(path).empty()) return 2;
      if (CheckpointReader(path).header().time_ps != 1) return 3;
      if (percent < 50) return 0;
      limit_file_size(10 * whole);  // room again
      write_checkpoint(path, some_header(3));
      if (CheckpointReader(path).header().time_ps != 3) return 4;
      write_checkpoint(path, some_header(1));
      return 0;
    });
    ASSERT_EQ(status, 0) << percent;
  }
}

}  // namespace
}  // namespace heddle::test
