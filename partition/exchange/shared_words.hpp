// Memory of one process that other processes of the same machine read and write.
#pragma once

#include "kernels/base/types.hpp"
#include "kernels/boundary/word_buffer.hpp"

namespace heddle {

/// The name by which others open a block: an open file of a process. As long as a buffer only grows, each of its blocks
/// has another name.
struct SharedName {
  u64 process = 0, file = 0, words = 0;  // no words: there is no block yet
  bool operator==(const SharedName&) const = default;
};

/// One block at a time, initially zero. It is a file in memory without a name (memfd_create), so nothing remains
/// however the process ends, and no limit of /dev/shm applies. allocate() throws std::runtime_error.
class SharedWords final : public WordMemory {
 public:
  ~SharedWords() override;
  u64* allocate(u64 words) override;
  void release(u64* words) override;
  const SharedName& name() const { return name_; }

 private:
  u64* data_ = nullptr;
  SharedName name_;
};

/// A buffer that other processes can open.
struct SharedBuffer {
  SharedWords memory;
  WordBuffer words{memory};
};

/// Another process's block, mapped into this one.
class OpenedWords {
 public:
  OpenedWords() = default;
  ~OpenedWords() { close(); }
  OpenedWords(const OpenedWords&) = delete;
  OpenedWords& operator=(const OpenedWords&) = delete;

  /// Opens the block, unless it is open by this name. The other process must not release it before this returns;
  /// afterwards it may. Throws std::runtime_error.
  u64* open(const SharedName& name);

 private:
  void close();

  u64* data_ = nullptr;
  SharedName name_;
};

}  // namespace heddle
