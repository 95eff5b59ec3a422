#include "host/cli/text_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "host/cli/machine_fault.hpp"
#include "io/durable.hpp"
#include "io/error.hpp"
#include "io/ordinary_file.hpp"

namespace heddle {

void write_text_file(const std::string& path, const std::string& text, bool replaces, std::string_view option) {
  const std::string temporary = new_file_beside(path);
  int status = temporary.empty() ? errno : 0;
  if (status == 0) {
    errno = 0;
    std::ofstream file(temporary);
    file << text;
    file.close();
    status = file ? 0 : (errno == 0 ? EIO : errno);
  }
  if (status == 0) status = replaces ? rename_durably(temporary, path) : rename_to_free_name(temporary, path);
  if (status == 0) return;
  std::error_code ignored;
  if (!temporary.empty()) std::filesystem::remove(temporary, ignored);
  const std::string message =
      fmt::format("cannot write '{}': {}; choose another path with {}", path, std::strerror(status), option);
  if (is_machines_fault(status)) throw MachineFault(message);
  throw OutputError(message);
}

std::string why_not_replaced(const std::string& path, std::string_view mark, std::string_view what) {
  OrdinaryFile file(path);
  const std::optional<std::string> text = file.read_all(kMaxConfigBytes);
  if (!text) return file.problem();
  if (text->empty() || text->substr(0, text->find('\n')).find(mark) != std::string::npos) return "";
  return fmt::format("its first line is not that of {}", what);
}

}  // namespace heddle
