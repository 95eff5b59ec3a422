#include "host/scenario/memory/input_memory.hpp"
#include "host/config/config.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "host/base/error.hpp"
#include "host/base/quantity_text.hpp"
#include "host/config/input_files.hpp"
#include "io/ordinary_file.hpp"

namespace heddle {
namespace {

struct Size {
  u64 bytes = 0, lines = 0;
};

Size size_of(const std::string& path) {
  const OrdinaryFile file(path);
  Size size;
  if (!file.problem().empty()) return size;
  std::vector<char> block(u64{1} << 20);
  for (ssize_t got;
       (got = ::pread(file.descriptor(), block.data(), block.size(), static_cast<off_t>(size.bytes))) > 0;) {
    size.lines += static_cast<u64>(std::count(block.begin(), block.begin() + got, '\n'));
    size.bytes += static_cast<u64>(got);
    if (size.bytes > kMaxTextBytes) return {};  // the file's reader refuses it
  }
  return size;
}

u64 bytes_for(const Format& format, const std::string& path) {
  const Size size = size_of(path);
  return size.bytes * format.byte_times + size.lines * format.line_bytes;
}

/// Whether all inputs would fit even as empty lines of the most expensive kind: then no lines are counted.
bool fit_however_written(const Config& config, u64 limit_bytes) {
  u64 max_times = 0, bytes = 0;
  for (const Format& format : formats()) max_times = std::max<u64>(max_times, format.byte_times + format.line_bytes);
  for (const NamedInput& input : input_files_of(config)) {
    for (const std::string& path : paths_of_input(config, input)) {
      std::error_code unknown;
      const auto size = std::filesystem::file_size(path, unknown);
      bytes += unknown ? 0 : size;
    }
  }
  return kProgramBytes + max_times * bytes <= limit_bytes;
}

}  // namespace

InputMemory input_memory(const Config& config) {
  InputMemory memory;
  for (const NamedInput& input : input_files_of(config)) {
    u64 bytes = 0;
    for (const std::string& path : paths_of_input(config, input)) bytes += bytes_for(*input.format, path);
    memory.bytes += bytes;
    if (bytes <= memory.largest_bytes) continue;
    memory.largest_bytes = bytes;
    memory.key = input.key;
    memory.file = input.file;
  }
  return memory;
}

void check_inputs(const Config& config, const MemoryBudget& budget) {
  if (fit_however_written(config, budget.limit_bytes)) return;
  const InputMemory memory = input_memory(config);
  if (kProgramBytes + memory.bytes <= budget.limit_bytes || memory.key.empty()) return;
  throw ConfigError(fmt::format(
      "memory: inputs take about {} while they are read, most of it ({}) {} = \"{}\", beside {} of the "
      "program, but the run may use {} ({}). Give it more (heddle run --memory SIZE), or make a smaller file of it",
      bytes_text(memory.bytes), bytes_text(memory.largest_bytes), memory.key, memory.file, bytes_text(kProgramBytes),
      bytes_text(budget.limit_bytes), budget.said_by));
}

}  // namespace heddle
