// Ranks as threads of one process: tests of ranks without MPI.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>

#include "partition/exchange/exchange.hpp"

namespace heddle::property {

/// The exchange between the threads.
class Meeting {
 public:
  explicit Meeting(u32 ranks) : ranks_(ranks), mail_(ranks * ranks) {}
  u32 ranks() const { return ranks_; }

  void send(u32 from, u32 to, std::vector<u64> words);
  std::vector<u64> receive(u32 from, u32 to);
  /// Adds the contribution of `rank` to the `round`-th gathering.
  void contribute(u64 round, u32 rank, std::vector<u64> words);
  /// Waits for the contributions of all ranks.
  std::vector<std::vector<u64>> collect(u64 round);
  /// Ends all waits: every wait throws std::runtime_error.
  void fail();

 private:
  struct Round {
    std::vector<std::vector<u64>> parts;
    u32 present = 0, taken = 0;
  };

  template <class Ready>
  void wait(std::unique_lock<std::mutex>& lock, Ready&& ready);

  const u32 ranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::deque<std::vector<u64>>> mail_;  // [from * ranks + to]
  std::map<u64, Round> rounds_;
  u32 sleeping_ = 0;  // number of sleeping threads
  bool failed_ = false;
};

class ThreadExchange final : public Exchange {
 public:
  ThreadExchange(Meeting& meeting, u32 rank) : meeting_(meeting), rank_(rank) {}
  u32 rank() const override { return rank_; }
  u32 ranks() const override { return meeting_.ranks(); }
  void begin(std::span<const u32> neighbours, std::span<const WordBuffer> out, std::span<WordBuffer> in) override;
  void end() override;
  void begin_min(std::span<const i64> words) override;
  std::vector<i64> end_min() override;
  std::vector<i64> min(std::span<const i64> words) override;
  void sum(std::span<u64> words) override;
  void sum_at_first(std::span<u64> words) override;
  std::vector<std::vector<u64>> gather(std::span<const u64> words) override;
  std::vector<std::vector<u64>> gather_at_first(std::span<const u64> words) override;

 private:
  Meeting& meeting_;
  u32 rank_;
  u64 rounds_ = 0, min_round_ = 0;
  std::vector<u32> neighbours_;
  std::span<WordBuffer> in_;
};

}  // namespace heddle::property
