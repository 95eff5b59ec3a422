// Thread pool: every item is taken once, by any worker, and all results are there when run() returns.
#include "kernels/backends/thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>
#include <vector>

namespace heddle::test {
namespace {

using Clock = std::chrono::steady_clock;

/// Items that each worker takes until none is left, like the nodes of a tick.
struct Items {
  explicit Items(u32 count, u32 threads) : taken(count), calls(threads) {}
  void take(u32 worker) {
    ++calls[worker];
    for (u32 i = next.fetch_add(1); i < taken.size(); i = next.fetch_add(1)) ++taken[i];
  }
  std::atomic<u32> next{0};
  std::vector<u32> taken, calls;  // plain: only run() orders them
};

i64 threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

TEST(ThreadPool, TakesEveryItemOnceHoweverManyThreadsThereAre) {
  for (const u32 threads : {1u, 2u, 3u, 16u}) {
    ThreadPool pool(threads);
    for (u32 run = 0; run < 2000; ++run) {
      Items items(run % 40, threads);
      pool.run([&](u32 worker) { items.take(worker); });
      ASSERT_EQ(std::vector<u32>(items.taken.size(), 1), items.taken);
      ASSERT_EQ(items.calls[0], 1) << "who calls it takes part";
      for (const u32 calls : items.calls) ASSERT_LE(calls, 1) << "a worker has one account in each run";
    }
  }
}

/// Whether another worker joins runs that last until one has joined; on a busy machine some runs are done alone.
bool others_come(ThreadPool& pool) {
  std::atomic<bool> came = false;
  for (u32 run = 0; run < 20 && !came; ++run) {
    pool.run([&](u32 worker) {
      if (worker != 0) came = true;
      const auto end = Clock::now() + std::chrono::seconds(1);
      while (!came && Clock::now() < end) std::this_thread::yield();
    });
  }
  return came;
}

TEST(ThreadPool, OthersComeWhenThereIsTime) {
  ThreadPool pool(2);
  EXPECT_TRUE(others_come(pool));
}

TEST(ThreadPool, WakesWorkersThatSleep) {
  ThreadPool pool(2);
  EXPECT_TRUE(others_come(pool));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // longer than any worker spins
  EXPECT_TRUE(others_come(pool));
}

TEST(ThreadPool, WorksAloneForAWhileWhereOthersCostMoreThanTheySave) {
  ThreadPool pool(2);
  u32 came = 0;
  for (u32 run = 0; run < 300; ++run) {
    std::atomic<Clock::duration> worked{};
    pool.run([&](u32 worker) {
      const auto begin = Clock::now();
      if (worker == 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        worked = Clock::now() - begin;
        return;
      }
      ++came;
      // delay the first worker, like a worker that loses its core in the middle of a node
      while (worked.load() == Clock::duration{}) std::this_thread::yield();
      std::this_thread::sleep_for(3 * worked.load() + std::chrono::milliseconds(1));
    });
  }
  EXPECT_LT(came, 10u);  // between two visits of the other worker there are 1, 3, 7, 15 ... runs alone
}

TEST(ThreadPool, MayWaitForAll) {
  constexpr u32 kThreads = 4;
  ThreadPool pool(kThreads, true);
  for (u32 run = 0; run < 300; ++run) {
    Items items(3, kThreads);
    pool.run([&](u32 worker) { items.take(worker); });
    ASSERT_EQ(items.calls, std::vector<u32>(kThreads, 1));
  }
}

TEST(ThreadPool, StartsNoThreadBeforeTheFirstRun) {  // the program may fork before that
  const i64 before = threads_of_this_process();
  ThreadPool pool(4);
  EXPECT_EQ(threads_of_this_process(), before);
  pool.run([](u32) {});
  EXPECT_GE(threads_of_this_process(), before + 3);  // ThreadSanitizer adds a thread
}

TEST(ThreadPool, EndsWithAndWithoutARun) {
  for (u32 i = 0; i < 50; ++i) {
    ThreadPool pool(4);
    if (i % 2 == 0) pool.run([](u32) {});
  }
}

}  // namespace
}  // namespace heddle::test
