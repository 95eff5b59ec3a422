// Paths that cannot be written, files that cannot be read: one clear message, nothing half-written.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

#include "io/error.hpp"
#include "io/results/hdf5.hpp"
#include "io/results/reader.hpp"
#include "tests/io/child.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

std::string refusal(const std::string& path, bool overwrite = false) {
  return message_of<OutputError>([&] { check_writable(path, overwrite); });
}

TEST(OutputErrors, ExistingFile) {
  const std::string path = write_text(fresh_folder() + "/run.h5", "precious");
  expect_contains(refusal(path), "exists already");
  expect_contains(refusal(path), "--force");
  EXPECT_EQ(refusal(path, true), "");
  const World world = small_world();
  EXPECT_THROW(ResultWriter(path, world, small_settings()), OutputError);
  EXPECT_EQ(fs::file_size(path), 8u);
  EXPECT_FALSE(fs::exists(path + ".part"));
}

TEST(OutputErrors, PartOfAKilledRun) {
  const std::string path = fresh_folder() + "/run.h5";
  write_text(path + ".part", "");
  expect_contains(refusal(path), "run.h5.part' exists");
  EXPECT_EQ(refusal(path, true), "");
}

TEST(OutputErrors, GoingOnNeedsThePart) {
  const std::string path = fresh_folder() + "/run.h5";
  const auto going_on = [&](bool overwrite) {
    return message_of<OutputError>([&] { check_continuable(path, overwrite); });
  };
  expect_contains(going_on(false), "there is no '" + path + ".part'");
  write_text(path + ".part", "");
  EXPECT_EQ(going_on(false), "");
  write_text(path, "precious");
  expect_contains(going_on(false), "exists already");
  EXPECT_EQ(going_on(true), "");
  fs::remove(path + ".part");
  EXPECT_EQ(going_on(true), "") << "a result that did not come to its end";
  EXPECT_FALSE(fs::exists(path + ".probe"));
}

/// What takes the place of a .part that is being written is never taken for it.
TEST(OutputErrors, APartThatIsNotOursIsLeftAlone) {
  const World world = small_world();
  for (const bool saves : {false, true}) {
    const std::string path = fresh_folder() + "/run.h5";
    ResultWriter first(path, world, small_settings());
    ResultSettings overwriting = small_settings();
    overwriting.overwrite = true;
    ResultWriter second(path, world, overwriting);  // as without locks
    const std::string text = message_of<OutputError>([&] {
      std::vector<u64> words;
      saves ? first.save(words) : first.finish(small_outcome(), {});
    });
    expect_contains(text, "is not the file that this run writes any more");
    EXPECT_FALSE(fs::exists(path));
    second.finish(small_outcome(), {});
    EXPECT_EQ(read_summary(path).status, "complete");
  }
}

TEST(OutputErrors, MissingFolderAndFolder) {
  const std::string folder = fresh_folder();
  expect_contains(refusal(folder + "/none/run.h5"), "none' does not exist");
  expect_contains(refusal(folder), "it is a folder");
  expect_contains(refusal(""), "the name is empty");
}

TEST(OutputErrors, CheckLeavesNoTrace) {
  const std::string folder = fresh_folder();
  EXPECT_EQ(refusal(folder + "/run.h5"), "");
  EXPECT_TRUE(fs::is_empty(folder));
}

TEST(OutputErrors, NoPermission) {
  const std::string folder = fresh_folder();
  fs::permissions(ScratchFolder::of_program().path(), fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add);  // the way to it
  fs::permissions(folder,
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  const int status = in_child([&] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) return 77;  // root may write anywhere
    return refusal(folder + "/run.h5").find("Permission denied") != std::string::npos ? 0 : 1;
  });
  fs::permissions(folder, fs::perms::owner_all);
  if (status == 77) GTEST_SKIP() << "cannot become a user without rights here";
  EXPECT_EQ(status, 0);
}

