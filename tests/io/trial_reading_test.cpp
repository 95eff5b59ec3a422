// A flipped bit in a heap of texts, which has no checksum: HDF5 by itself would hang or crash.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "io/error.hpp"
#include "io/results/describe_json.hpp"
#include "io/results/reader.hpp"
#include "io/results/report.hpp"
#include "io/results/trial_reading.hpp"
#include "tests/io/child.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

std::string bytes_of_a_run() {
  const std::string path = fresh_folder() + "/run.h5";
  const World world = small_world();
  ResultWriter(path, world, small_settings()).finish(small_outcome(), {});
  return file_bytes(path);
}

u64 number_at(const std::string& bytes, size_t at, size_t width) {
  u64 number = 0;
  std::memcpy(&number, bytes.data() + at, width);
  return number;
}

/// Where the headers of the texts in all heaps begin: index (2 B), references (2), nothing (4), size (8).
std::vector<size_t> text_headers(const std::string& bytes) {
  constexpr size_t kHeaderBytes = 16;
  const std::string magic("GCOL\1\0\0\0", 8);
  std::vector<size_t> headers;
  for (size_t heap = bytes.find(magic); heap != std::string::npos; heap = bytes.find(magic, heap + 1)) {
    const size_t end = heap + number_at(bytes, heap + 8, 8);
    for (size_t at = heap + 16; at + kHeaderBytes <= end && number_at(bytes, at, 2) != 0;) {
      headers.push_back(at);
      at += kHeaderBytes + (number_at(bytes, at + 8, 8) + 7) / 8 * 8;
    }
  }
  return headers;
}

enum class Read : u8 { whole, refused, tried, lost };

/// What becomes of a reader of a file with this bit flipped.
Read read_with_flip(const std::string& bytes, size_t at, u32 bit) {
  std::string flipped = bytes;
  flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
  const std::string path = write_text(fresh_folder() + "/run.h5", flipped);
  const int status = in_child([&] {
    ::alarm(20);
    const std::string message = message_of<InputError>([&] { describe_run(path); });
    if (message.empty()) return 0;
    return message.find("reading its texts") != std::string::npos ? 2 : 1;
  });
  return status > 2 ? Read::lost : static_cast<Read>(status);
}

TEST(TrialReading, FlippedBitsInHeapsAreRefused) {
  const std::string bytes = bytes_of_a_run();
  const std::vector<size_t> headers = text_headers(bytes);
  ASSERT_GT(headers.size(), 20u);
  u32 tried = 0, checked = 0;
  for (size_t i = 0; i < headers.size(); i += 11) {
    for (const size_t field : {0, 8, 9, 9, 10, 15}) {  // 4 KiB and more: beyond the memory that HDF5 has for a text
      const u32 bit = field == 9 ? 4 + (i + checked) % 2 : static_cast<u32>((i + field) % 8);
      ++checked;
      const Read read = read_with_flip(bytes, headers[i] + field, bit);
      EXPECT_NE(read, Read::lost) << "byte " << headers[i] + field << ", bit " << bit;
      tried += read == Read::tried ? 1u : 0u;
    }
  }
  EXPECT_GT(tried, 0u) << "none of the flips was one that HDF5 does not survive; the test tests nothing";
}

/// A size that sends HDF5 in a circle: the first text of the heap ends where it begins.
TEST(TrialReading, ACircleEndsSoon) {
  std::string bytes = bytes_of_a_run();
  const size_t header = text_headers(bytes).at(1);
  std::memset(bytes.data() + header, 0, 16);
  const std::string path = write_text(fresh_folder() + "/run.h5", bytes);
  const auto expect_refused = [&](const auto& read) {
    const std::string message = message_of<InputError>(read);
    expect_contains(message, "run.h5': reading its texts is not done within 1 s; the file is damaged");
  };
  expect_refused([&] { read_summary(path); });
  expect_refused([&] { compare_runs_csv(std::vector<std::string>{path, path}); });
}

TEST(TrialReading, NeedsNoChildSignal) {
  const std::string path = write_text(fresh_folder() + "/run.h5", bytes_of_a_run());
  EXPECT_EQ(in_child([&] {
              ::signal(SIGCHLD, SIG_IGN);
              try_reading(path);
              return 0;
            }),
            0);
}

TEST(TrialReading, HandsTheTextsOver) {
  const std::string path = write_text(fresh_folder() + "/run.h5", bytes_of_a_run());
  const Texts texts = try_reading(path);
  EXPECT_EQ(texts.at("/ status"), "complete");
  EXPECT_EQ(texts.at("/ explanation"), InputFile(path).text_attribute("/", "explanation"));
  EXPECT_EQ(texts.at("/message/bytes units"), "B");
}

TEST(TrialReading, LeavesOtherErrorsToTheReader) {
  EXPECT_NO_THROW(try_reading(fresh_folder() + "/none.h5"));
  EXPECT_NO_THROW(try_reading(write_text(fresh_folder() + "/text.h5", "no HDF5")));
}

}  // namespace
}  // namespace heddle::test
