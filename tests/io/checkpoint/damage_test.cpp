// Torn, truncated, bit-flipped, foreign and newer checkpoints are refused, with the name of the file.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <random>

#include "io/checkpoint/reader.hpp"
#include "io/checkpoint/seal.hpp"
#include "tests/io/checkpoint/some_checkpoint.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

/// Why the file is refused; it must be, and by its name.
std::string refusal(const std::string& path) {
  std::string text = message_of<InputError>([&] { const CheckpointReader reader(path); });
  EXPECT_EQ(text.rfind("cannot use checkpoint '" + path + "': ", 0), 0u) << text;
  return text;
}

/// The seal alone sees whatever has happened to bytes; HDF5 is not asked.
std::string refusal_of_bytes(const std::string& bytes) {
  static const std::string path = fresh_folder() + "/checkpoint";
  std::string text = refusal(write_text(path, bytes));
  EXPECT_EQ(message_of<InputError>([&] { verify_seal(path); }), text);
  return text;
}

TEST(CheckpointDamage, EveryFlippedBit) {
  const std::string whole = file_bytes(write_checkpoint(fresh_folder() + "/checkpoint", some_header(), 1000));
  std::mt19937_64 random(1);
  const auto flip = [&](u64 bit) {
    std::string bytes = whole;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    ASSERT_NE(refusal_of_bytes(bytes), "") << "bit " << bit;
  };
  for (u64 bit = 0; bit < 8 * kSealBytes; bit += 3) flip(bit);
  for (int i = 0; i < 2000; ++i) flip(random() % (8 * whole.size()));
}

TEST(CheckpointDamage, AFlipInALongSection) {
  const std::string path = write_checkpoint(fresh_folder() + "/checkpoint");
  std::string bytes = file_bytes(path);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 16);
  expect_contains(refusal_of_bytes(bytes), "its bytes are not those that were written");
  EXPECT_EQ(read_seal(path).time_ps, some_header().time_ps);
}

TEST(CheckpointDamage, EveryLength) {
  const std::string whole = file_bytes(write_checkpoint(fresh_folder() + "/checkpoint", some_header(), 1000));
  for (u64 bytes = 0; bytes < whole.size(); bytes += bytes < 600 ? 1 : 37)
    ASSERT_NE(refusal_of_bytes(whole.substr(0, bytes)), "") << bytes;
  expect_contains(refusal_of_bytes(whole.substr(0, whole.size() - 1)), "truncated");
  expect_contains(refusal_of_bytes(whole + '\0'), fmt::format("was written with {}", whole.size()));
  expect_contains(refusal_of_bytes(whole.substr(0, 300)), "its first 512 bytes are damaged or incomplete");
}

TEST(CheckpointDamage, Torn) {  // some of its pages never came to the disk
  const std::string whole = file_bytes(write_checkpoint(fresh_folder() + "/checkpoint", some_header(), 5000));
  for (u64 page = 0; page * 4096 < whole.size(); ++page) {
    std::string bytes = whole;
    for (u64 i = page * 4096; i < std::min<u64>(bytes.size(), (page + 1) * 4096); ++i) bytes[i] = '\0';
    ASSERT_NE(refusal_of_bytes(bytes), "") << page;
  }
}

TEST(CheckpointDamage, ForeignFiles) {
  const std::string folder = fresh_folder();
  expect_contains(refusal(folder + "/none"), "No such file or directory");
  expect_contains(refusal(folder), "it is a folder");
  expect_contains(refusal_of_bytes(""), "the file is empty");
  expect_contains(refusal_of_bytes("hello, this is no checkpoint"), "not a checkpoint of 'heddle run'");
  expect_contains(refusal_of_bytes(std::string(10'000, '\0')), "not a checkpoint of 'heddle run'");
  const World world = small_world();
  ResultWriter(folder + "/run.h5", world, small_settings()).finish(small_outcome(), {});
  expect_contains(refusal(folder + "/run.h5"), "it is an HDF5 file, but not a checkpoint");
  const std::string foreign = folder + "/foreign.h5";
  H5Fclose(H5Fcreate(foreign.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  expect_contains(refusal(foreign), "it is an HDF5 file, but not a checkpoint");
}

TEST(CheckpointDamage, NewerFormat) {
  std::string bytes = file_bytes(write_checkpoint(fresh_folder() + "/checkpoint", some_header(), 10));
  const size_t at = bytes.find("format_version 1");
  bytes[at + 15] = '2';
  const std::string text = refusal_of_bytes(bytes);
  expect_contains(text, "format version 2 is newer than 1");
  expect_contains(text, "resume with the version of heddle that wrote it");
}

/// A file whose seal is right, because another program sealed it, but whose content is not.
TEST(CheckpointDamage, SealedByAnotherProgram) {
  const std::string path = write_checkpoint(fresh_folder() + "/checkpoint", some_header(), 1000);
  const auto edit = [&](const auto& change) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    change(file);
    H5Fclose(file);
    EXPECT_EQ(write_seal(path, some_header()), 0);
  };
  edit([](hid_t file) { H5Ldelete(file, "result", H5P_DEFAULT); });
  expect_contains(message_of<InputError>([&] { (void)CheckpointReader(path).read("result"); }),
                  "it has no section 'result' (another program wrote it)");
  edit([](hid_t file) {
    const h5::Handle space(H5Screate(H5S_SCALAR));
    const h5::Handle made(
        H5Dcreate2(file, "more", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  });
  expect_contains(refusal(path), "section 'more' is no row of 64-bit words");
}

}  // namespace
}  // namespace heddle::test
