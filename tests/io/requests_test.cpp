// Requests of clients to servers in the file and in texts: hand-worked times and rates, and what did not end.
#include "io/results/requests.hpp"

#include <gtest/gtest.h>

#include "io/results/input_file.hpp"
#include "io/results/message_kinds.hpp"
#include "io/results/reader.hpp"
#include "io/results/report.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

constexpr TimePs kUs = 1'000'000;

/// Generator 0: client 0 asks server 1 three times, for 4000 B each. Generator 2: it asks servers 1 and 2 at once, at
/// 30 us, for 1000 B each.
World asking() {
  World world = small_world();
  Traffic& t = world.traffic;
  t.qps = {Qp{0, 1, 0, 0, 5}, Qp{0, 2, 1, 0, 5}, Qp{1, 0, 0, 0, 5}, Qp{2, 0, 0, 1, 5}};
  t.messages = {{0, 256, 2 * kUs}, {0, 256, 3 * kUs}, {0, 256, 10 * kUs}, {0, 256, 30 * kUs}, {1, 256, 30 * kUs},
                {2, 4000, kUs, 1}, {2, 4000, kUs, 1}, {2, 4000, kUs, 1},  {2, 1000, kUs, 1},  {3, 1000, kUs, 1}};
  t.waits = {{0, true, 5}, {1, true, 6}, {2, true, 7}, {3, true, 8}, {4, true, 9}};
  t.requests = {{0, 0, 1, 1}, {0, 2, 1, 1}, {0, 4, 1, 1}, {2, 6, 2, 2}};
  t.of_requests = {0, 5, 1, 6, 2, 7, 3, 4, 8, 9};
  return world;
}

/// The first two ended after 4 us and 6 us; of the third 1000 B have come at the horizon, 20 us.
Outcome cut_off() {
  Outcome o = small_outcome();
  o.reason = EndReason::horizon;
  o.end_ps = 20 * kUs;
  o.messages.assign(10, {});
  for (MessageOutcome& message : o.messages) message.acked_ps = message.received_ps = message.posted_ps = -1;
  for (u32 k = 0; k < 3; ++k) o.messages[k].received_ps = o.messages[k].acked_ps = (11 + k) * kUs;
  for (u32 k = 0; k < 3; ++k) o.messages[5 + k].posted_ps = 12 * kUs;
  o.messages[5].received_ps = 6 * kUs;
  o.messages[6].received_ps = 9 * kUs;
  o.messages[5].received_bytes = o.messages[6].received_bytes = 4000;
  o.messages[7].received_bytes = 1000;
  return o;
}

std::string write_run(const std::string& path, const Outcome& outcome) {
  const World world = asking();
  ResultWriter writer(path, world, small_settings());
  writer.finish(outcome, {});
  return path;
}

TEST(RequestResults, ARowOfEach) {
  const InputFile file(write_run(fresh_folder() + "/a.h5", cut_off()));
  EXPECT_EQ(file.signed_numbers("/request/generator"), (std::vector<i64>{0, 0, 0, 2}));
  EXPECT_EQ(file.numbers("/request/client"), (std::vector<u64>{0, 0, 0, 0}));
  EXPECT_EQ(file.numbers("/request/servers"), (std::vector<u64>{1, 1, 1, 2}));
  EXPECT_EQ(file.numbers("/request/bytes"), (std::vector<u64>{4000, 4000, 4000, 2000}));
  EXPECT_EQ(file.signed_numbers("/request/begin_ps"), (std::vector<i64>{2 * kUs, 3 * kUs, 10 * kUs, -1}));
  EXPECT_EQ(file.signed_numbers("/request/end_ps"), (std::vector<i64>{6 * kUs, 9 * kUs, -1, -1}));
}

