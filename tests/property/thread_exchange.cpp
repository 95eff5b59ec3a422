#include "tests/property/thread_exchange.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace heddle::property {

namespace {

std::vector<i64> minimum_of(const std::vector<std::vector<u64>>& parts) {
  std::vector<i64> minimum(parts[0].size(), kNever);
  for (const std::vector<u64>& part : parts) {
    for (std::size_t i = 0; i < part.size(); ++i) minimum[i] = std::min(minimum[i], static_cast<i64>(part[i]));
  }
  return minimum;
}

void add_up(const std::vector<std::vector<u64>>& parts, std::span<u64> sums) {
  std::fill(sums.begin(), sums.end(), 0);
  for (const std::vector<u64>& part : parts) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += part[i];
  }
}

}  // namespace

template <class Ready>
void Meeting::wait(std::unique_lock<std::mutex>& lock, Ready&& ready) {
  constexpr int kGlances = 50;  // other threads' work takes less time than falling asleep and being woken
  const auto done = [&] { return failed_ || ready(); };
  for (int i = 0; i < kGlances && !done(); ++i) {
    lock.unlock();
    std::this_thread::yield();
    lock.lock();
  }
  ++sleeping_;
  changed_.wait(lock, done);
  --sleeping_;
  if (failed_) throw std::runtime_error("another rank has failed");
}

void Meeting::send(u32 from, u32 to, std::vector<u64> words) {
  const std::lock_guard lock(mutex_);
  mail_[from * ranks_ + to].push_back(std::move(words));
  if (sleeping_ != 0) changed_.notify_all();
}

std::vector<u64> Meeting::receive(u32 from, u32 to) {
  std::unique_lock lock(mutex_);
  auto& letters = mail_[from * ranks_ + to];
  wait(lock, [&] { return !letters.empty(); });
  std::vector<u64> words = std::move(letters.front());
  letters.pop_front();
  return words;
}

void Meeting::contribute(u64 round, u32 rank, std::vector<u64> words) {
  const std::lock_guard lock(mutex_);
  Round& r = rounds_[round];
  r.parts.resize(ranks_);
  r.parts[rank] = std::move(words);
  if (++r.present == ranks_ && sleeping_ != 0) changed_.notify_all();
}

std::vector<std::vector<u64>> Meeting::collect(u64 round) {
  std::unique_lock lock(mutex_);
  wait(lock, [&] { return rounds_[round].present == ranks_; });
  Round& r = rounds_[round];
  std::vector<std::vector<u64>> parts = r.parts;
  if (++r.taken == ranks_) rounds_.erase(round);
  return parts;
}

void Meeting::fail() {
  const std::lock_guard lock(mutex_);
  failed_ = true;
  changed_.notify_all();
}

void ThreadExchange::begin(std::span<const u32> neighbours, std::span<const WordBuffer> out, std::span<WordBuffer> in) {
  neighbours_.assign(neighbours.begin(), neighbours.end());
  in_ = in;
  for (std::size_t n = 0; n < out.size(); ++n) {
    meeting_.send(rank_, neighbours_[n], {out[n].words().begin(), out[n].words().end()});
  }
}

void ThreadExchange::end() {
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    const std::vector<u64> words = meeting_.receive(neighbours_[n], rank_);
    in_[n].make_room(words.size());
    in_[n].resize(words.size());
    std::copy(words.begin(), words.end(), in_[n].data());
  }
}

void ThreadExchange::begin_min(std::span<const i64> words) {
  min_round_ = rounds_++;
  meeting_.contribute(min_round_, rank_, {words.begin(), words.end()});
}

std::vector<i64> ThreadExchange::end_min() { return minimum_of(meeting_.collect(min_round_)); }

std::vector<i64> ThreadExchange::min(std::span<const i64> words) {
  const u64 round = rounds_++;
  meeting_.contribute(round, rank_, {words.begin(), words.end()});
  return minimum_of(meeting_.collect(round));
}

void ThreadExchange::sum(std::span<u64> words) { add_up(gather(words), words); }

void ThreadExchange::sum_at_first(std::span<u64> words) {
  const std::vector<std::vector<u64>> parts = gather_at_first(words);
  if (rank_ == 0) add_up(parts, words);
}

std::vector<std::vector<u64>> ThreadExchange::gather(std::span<const u64> words) {
  const u64 round = rounds_++;
  meeting_.contribute(round, rank_, {words.begin(), words.end()});
  return meeting_.collect(round);
}

std::vector<std::vector<u64>> ThreadExchange::gather_at_first(std::span<const u64> words) {
  std::vector<std::vector<u64>> parts = gather(words);
  if (rank_ != 0) parts.clear();
  return parts;
}

}  // namespace heddle::property
