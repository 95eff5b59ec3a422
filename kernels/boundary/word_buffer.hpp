// Buffers for messages between parts, in memory that both a backend and the exchange between ranks can access.
#pragma once

#include <span>
#include <utility>

#include "kernels/base/types.hpp"

namespace heddle {

/// Memory for such buffers: the heap; pinned host memory, which a GPU reads and writes; or device memory, where the
/// exchange can access that.
class WordMemory {
 public:
  virtual ~WordMemory() = default;
  virtual u64* allocate(u64 words) = 0;
  virtual void release(u64* words) = 0;
};

class HeapWords final : public WordMemory {
 public:
  u64* allocate(u64 words) override { return new u64[words]; }
  void release(u64* words) override { delete[] words; }
};

/// A buffer that grows and keeps its memory. It is empty at first.
class WordBuffer {
 public:
  /// The memory must outlive the buffer.
  explicit WordBuffer(WordMemory& memory) : memory_(&memory) {}
  ~WordBuffer() {
    if (data_ != nullptr) memory_->release(data_);
  }
  WordBuffer(WordBuffer&& other) noexcept
      : memory_(other.memory_),
        data_(std::exchange(other.data_, nullptr)),
        capacity_(std::exchange(other.capacity_, 0)),
        size_(std::exchange(other.size_, 0)) {}
  WordBuffer& operator=(WordBuffer&&) = delete;

  u64* data() { return data_; }
  u64 capacity() const { return capacity_; }
  std::span<const u64> words() const { return {data_, size_}; }
  /// Sets the size, at most the capacity.
  void resize(u64 words) { size_ = words; }
  /// Makes room for at least `words` words. The contents are lost when the buffer grows.
  void make_room(u64 words) {
    if (words <= capacity_) return;
    if (data_ != nullptr) memory_->release(data_);
    data_ = nullptr;
    capacity_ = size_ = 0;
    const u64 grown = words + words / 2;
    data_ = memory_->allocate(grown);
    capacity_ = grown;
  }

 private:
  WordMemory* memory_;
  u64* data_ = nullptr;
  u64 capacity_ = 0, size_ = 0;
};

}  // namespace heddle
