#include "io/formats/byte_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/formats/text.hpp"

namespace heddle {

PlainByteMatrix read_byte_matrix(const std::string& path) {
  constexpr u64 kMaxBytes = 1'000'000'000'000;
  TextFile file(path);
  if (file.at_end()) file.fail(1, 1, "the file is empty; write a line for each rank");
  PlainByteMatrix matrix;
  matrix.ranks = static_cast<u32>(file.peek().fields.size());
  matrix.bytes.reserve(std::min(u64{matrix.ranks} * matrix.ranks, file.bytes() / 2 + 1));
  u32 rank = 0, last_line = 1;
  for (; !file.at_end(); ++rank) {
    const TextLine& line = file.take("");
    last_line = line.number;
    if (rank == matrix.ranks) {
      file.fail(
          line.number, 1,
          fmt::format("there are more lines than the first one has numbers, {}; a matrix of n ranks has n lines of n "
                      "numbers",
                      matrix.ranks));
    }
    if (line.fields.size() != matrix.ranks) {
      file.fail(line.number, 1,
                fmt::format("line {} has {} numbers, and the first line has {}; a matrix of n ranks has n lines of n "
                            "numbers",
                            rank + 1, line.fields.size(), matrix.ranks));
    }
    for (u32 to = 0; to < matrix.ranks; ++to) {
      const u64 bytes = file.number(line.fields[to], "bytes", 0, kMaxBytes);
      matrix.bytes.push_back(to == rank ? 0 : bytes);
    }
  }
  if (rank != matrix.ranks) {
    file.fail(
        last_line, 1,
        fmt::format("the file ends after {} lines of {} numbers; a matrix of n ranks has n lines", rank, matrix.ranks));
  }
  return matrix;
}

}  // namespace heddle