TEST(OutputErrors, FullDiskAtTheStartLeavesNothing) {
  const std::string path = fresh_folder() + "/run.h5";
  const int status = in_child([&] {
    limit_file_size(4096);
    const World world = small_world();
    const std::string text = message_of<OutputError>([&] { ResultWriter writer(path, world, small_settings()); });
    return text.find(".part': File too large") != std::string::npos ? 0 : 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(fs::exists(path + ".part"));
}

TEST(OutputErrors, FullDiskLaterNamesTheDatasetAndKeepsTheRest) {
  for (const u64 left_bytes : {0, 1000, 2048, 5000, 20'000}) {
    const std::string path = fresh_folder() + "/run.h5";
    const int status = in_child([&] {
      const World world = small_world();
      ResultWriter writer(path, world, small_settings());
      for (u64 i = 1; i <= 128; ++i) writer.append_series(static_cast<TimePs>(i), small_counters(world, i));
      limit_file_size(fs::file_size(writer.part_path()) + left_bytes);
      const std::string text = message_of<OutputError>([&] {
        for (u64 i = 129; i <= 100'000; ++i) writer.append_series(static_cast<TimePs>(i), small_counters(world, i * i));
      });
      const bool clear = text.find("/series/tier/") != std::string::npos &&
                         text.find("File too large") != std::string::npos &&
                         text.find(path + ".part") != std::string::npos;
      return clear ? 0 : 1;
    });
    EXPECT_EQ(status, 0) << left_bytes;
    EXPECT_FALSE(fs::exists(path));
    EXPECT_GE(read_summary(path + ".part").series_rows, left_bytes < 2048 ? 64u : 128u) << left_bytes;
  }
}

std::string unreadable(const std::string& path) {
  return message_of<InputError>([&] { read_summary(path); });
}

/// HDF5 would refuse what another has locked, and fail where a file system has no locks.
TEST(OutputErrors, LocksAreNotAskedFor) {
  const std::string path = fresh_folder() + "/run.h5";
  const World world = small_world();
  ResultWriter(path, world, small_settings()).finish(small_outcome(), {});
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(descriptor, LOCK_EX | LOCK_NB), 0);
  EXPECT_EQ(read_summary(path).status, "complete");
  ::close(descriptor);
}

TEST(ReadErrors, MissingForeignAndNewer) {
  const std::string folder = fresh_folder();
  expect_contains(unreadable(folder + "/none.h5"), "no such file");
  expect_contains(unreadable(folder), "it is a folder; give a result file in it or, of the folder of a sweep");
  expect_contains(unreadable(folder), "heddle compare " + folder);
  fs::create_symlink("nowhere", folder + "/link.h5");
  expect_contains(unreadable(folder + "/link.h5"), "it is a symbolic link to 'nowhere', which is not there");
  expect_contains(unreadable(write_text(folder + "/text.h5", "hello, this is no HDF5 file")), "not an HDF5 file");
  expect_contains(unreadable(write_text(folder + "/empty.h5", "")), "not an HDF5 file");
  const std::string foreign = folder + "/foreign.h5";
  H5Fclose(H5Fcreate(foreign.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  expect_contains(unreadable(foreign), "not a result of 'heddle run'");
}

TEST(ReadErrors, NewerFormat) {
  const std::string path = fresh_folder() + "/run.h5";
  const World world = small_world();
  ResultWriter(path, world, small_settings()).finish(small_outcome(), {});
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t attribute = H5Aopen(file, "format_version", H5P_DEFAULT);
  const u32 version = 99;
  H5Awrite(attribute, H5T_NATIVE_UINT32, &version);
  H5Aclose(attribute);
  H5Fclose(file);
  expect_contains(unreadable(path), "format version 99 is newer");
}

TEST(ReadErrors, Truncated) {
  const std::string path = fresh_folder() + "/run.h5";
  const World world = small_world();
  ResultWriter(path, world, small_settings()).finish(small_outcome(), {});
  const u64 size = fs::file_size(path);
  fs::resize_file(path, size / 2);
  expect_contains(unreadable(path), "damaged or truncated");
}

/// A whole result file after `edit` has changed it through HDF5.
template <class Edit>
std::string unreadable_after(const Edit& edit) {
  const std::string path = fresh_folder() + "/run.h5";
  const World world = small_world();
  ResultWriter(path, world, small_settings()).finish(small_outcome(), {});
  h5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
  edit(file.get());
  file.reset();
  return unreadable(path);
}

/// Puts a new dataset of 64-bit numbers in the place of another; no values are written where there are very many.
void replace(hid_t file, const char* name, const std::vector<i64>& values, hsize_t claimed) {
  H5Ldelete(file, name, H5P_DEFAULT);
  const hsize_t chunk = 1;
  const h5::Handle space(H5Screate_simple(1, &claimed, nullptr)), properties(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_chunk(properties.get(), 1, &chunk);
  const h5::Handle set(H5Dcreate2(file, name, H5T_STD_I64LE, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT));
  if (values.size() == claimed) H5Dwrite(set.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
}

TEST(ReadErrors, DatasetsThatDoNotFitTogether) {
  expect_contains(unreadable_after([](hid_t file) { replace(file, "/series/tier/links", {1}, 1); }),
                  "/series/tier names");
  expect_contains(
      unreadable_after([](hid_t file) {
        for (const char* quantity : {"time_ps", "queue_bytes", "sent_bytes", "paused_ps", "ecn_marks", "drops"})
          replace(file, ("/series/tier/" + std::string(quantity)).c_str(), {}, hsize_t{1} << 40);
      }),
      "/series/tier/time_ps claims 8796093022208 B, which its 0 B in the file cannot hold");
  expect_contains(unreadable_after([](hid_t file) { replace(file, "/message/bytes", {}, hsize_t{1} << 40); }),
                  "/message/bytes claims 8796093022208 B, which its 0 B in the file cannot hold");
  expect_contains(unreadable_after([](hid_t file) {
                    replace(file, "/message/finish_ps", {INT64_MIN, 1}, 2);
                  }),
                  "/message/finish_ps holds -9223372036854775808");
}

/// A column of other rows than its neighbours; a code and a status that are none; a group that is gone.
TEST(ReadErrors, PartsThatDoNotFitTogether) {
  expect_contains(unreadable_after([](hid_t file) { replace(file, "/message/finish_ps", {1}, 1); }),
                  "/message/id has 2 rows, but /message/finish_ps has 1; the file is damaged");
  expect_contains(unreadable_after([](hid_t file) {
                    replace(file, "/event/pfc/port", {1, 2, 3}, 3);
                  }),
                  "/event/pfc/time_ps has 0 rows, but /event/pfc/port has 3");
  expect_contains(unreadable_after([](hid_t file) {
                    const h5::Handle kind(H5Dopen2(file, "/collective/kind", H5P_DEFAULT));
                    const u8 code = 77;
                    H5Dwrite(kind.get(), H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, &code);
                  }),
                  "/collective/kind holds the code 77, which its flag_meanings do not name");
  expect_contains(unreadable_after([](hid_t file) { h5::overwrite_attribute(file, "status", "fine", {}); }),
                  "its status is 'fine', none of 'partial complete");
  expect_contains(unreadable_after([](hid_t file) { H5Ldelete(file, "/message", H5P_DEFAULT); }),
                  "it has no /message;");
}

TEST(ReadErrors, AttributeOfManyValues) {
  const std::string message = unreadable_after([](hid_t file) {
    H5Adelete(file, "seed");
    const hsize_t many = 1000;
    const h5::Handle space(H5Screate_simple(1, &many, nullptr));
    const h5::Handle made(H5Acreate2(file, "seed", H5T_STD_U64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT));
    const std::vector<u64> values(many, 7);
    H5Awrite(made.get(), H5T_NATIVE_UINT64, values.data());
  });
  expect_contains(message, "attribute 'seed' that is not a single value");
}

}  // namespace
}  // namespace heddle::test
