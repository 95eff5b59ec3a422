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

TEST(Python, ReadsFinishedAndPartialFiles) {
  if (std::system((std::string(kPython) + "-c 'import h5py, pandas, xarray' 2> /dev/null").c_str()) != 0) {
    GTEST_SKIP() << "python3 has no h5py, pandas or xarray; ./bootstrap.sh deps installs them";
  }
  const World world = small_world();
  const std::string folder = fresh_folder(), finished = folder + "/run.h5", partial = folder + "/partial.h5";
  ResultSettings settings = small_settings();
  settings.link_series = true;
  ResultWriter writer(finished, world, settings);
  write_series(writer, world, 100);
  writer.append_events(small_events());
  writer.finish(small_outcome(), {1.0, 1234, 0, {}});
  // Still open while Python reads it.
  ResultWriter going_on(partial, world, settings);
  write_series(going_on, world, 100);
  const std::string command = std::string(kPython) + "tests/io/reader_check.py " + finished + " " + partial + ".part";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace heddle::test
