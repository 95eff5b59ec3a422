// A result file that is resumed equals that of a run that nobody interrupted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "io/results/input_file.hpp"
#include "io/results/reader.hpp"
#include "tests/io/child.hpp"
#include "tests/io/equal_files.hpp"
#include "tests/io/random_run.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

constexpr u64 kSteps = 200;  // some 100 instants and 10,000 pauses and resumes: chunks of both are filled

std::vector<u64> saved(const ResultWriter& writer) {
  std::vector<u64> words;
  writer.save(words);
  return words;
}

/// A killed run's .part with `beyond` steps more than the words know, as after SIGKILL.
std::vector<u64> killed_run(const std::string& path, u64 seed, u64 steps, u64 beyond) {
  const World world = small_world();
  const std::string words_path = path + ".words";
  const int status = in_child([&] {
    ResultWriter writer(path, world, settings_with_links());
    random_steps(writer, world, seed, 0, steps);
    const std::vector<u64> words = saved(writer);
    std::ofstream(words_path, std::ios::binary)
        .write(reinterpret_cast<const char*>(words.data()), static_cast<std::streamsize>(words.size() * sizeof(u64)));
    random_steps(writer, world, seed, steps, steps + beyond);
    return 0;
  });
  EXPECT_EQ(status, 0);
  const std::string bytes = file_bytes(words_path);
  std::vector<u64> words(bytes.size() / sizeof(u64));
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

std::string refusal(const std::string& path, const std::vector<u64>& words,
                    const ResultSettings& settings = settings_with_links()) {
  const World world = small_world();
  return message_of<IoError>([&] { ResultWriter(path, world, settings, words); });
}

void go_on_to_the_end(const std::string& path, const std::vector<u64>& words, u64 seed, u64 step) {
  const World world = small_world();
  ResultWriter writer(path, world, settings_with_links(), words);
  random_steps(writer, world, seed, step, kSteps);
  writer.finish(small_outcome(), {});
}

TEST(Continue, AtManyPointsAndManyTimes) {
  std::mt19937 random(1);
  const World world = small_world();
  for (u64 seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    const std::string folder = fresh_folder(), path = folder + "/run.h5";
    const std::string whole = uninterrupted_run(folder + "/whole.h5", world, settings_with_links(), seed, kSteps);
    auto writer = std::make_unique<ResultWriter>(path, world, settings_with_links());
    u64 step = 0, interruptions = 0;
    while (step < kSteps) {
      const u64 next = std::min<u64>(step + random() % 80, kSteps);
      random_steps(*writer, world, seed, step, next);
      step = next;
      const std::vector<u64> words = saved(*writer);
      random_steps(*writer, world, seed, step, std::min<u64>(step + random() % 80, kSteps));  // lost
      ResultSettings settings = settings_with_links();
      settings.provenance.date = "another";
      settings.provenance.ranks = 3;
      writer.reset();
      writer = std::make_unique<ResultWriter>(path, world, settings, words);
      EXPECT_FALSE(fs::exists(path + ".part.new"));
      EXPECT_TRUE(read_summary(path + ".part").partial());
      ++interruptions;
    }
    writer->finish(small_outcome(), {});
    EXPECT_GE(interruptions, 3u);
    EXPECT_EQ(first_difference(path, whole), "");
  }
}

TEST(Continue, AfterAKillWithRowsBeyondTheSavedOnes) {
  const World world = small_world();
  for (u64 seed = 1; seed <= 4; ++seed) {
    SCOPED_TRACE(seed);
    const std::string folder = fresh_folder(), path = folder + "/run.h5";
    const std::string whole = uninterrupted_run(folder + "/whole.h5", world, settings_with_links(), seed, kSteps);
    const std::vector<u64> words = killed_run(path, seed, 30 * seed, 50);
    go_on_to_the_end(path, words, seed, 30 * seed);
    EXPECT_EQ(first_difference(path, whole), "");
    EXPECT_FALSE(fs::exists(path + ".part"));
  }
}

TEST(Continue, TheComparisonSeesADifference) {
  const World world = small_world();
  const std::string folder = fresh_folder();
  const std::string a = uninterrupted_run(folder + "/a.h5", world, settings_with_links(), 1, 20);
  EXPECT_EQ(first_difference(a, uninterrupted_run(folder + "/b.h5", world, settings_with_links(), 1, 20)), "");
  EXPECT_NE(first_difference(a, uninterrupted_run(folder + "/c.h5", world, settings_with_links(), 2, 20)), "");
  EXPECT_NE(first_difference(a, uninterrupted_run(folder + "/d.h5", world, small_settings(), 1, 20)), "");
  ResultSettings other = settings_with_links();
  other.provenance.topology_hash = 5;
  EXPECT_NE(first_difference(a, uninterrupted_run(folder + "/e.h5", world, other, 1, 20)), "");
}

TEST(Continue, AnInterruptedAttemptIsRepeated) {
  const World world = small_world();
  const std::string folder = fresh_folder(), path = folder + "/run.h5";
  const std::string whole = uninterrupted_run(folder + "/whole.h5", world, settings_with_links(), 5, kSteps);
  const std::vector<u64> words = killed_run(path, 5, 90, 10);
  write_text(path + ".part.new", "what a kill during the first attempt left");
  go_on_to_the_end(path, words, 5, 90);
  EXPECT_EQ(first_difference(path, whole), "");
}

/// Steps from `step` on until the file is full. Returns the step after the last.
u64 run_until_full(ResultWriter& writer, const World& world, u64 step, u64 end) {
  for (; step < end && !writer.full(); ++step) random_step(writer, world, 3, step);
  return step;
}

TEST(Continue, ABudgetIsReachedAtTheSameRow) {
  const World world = small_world();
  const std::string folder = fresh_folder();
  for (u64 max_bytes = 520'000; max_bytes < 1'000'000; max_bytes += 24'000) {
    SCOPED_TRACE(max_bytes);
    ResultSettings settings = settings_with_links();
    settings.max_bytes = max_bytes;
    const std::string whole = fmt::format("{}/whole{}.h5", folder, max_bytes);
    const std::string path = fmt::format("{}/run{}.h5", folder, max_bytes);
    u64 last = 0;
    {
      ResultWriter writer(whole, world, settings);
      last = run_until_full(writer, world, 0, 10'000);
      ASSERT_TRUE(writer.full());
      writer.finish(small_outcome(), {}, "output_full");
    }
    EXPECT_LE(fs::file_size(whole), max_bytes);
    std::vector<u64> words;
    u64 step = 0;
    {
      ResultWriter writer(path, world, settings);
      step = run_until_full(writer, world, 0, last * (max_bytes / 1000 % 5) / 4);
      words = saved(writer);
    }
    settings.provenance.command_line = std::string(1000, 'x');
    ResultWriter writer(path, world, settings, words);
    EXPECT_EQ(run_until_full(writer, world, step, 10'000), last);
    writer.finish(small_outcome(), {}, "output_full");
    EXPECT_EQ(first_difference(path, whole), "");
  }
}

TEST(Continue, RefusesWhatDoesNotBelongTogether) {
  const std::string path = fresh_folder() + "/run.h5";
  const std::vector<u64> words = killed_run(path, 1, 100, 0);
  const std::string before = file_bytes(path + ".part");
  ResultSettings other = settings_with_links();
  other.provenance.config_hash = 1;
  expect_contains(refusal(path, words, other), "the configuration has changed since (hash 000000000000feed, now");
  other = settings_with_links();
  other.provenance.topology_hash = 1;
  expect_contains(refusal(path, words, other), "the topology has changed");
  other = settings_with_links();
  other.provenance.workload_hash = 1;
  expect_contains(refusal(path, words, other), "the workload (messages, collectives) has changed");
  other = settings_with_links();
  other.provenance.software_version = "0.2.0";
  expect_contains(refusal(path, words, other), "written by version 0.1.0, this is version 0.2.0");
  expect_contains(refusal(path, words, small_settings()), "(/series/link)");
  expect_contains(refusal(path, {}), "not of a file like this one");
  expect_contains(refusal(path, {words.begin(), words.end() - 1}), "not of a file like this one");
  std::vector<u64> longer = words;
  longer.push_back(0);
  expect_contains(refusal(path, longer), "more words than needed");
  EXPECT_TRUE(file_bytes(path + ".part") == before) << "a refusal leaves the .part as it was";
  EXPECT_FALSE(fs::exists(path + ".part.new"));
  EXPECT_EQ(refusal(path, words), "");
}

TEST(Continue, RefusesAPartThatHasNotTheRows) {
  const std::string folder = fresh_folder();
  const std::vector<u64> words = killed_run(folder + "/run.h5", 1, 150, 0);
  killed_run(folder + "/short.h5", 1, 10, 0);
  const std::string less = refusal(folder + "/short.h5", words);
  expect_contains(less, "/short.h5.part");
  expect_contains(less, "are not those that were there at the checkpoint");
  killed_run(folder + "/other.h5", 2, 190, 0);  // enough rows, but others
  expect_contains(refusal(folder + "/other.h5", words), "are not those that were there at the checkpoint");
  write_text(folder + "/text.h5.part", "no HDF5 file");
  expect_contains(refusal(folder + "/text.h5", words), "not an HDF5 file");
  expect_contains(refusal(folder + "/none.h5", words), "there is no '" + folder + "/none.h5.part'");
}

/// Where HDF5 keeps the header of a dataset.
std::streamoff header_of(const std::string& path, const char* dataset) {
  const h5::Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  const h5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access.get()));
  H5O_info_t info = {};
  EXPECT_GE(H5Oget_info_by_name1(file.get(), dataset, &info, H5P_DEFAULT), 0);
  return static_cast<std::streamoff>(info.addr);
}

TEST(Continue, RowsAreFoundPastATornHeader) {
  const std::string folder = fresh_folder(), path = folder + "/run.h5";
  const std::string whole = uninterrupted_run(folder + "/whole.h5", small_world(), settings_with_links(), 1, kSteps);
  const std::vector<u64> words = killed_run(path, 1, 150, 10);
  for (const char* dataset : {"/event/pfc/time_ps", "/series/link/sent_bytes"}) {
    const std::streamoff header = header_of(path + ".part", dataset);
    std::fstream file(path + ".part", std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(header + 8);
    file.write("torn by a kill", 14);
  }
  go_on_to_the_end(path, words, 1, 150);
  EXPECT_EQ(first_difference(path, whole), "");
}

TEST(Continue, AnyDamagedWordIsRefusedOrHarmless) {
  // Words are protected by the checkpoint; here only that whatever they say is no crash and no endless loop.
  const std::string path = fresh_folder() + "/run.h5";
  const std::vector<u64> words = killed_run(path, 1, 60, 0);
  std::mt19937_64 random(7);
  int refused = 0;
  for (int i = 0; i < 60; ++i) {
    std::vector<u64> damaged = words;
    damaged[i < 20 ? i : random() % words.size()] ^= u64{1} << random() % 64;
    if (i % 3 == 0) damaged.resize(random() % words.size());
    refused += refusal(path, damaged).empty() ? 0 : 1;
  }
  EXPECT_GE(refused, 20);
  EXPECT_EQ(refusal(path, words), "");
}

TEST(Continue, FullDiskLeavesThePartAsItWas) {
  const World world = small_world();
  const std::string folder = fresh_folder(), path = folder + "/run.h5";
  const std::string whole = uninterrupted_run(folder + "/whole.h5", world, settings_with_links(), 9, kSteps);
  const std::vector<u64> words = killed_run(path, 9, 120, 5);
  const std::string before = file_bytes(path + ".part");
  for (u64 percent = 5; percent < 70; percent += 8) {
    const int status = in_child([&] {
      limit_file_size(before.size() * percent / 100);
      const std::string text = refusal(path, words);
      if (text.empty()) return 1;
      return text.find("is as the killed run left it") != std::string::npos &&
                     text.find("File too large") != std::string::npos
                 ? 0
                 : 2;
    });
    EXPECT_EQ(status, 0) << percent;
    EXPECT_TRUE(file_bytes(path + ".part") == before) << percent;
    EXPECT_FALSE(fs::exists(path + ".part.new")) << percent;
  }
  go_on_to_the_end(path, words, 9, 120);
  EXPECT_EQ(first_difference(path, whole), "");
}

}  // namespace
}  // namespace heddle::test
