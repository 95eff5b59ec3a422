// Two checkpoints are kept; the newest that is whole and belongs to the run is found.
#include <gtest/gtest.h>

#include <filesystem>

#include "io/checkpoint/slots.hpp"
#include "tests/io/checkpoint/some_checkpoint.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

RunIdentity mine() { return some_header().run; }

void write_next(const std::string& result, TimePs time_ps) {
  write_checkpoint(next_checkpoint_path(result, mine()), some_header(time_ps), 10);
}

TimePs newest_time_ps(const std::string& result) {
  const NewestCheckpoint newest = newest_checkpoint(result, mine());
  return newest.reader ? newest.reader->header().time_ps : -1;
}

void damage(const std::string& path) { fs::resize_file(path, fs::file_size(path) - 1); }

void flip_last_bit(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "r+b");
  std::fseek(file, -1, SEEK_END);
  const int last = std::fgetc(file);
  std::fseek(file, -1, SEEK_END);
  std::fputc(last ^ 1, file);
  std::fclose(file);
}

TEST(CheckpointSlots, TwoAreKeptInTurn) {
  const std::string result = fresh_folder() + "/run.h5";
  const auto [first, second] = checkpoint_paths(result);
  EXPECT_EQ(first, result + ".checkpoint_0");
  EXPECT_EQ(second, result + ".checkpoint_1");
  EXPECT_EQ(newest_time_ps(result), -1);
  EXPECT_TRUE(newest_checkpoint(result, mine()).passed_over.empty());
  for (TimePs time_ps = 1; time_ps <= 6; ++time_ps) {
    EXPECT_EQ(next_checkpoint_path(result, mine()), time_ps % 2 == 1 ? first : second);
    write_next(result, time_ps);
    EXPECT_EQ(newest_time_ps(result), time_ps);
  }
  EXPECT_EQ(CheckpointReader(first).header().time_ps, 5);
  EXPECT_EQ(CheckpointReader(second).header().time_ps, 6);
}

TEST(CheckpointSlots, FallsBackToTheOlderOne) {
  const std::string result = fresh_folder() + "/run.h5";
  const auto [first, second] = checkpoint_paths(result);
  write_next(result, 1);
  write_next(result, 2);
  flip_last_bit(second);
  NewestCheckpoint newest = newest_checkpoint(result, mine());
  ASSERT_TRUE(newest.reader);
  EXPECT_EQ(newest.reader->path(), first);
  EXPECT_EQ(newest.reader->header().time_ps, 1);
  ASSERT_EQ(newest.passed_over.size(), 1u);
  expect_contains(newest.passed_over[0], second);
  expect_contains(newest.passed_over[0], "its bytes are not those that were written");
  EXPECT_EQ(next_checkpoint_path(result, mine(), newest.reader->path()), second)
      << "its seal says nothing of the bit, but the other is known to be whole";
  damage(second);
  EXPECT_EQ(next_checkpoint_path(result, mine()), second) << "the one that cannot be read is replaced";
  damage(first);
  newest = newest_checkpoint(result, mine());
  EXPECT_FALSE(newest.reader);
  EXPECT_EQ(newest.passed_over.size(), 2u);
  write_next(result, 3);
  EXPECT_EQ(newest_time_ps(result), 3);
}

TEST(CheckpointSlots, OfAnotherRun) {
  const std::string result = fresh_folder() + "/run.h5";
  const auto [first, second] = checkpoint_paths(result);
  CheckpointHeader other = some_header(1000);
  other.run.config_hash = 1;
  write_checkpoint(first, other, 10);
  other.run = mine();
  other.run.workload_hash = 2;
  other.run.software_version = "0.0.9";
  write_checkpoint(second, other, 10);
  const NewestCheckpoint newest = newest_checkpoint(result, mine());
  EXPECT_FALSE(newest.reader);
  ASSERT_EQ(newest.passed_over.size(), 2u);
  expect_contains(newest.passed_over[0], first);
  expect_contains(newest.passed_over[0], "the configuration has changed since");
  expect_contains(newest.passed_over[1], "written by version 0.0.9, this is version 0.1.0");
  expect_contains(newest.passed_over[1], "the workload (messages, collectives) has changed since");
  write_next(result, 1);
  write_next(result, 2);
  EXPECT_EQ(newest_time_ps(result), 2) << "both are replaced, though their times are larger";
  EXPECT_TRUE(newest_checkpoint(result, mine()).passed_over.empty());
}