TEST(RequestResults, PercentilesAndRatesOfEachGenerator) {
  const RunSummary run = read_summary(write_run(fresh_folder() + "/a.h5", cut_off()));
  ASSERT_EQ(run.requests.size(), count_askers(asking()));
  ASSERT_EQ(run.requests.size(), 2u);
  const RequestSummary& asked = run.requests[0];
  EXPECT_EQ(asked.requests, 3u);
  EXPECT_EQ(asked.times.posted, 3u);
  EXPECT_EQ(asked.times.finished, 2u);
  EXPECT_EQ(asked.times.find(50)->completion_ps, 6 * kUs) << "the second of 4, 6 and at least 10 us";
  EXPECT_FALSE(asked.times.find(50)->completion_at_least);
  EXPECT_EQ(asked.times.find(99)->completion_ps, 10 * kUs);
  EXPECT_TRUE(asked.times.find(99)->completion_at_least);
  EXPECT_EQ(asked.received_bytes, 9000u);
  EXPECT_DOUBLE_EQ(asked.bits_per_s.value(), 4e9) << "9000 B from 2 us to the horizon";
  EXPECT_DOUBLE_EQ(asked.requests_per_s.value(), 2 / 18e-6);
  const RequestSummary& never = run.requests[1];
  EXPECT_EQ(never.asker, (Asker{2, -1}));
  EXPECT_EQ(never.requests, 1u);
  EXPECT_EQ(never.times.posted, 0u);
  EXPECT_TRUE(never.times.percentiles.empty());
  EXPECT_FALSE(never.bits_per_s);
}

TEST(RequestResults, OfARunThatStalledAllCountAsBegun) {
  Outcome stalled = cut_off();
  stalled.reason = EndReason::stalled;
  const std::vector<RequestSummary> all = request_summaries(request_rows(asking(), stalled), stalled);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].times.posted, 1u);
  EXPECT_FALSE(all[0].bits_per_s) << "it has no end";
}

TEST(RequestResults, InTexts) {
  const std::string path = write_run(fresh_folder() + "/a.h5", cut_off());
  const std::string text = describe_run(path);
  expect_contains(text, "\nrequests (from the first question posted to the last answer received");
  expect_contains(text, "so >= is a lower bound");
  const std::string compared = compare_runs(std::vector<std::string>{path, path});
  expect_contains(compared, "requests of generator 0: ended");
  expect_contains(compared, "2 of 3");
  expect_contains(compared, ">= 10 us");
  expect_contains(compared, "requests of generator 2: ended");
  EXPECT_EQ(request_table({}), "");
}

/// The requests of generator 2 are those of a job's data.
World reading() {
  World world = asking();
  world.traffic.requests.back().generator = kNone;
  world.traffic.requests.back().job = 1;
  return world;
}

TEST(RequestResults, OfAJobsData) {
  const World world = reading();
  const std::string path = fresh_folder() + "/b.h5";
  ResultWriter writer(path, world, small_settings());
  writer.finish(cut_off(), {});
  const InputFile file(path);
  EXPECT_EQ(file.signed_numbers("/request/generator"), (std::vector<i64>{0, 0, 0, -1}));
  EXPECT_EQ(file.signed_numbers("/request/job"), (std::vector<i64>{-1, -1, -1, 1}));
  const RunSummary run = read_summary(path);
  ASSERT_EQ(run.requests.size(), 2u);
  EXPECT_EQ(run.requests[1].asker, (Asker{-1, 1}));
  expect_contains(describe_run(path), "data of job 1");
  expect_contains(compare_runs(std::vector<std::string>{path, path}), "requests for data of job 1: ended");
}

TEST(RequestResults, QuestionsAreApartFromAnswers) {
  const std::vector<MessageOwner> owners = owners_of_messages(reading());
  for (u32 m = 0; m < 10; ++m) {
    EXPECT_EQ(owners[m].purpose, m < 5 ? MessagePurpose::question : MessagePurpose::own) << m;
    EXPECT_EQ(owners[m].job, m == 3 || m == 4 ? 1 : -1) << m;
  }
}

TEST(RequestResults, WhatAControllerIsToldAndTells) {
  World world = asking();
  world.traffic.requests.clear();
  world.routing.control.routes = {5, 6};
  const std::vector<MessageOwner> owners = owners_of_messages(world);
  for (u32 m = 0; m < 10; ++m) {
    const bool route = m == 5 || m == 6, report = m == 0 || m == 1;
    EXPECT_EQ(owners[m].purpose, route    ? MessagePurpose::route
                                 : report ? MessagePurpose::report
                                          : MessagePurpose::own)
        << m;
  }
}

}  // namespace
}  // namespace heddle::test
