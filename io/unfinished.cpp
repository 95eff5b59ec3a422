#include "io/unfinished.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>

namespace heddle {
namespace {

/// A signal handler may not allocate, lock or throw: names lie here.
struct Slot {
  std::atomic<bool> taken = false, filled = false;
  std::array<char, PATH_MAX> path = {};
  dev_t device = 0;
  ino_t inode = 0;
};

std::array<Slot, 4> slots;

std::atomic<int> not_whole = 0, end_number = 0;
std::atomic<void (*)(int)> end_now = nullptr;

}  // namespace

NotWhole::NotWhole() noexcept { ++not_whole; }

NotWhole::~NotWhole() {
  if (--not_whole != 0) return;
  if (const auto end = end_now.exchange(nullptr); end != nullptr) end(end_number);
}

void when_whole(void (*end)(int), int number) noexcept {
  end_number = number;
  end_now = end;
  if (not_whole == 0) end(number);
}

Unfinished::Unfinished(const std::string& path) {
  struct stat status {};
  if (path.size() >= PATH_MAX || ::lstat(path.c_str(), &status) != 0) return;
  for (size_t i = 0; i < slots.size() && slot_ < 0; ++i) {
    Slot& slot = slots[i];
    if (slot.taken.exchange(true)) continue;
    slot.path[path.copy(slot.path.data(), PATH_MAX - 1)] = '\0';
    slot.device = status.st_dev;
    slot.inode = status.st_ino;
    slot.filled = true;
    slot_ = static_cast<int>(i);
  }
}

Unfinished::~Unfinished() {
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<size_t>(slot_)];
  slot.filled = false;
  slot.taken = false;
}

void remove_unfinished() noexcept {
  for (const Slot& slot : slots) {
    struct stat status {};
    if (!slot.filled || ::lstat(slot.path.data(), &status) != 0) continue;
    if (status.st_dev == slot.device && status.st_ino == slot.inode) ::unlink(slot.path.data());
  }
}

}  // namespace heddle
