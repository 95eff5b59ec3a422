#include "partition/exchange/shared_words.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace heddle {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error("shared memory of ranks: " + what + ": " + std::strerror(errno));
}

u64* mapped(int file, u64 words) {
  void* data = ::mmap(nullptr, words * sizeof(u64), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return data == MAP_FAILED ? nullptr : static_cast<u64*>(data);
}

}  // namespace

SharedWords::~SharedWords() {
  if (data_ != nullptr) SharedWords::release(data_);
}

u64* SharedWords::allocate(u64 words) {
  const std::string what = std::to_string(words * sizeof(u64)) + " bytes cannot be had";
  const int file = ::memfd_create("heddle_words", MFD_CLOEXEC);
  if (file < 0) fail(what);
  if (::ftruncate(file, static_cast<off_t>(words * sizeof(u64))) == 0) data_ = mapped(file, words);
  if (data_ == nullptr) {
    const int error = errno;
    ::close(file);
    errno = error;
    fail(what);
  }
  name_ = {static_cast<u64>(::getpid()), static_cast<u64>(file), words};
  return data_;
}

void SharedWords::release(u64* words) {
  ::munmap(words, name_.words * sizeof(u64));
  ::close(static_cast<int>(name_.file));
  data_ = nullptr;
  name_ = {};
}

u64* OpenedWords::open(const SharedName& name) {
  if (data_ != nullptr && name == name_) return data_;
  close();
  const std::string path = "/proc/" + std::to_string(name.process) + "/fd/" + std::to_string(name.file);
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) fail(path + " of another rank cannot be opened");
  struct stat found = {};
  if (::fstat(file, &found) == 0) {
    errno = EINVAL;  // if processes have other numbers here, it may be any file
    if (found.st_size == static_cast<off_t>(name.words * sizeof(u64))) data_ = mapped(file, name.words);
  }
  const int error = errno;
  ::close(file);
  errno = error;
  if (data_ == nullptr) fail(path + " of another rank cannot be mapped");
  name_ = name;
  return data_;
}

void OpenedWords::close() {
  if (data_ != nullptr) ::munmap(data_, name_.words * sizeof(u64));
  data_ = nullptr;
}

}  // namespace heddle
