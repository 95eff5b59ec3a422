// io/python reads what the writer writes: finished and partial files.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

constexpr const char* kPython = "PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=io/python /usr/bin/python3 ";

void write_series(ResultWriter& writer, const World& world, u64 rows) {
  for (u64 i = 1; i <= rows; ++i) writer.append_series(static_cast<TimePs>(i * 1000), small_counters(world, i));
}

/// Links to the switch 75 % busy for 1 ms, with queues that empty, then idle for 1 ms: far beyond the 46 us at which
/// bits/s times ps leave 64 bits at 400 Gb/s.
void write_busy_run(const std::string& path, const World& world) {
  ResultSettings settings = small_settings();
  settings.link_series = true;
  ResultWriter writer(path, world, settings);
  const auto counters = [&](u64 sent_bytes, u64 queue_bytes) {
    std::vector<LinkCounters> all(world.fabric.links.size());
    for (u64 l = 0; l < 4; ++l) all[l] = {.sent_bytes = sent_bytes, .queue_bytes = queue_bytes};
    return all;
  };
  writer.append_series(500'000'000, counters(18'750'000, 4096));
  writer.append_series(1'000'000'000, counters(37'500'000, 0));
  writer.append_series(2'000'000'000, counters(37'500'000, 0));
  writer.append_events(small_events());
  writer.finish(small_outcome(), {1.0, 1234, 0, {}});
}

bool has_packages() {
  return std::system((std::string(kPython) + "-c 'import h5py, pandas, xarray' 2> /dev/null").c_str()) == 0;
}

constexpr const char* kNoPackages = "python3 has no h5py, pandas or xarray; ./bootstrap.sh deps installs them";

TEST(Python, SaysWhatIsWrongWithAFile) {
  if (!has_packages()) GTEST_SKIP() << kNoPackages;
  const World world = small_world();
  const std::string folder = fresh_folder(), result = folder + "/run.h5";
  ResultWriter writer(result, world, small_settings());
  write_series(writer, world, 100);
  writer.append_events(small_events());
  writer.finish(small_outcome(), {1.0, 1234, 0, {}});
  const std::string command = std::string(kPython) + "tests/io/reader_errors_check.py " + result + " " + folder;
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(Python, ReadsFinishedAndPartialFiles) {
  if (!has_packages()) GTEST_SKIP() << kNoPackages;
  const World world = small_world();
  const std::string folder = fresh_folder(), finished = folder + "/run.h5", partial = folder + "/partial.h5",
                    busy = folder + "/busy.h5";
  ResultSettings settings = small_settings();
  settings.link_series = true;
  ResultWriter writer(finished, world, settings);
  write_series(writer, world, 100);
  writer.append_events(small_events());
  writer.finish(small_outcome(), {1.0, 1234, 0, {}});
  // Still open while Python reads it.
  ResultWriter going_on(partial, world, settings);
  write_series(going_on, world, 100);
  write_busy_run(busy, world);
  const std::string command =
      std::string(kPython) + "tests/io/reader_check.py " + finished + " " + partial + ".part " + busy;
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace heddle::test
