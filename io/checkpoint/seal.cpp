#include "io/checkpoint/seal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "io/error.hpp"
#include "io/hash_bytes.hpp"
#include "io/ordinary_file.hpp"

namespace heddle {
namespace {

constexpr u64 kBlockBytes = 1 << 20;  // read at a time

class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : id_(::open(path.c_str(), flags | O_CLOEXEC)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (id_ >= 0) ::close(id_);
  }
  int get() const { return id_; }

 private:
  int id_;
};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw InputError(fmt::format("cannot use checkpoint '{}': {}", path, why));
}

/// Reads until the block is full or the file ends. Returns the bytes read, or -errno.
i64 read_fully(int descriptor, std::byte* into, u64 bytes) {
  u64 done = 0;
  while (done < bytes) {
    const ssize_t got = ::read(descriptor, into + done, bytes - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -errno;
    if (got == 0) break;
    done += static_cast<u64>(got);
  }
  return static_cast<i64>(done);
}

struct Content {
  u64 bytes = 0;  // of the whole file
  u64 hash = 0;   // of what comes after the seal
};

/// Reads from the end of the seal to the end of the file. Returns 0 or errno.
int hash_content(int descriptor, Content& content) {
  if (::lseek(descriptor, kSealBytes, SEEK_SET) < 0) return errno;
  std::vector<std::byte> block(kBlockBytes);
  content = {kSealBytes, 0};
  for (;;) {
    const i64 got = read_fully(descriptor, block.data(), block.size());
    if (got < 0) return static_cast<int>(-got);
    if (got == 0) return 0;
    content.bytes += static_cast<u64>(got);
    content.hash = absorb_bytes(content.hash, std::span(block).first(static_cast<u64>(got)));
  }
}

/// The seal. Its last line is a hash of the lines before.
std::string seal_of(const CheckpointHeader& header, const Content& content) {
  const RunIdentity& run = header.run;
  std::string text = fmt::format(
      "{}\nformat_version {}\nfile_bytes {}\ntime_ps {}\nconfig_hash {:016x}\ntopology_hash {:016x}\nworkload_hash "
      "{:016x}\nsoftware_version {}\nfile_hash {:016x}\n",
      kCheckpointFormat, kCheckpointFormatVersion, content.bytes, header.time_ps, run.config_hash, run.topology_hash,
      run.workload_hash, run.software_version, content.hash);
  text += fmt::format("seal_hash {:016x}\n", absorb_bytes(0, std::as_bytes(std::span(text))));
  text.resize(kSealBytes, '\0');
  return text;
}

/// Takes "name value\n" off the front.
std::optional<std::string_view> take(std::string_view& text, std::string_view name) {
  const size_t end = text.find('\n');
  if (end == std::string_view::npos || text.substr(0, name.size()) != name) return std::nullopt;
  if (name.size() >= end || text[name.size()] != ' ') return std::nullopt;
  const std::string_view value = text.substr(name.size() + 1, end - name.size() - 1);
  text.remove_prefix(end + 1);
  return value;
}

template <class T>
bool take_number(std::string_view& text, std::string_view name, int base, T& number) {
  const std::optional<std::string_view> value = take(text, name);
  if (!value) return false;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number, base);
  return error == std::errc() && end == value->data() + value->size();
}

bool is_hdf5(std::string_view first_bytes) { return first_bytes.substr(0, 8) == "\x89HDF\r\n\x1a\n"; }

/// Why a file that does not begin as a checkpoint does is none.
[[noreturn]] void refuse_foreign(const std::string& path, std::string_view first_bytes) {
  if (first_bytes.empty()) refuse(path, "the file is empty");
  if (is_hdf5(first_bytes))
    refuse(path, "it is an HDF5 file, but not a checkpoint (a result file, or another program's); name a checkpoint");
  refuse(path, "not a checkpoint of 'heddle run', or damaged in its first bytes");
}

struct Seal {
  CheckpointHeader header;
  Content content;
};

/// The seal as it stands. Its own damage shows when it is made again of what it says and compared.
Seal parse(const std::string& path, const std::string& bytes) {
  std::string_view text = bytes;
  const std::string first_line = std::string(kCheckpointFormat) + "\n";
  if (text.substr(0, first_line.size()) != first_line) refuse_foreign(path, text);
  text.remove_prefix(first_line.size());
  const std::string damaged = "its first 512 bytes are damaged or incomplete; take an older checkpoint";
  u32 version = 0;
  if (!take_number(text, "format_version", 10, version)) refuse(path, damaged);
  if (version > kCheckpointFormatVersion) {
    refuse(path, fmt::format("format version {} is newer than {}, the newest that this program reads; resume with the "
                             "version of heddle that wrote it",
                             version, kCheckpointFormatVersion));
  }
  Seal seal;
  RunIdentity& run = seal.header.run;
  const bool whole = take_number(text, "file_bytes", 10, seal.content.bytes) &&
                     take_number(text, "time_ps", 10, seal.header.time_ps) &&
                     take_number(text, "config_hash", 16, run.config_hash) &&
                     take_number(text, "topology_hash", 16, run.topology_hash) &&
                     take_number(text, "workload_hash", 16, run.workload_hash);
  const std::optional<std::string_view> version_text = whole ? take(text, "software_version") : std::nullopt;
  if (!version_text || !take_number(text, "file_hash", 16, seal.content.hash)) refuse(path, damaged);
  run.software_version = *version_text;
  if (seal_of(seal.header, seal.content) != bytes) refuse(path, damaged);
  return seal;
}

Seal read_seal(const std::string& path, const OrdinaryFile& file) {
  if (!file.problem().empty()) refuse(path, file.problem());
  std::string bytes(kSealBytes, '\0');
  const i64 got = read_fully(file.descriptor(), reinterpret_cast<std::byte*>(bytes.data()), kSealBytes);
  if (got < 0) refuse(path, std::strerror(static_cast<int>(-got)));
  bytes.resize(static_cast<u64>(got));
  Seal seal = parse(path, bytes);
  const u64 file_bytes = file.bytes();
  if (file_bytes != seal.content.bytes) {
    refuse(path, fmt::format("it has {} B and was written with {} (truncated, or copied in part); take an older "
                             "checkpoint, or a copy that is whole",
                             file_bytes, seal.content.bytes));
  }
  return seal;
}

}  // namespace

int write_seal(const std::string& path, const CheckpointHeader& header) {
  const Descriptor file(path, O_RDWR);
  if (file.get() < 0) return errno;
  Content content;
  if (const int status = hash_content(file.get(), content); status != 0) return status;
  const std::string text = seal_of(header, content);
  u64 done = 0;
  while (done < kSealBytes) {
    const ssize_t put = ::pwrite(file.get(), text.data() + done, kSealBytes - done, static_cast<off_t>(done));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    done += static_cast<u64>(put);
  }
  return 0;
}

CheckpointHeader read_seal(const std::string& path) { return read_seal(path, OrdinaryFile(path)).header; }

CheckpointHeader verify_seal(const std::string& path) {
  const OrdinaryFile file(path);
  const Seal seal = read_seal(path, file);
  Content content;
  if (const int status = hash_content(file.descriptor(), content); status != 0) refuse(path, std::strerror(status));
  if (content.hash != seal.content.hash) {
    refuse(path,
           "its bytes are not those that were written (the disk or a copy has damaged it); take an older "
           "checkpoint, or a copy that is whole");
  }
  return seal.header;
}

}  // namespace heddle