TEST(CheckpointSlots, DifferencesAreNamed) {
  EXPECT_EQ(difference(mine(), mine()), "");
  RunIdentity other = mine();
  other.topology_hash = 1;
  EXPECT_EQ(difference(other, mine()), "the topology has changed since (hash 0000000000000001, now 000000000000cafe)");
}

TEST(CheckpointSlots, KeysThatHaveChangedAreNamed) {
  const std::string result = fresh_folder() + "/run.h5";
  CheckpointHeader theirs = some_header();
  theirs.run.config_hash = 1;
  theirs.run.topology_hash = 2;  // follows from the configuration
  theirs.run.inputs.config_toml = "[simulation]\nseed = 17\n[topology]\nracks = 4\n[output]\ntitle = 'a'\n";
  write_checkpoint(checkpoint_paths(result)[0], theirs, 10);
  RunIdentity ours = mine();
  ours.inputs.config_toml = "[simulation]\nseed = 7\n[output]\ntitle = 'b'\n";
  const std::string changed =
      "the configuration has changed since: simulation.seed was 17 and is 7 now, topology.racks was 4 and is not there "
      "now";
  EXPECT_EQ(newest_checkpoint(result, ours).passed_over.at(0),
            "checkpoint '" + checkpoint_paths(result)[0] + "' is of another run: " + changed);
  ours.inputs.config_toml = "a = 1\nb = '" + std::string(100, 'x') + "'\nc = 3\nd = 4\n";
  expect_contains(difference(theirs.run, ours), "b was not there and is '" + std::string(56, 'x') + "... now, ");
  expect_contains(difference(theirs.run, ours), "d was not there and is 4 now, and 2 more keys");
}

TEST(CheckpointSlots, AFileThatHasChangedIsNamed) {
  const std::string result = fresh_folder() + "/run.h5";
  CheckpointHeader theirs = some_header();
  theirs.run.workload_hash = 1;
  theirs.run.inputs.files = {{"routing.paths_file", 3}, {"workload.flow_file", 4}};
  write_checkpoint(checkpoint_paths(result)[0], theirs, 10);
  RunIdentity ours = mine();
  ours.inputs.files = {{"routing.paths_file", 3}, {"workload.flow_file", 5}};
  expect_contains(newest_checkpoint(result, ours).passed_over.at(0),
                  "is of another run: what is in the input file has changed since: workload.flow_file");
  ours.inputs.files[1].hash = 4;
  EXPECT_EQ(difference(theirs.run, ours),
            "the workload (messages, collectives) has changed since (hash 0000000000000001, now 000000000000beef)");
  ours = theirs.run;
  ours.inputs.files[0].hash = 9;
  EXPECT_EQ(difference(theirs.run, ours), "") << "a comment in it, for instance: the world is the same";
}

TEST(CheckpointSlots, WhatAKilledRunLeftIsIgnoredAndRemoved) {
  const std::string result = fresh_folder() + "/run.h5";
  const auto [first, second] = checkpoint_paths(result);
  write_text(first + ".0123abcd.tmp", "half");
  EXPECT_EQ(newest_time_ps(result), -1);
  write_next(result, 1);
  write_text(second + ".0123abcd.tmp", "half");
  EXPECT_EQ(newest_time_ps(result), 1);
  EXPECT_TRUE(newest_checkpoint(result, mine()).passed_over.empty());
  const std::vector<std::string> others = {first + ".0123abcd.tmp2", first + ".mine.tmp", first + ".0123ABCD.tmp",
                                           result + "2.checkpoint_0.0123abcd.tmp"};
  for (const std::string& other : others) write_text(other, "of somebody");
  remove_temporary_checkpoints(result);
  EXPECT_TRUE(fs::exists(first));
  EXPECT_FALSE(fs::exists(first + ".0123abcd.tmp"));
  EXPECT_FALSE(fs::exists(second + ".0123abcd.tmp"));
  for (const std::string& other : others) EXPECT_TRUE(fs::exists(other)) << other;
}

TEST(CheckpointSlots, AreRemoved) {
  const std::string folder = fresh_folder(), result = folder + "/run.h5";
  const auto [first, second] = checkpoint_paths(result);
  remove_checkpoints(result);  // none is no error
  write_next(result, 1);
  write_next(result, 2);
  write_text(second + ".0123abcd.tmp", "half");
  write_text(result, "the result");
  remove_checkpoints(result);
  EXPECT_TRUE(fs::exists(result));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
  fs::create_directories(first + "/in_the_way");
  expect_contains(message_of<OutputError>([&] { remove_checkpoints(result); }), "cannot remove '" + first);
}

}  // namespace
}  // namespace heddle::test
