// What the writer writes, the reader reads.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <utility>

#include "io/results/describe_json.hpp"
#include "io/results/hdf5.hpp"
#include "io/results/input_file.hpp"
#include "io/results/log_bins.hpp"
#include "io/results/reader.hpp"
#include "io/results/report.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

std::string write_run(const std::string& path, bool link_series = false) {
  const World world = small_world();
  ResultSettings settings = small_settings();
  settings.link_series = link_series;
  ResultWriter writer(path, world, settings);
  for (u64 i = 1; i <= 150; ++i) writer.append_series(static_cast<TimePs>(i * 1'000'000), small_counters(world, i));
  writer.append_events(small_events());
  Perf perf{2.0, 1234, 1 << 20, {{"switch pass", 1.25}, {"endpoint pass", 0.5}}};
  writer.finish(small_outcome(), perf);
  return path;
}

TEST(RoundTrip, RootAndSummary) {
  const std::string path = write_run(fresh_folder() + "/run.h5");
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  const RunSummary run = read_summary(path);
  EXPECT_EQ(run.status, "complete");
  EXPECT_EQ(run.digest, "0123456789abcdef");
  EXPECT_EQ(run.end_ps, 30'000'000);
  EXPECT_EQ(run.horizon_ps, -1);
  EXPECT_EQ(run.seed, 7u);
  EXPECT_EQ(run.provenance.config_hash, 0xfeedu);
  EXPECT_EQ(run.provenance.command_line, "heddle run star.toml");
  EXPECT_EQ(run.config_toml, small_settings().provenance.inputs.config_toml);
  EXPECT_EQ(run.endpoints, 4u);
  EXPECT_EQ(run.switches, 1u);
  EXPECT_EQ(run.links, 8u);
  EXPECT_EQ(run.totals.packet_hops, 1234u);
  EXPECT_EQ(run.totals.drops[1], 3u);
  EXPECT_EQ(run.pfc_events, 2u);
  EXPECT_EQ(run.drop_events, 1u);
  EXPECT_EQ(run.completion_events, 2u);
  ASSERT_EQ(run.perf.phases.size(), 2u);
  EXPECT_EQ(run.perf.phases[0].name, "switch pass");
  EXPECT_DOUBLE_EQ(run.perf.phases[0].wall_s, 1.25);
}

// Files of the first versions lack some sums: they are shown as unknown, not as 0.
TEST(RoundTrip, SumsThatTheFileDoesNotHave) {
  const std::string path = write_run(fresh_folder() + "/run.h5");
  EXPECT_NE(describe_run(path).find("order: 5 data packets came ahead of a missing one, by 3 at most; 2 duplicates"),
            std::string::npos);
  {
    const h5::Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT));
    for (const char* name : {"data_packets_out_of_order", "data_packets_duplicate", "largest_reordering_packets",
                             "flowlets", "flowlet_collisions", "path_changes"})
      ASSERT_GE(H5Adelete(file.get(), name), 0);
  }
  const RunSummary run = read_summary(path);
  EXPECT_EQ(run.unknown_totals.size(), 6u);
  EXPECT_EQ(run.totals.packet_hops, 1234u);
  EXPECT_EQ(describe_run(path).find("order:"), std::string::npos);
  EXPECT_EQ(describe_run(path).find("flowlets:"), std::string::npos);
  EXPECT_NE(describe_run_json(path).find("\"largest_reordering_packets\":null"), std::string::npos);
}

TEST(RoundTrip, MessagesAndCollectives) {
  const RunSummary run = read_summary(write_run(fresh_folder() + "/run.h5"));
  EXPECT_EQ(run.messages.finished, 2u);
  ASSERT_TRUE(run.summaries);
  EXPECT_EQ(run.summaries->messages.posted, 2u);
  EXPECT_EQ(run.summaries->messages.find(50)->completion_ps, 7'000'000);
  EXPECT_EQ(run.summaries->messages.find(100)->completion_ps, 8'000'000);
  EXPECT_FALSE(run.summaries->messages.find(100)->completion_at_least);
  EXPECT_EQ(run.messages.sums.at("retransmitted_packets"), 4u);
  EXPECT_GT(run.summaries->messages.find(50)->times_the_ideal, 1);
  ASSERT_EQ(run.collectives.size(), 1u);
  const CollectiveRow& c = run.collectives[0];
  EXPECT_EQ(c.kind, "all_reduce");
  EXPECT_EQ(c.algorithm, "ring");
  EXPECT_EQ(c.ranks, 4u);
  EXPECT_EQ(c.finish_ps - c.start_ps, 10'000'000);
  EXPECT_DOUBLE_EQ(c.algbw_GBps, 104.8576);
  EXPECT_DOUBLE_EQ(c.busbw_GBps, 104.8576 * 1.5);
  ASSERT_EQ(run.summaries->collectives.size(), 1u);
  const CollectiveMean& mean = run.summaries->collectives[0];
  EXPECT_EQ(mean.number, 1u);
  EXPECT_EQ(mean.finished, 1u);
  EXPECT_FALSE(mean.driven);
  EXPECT_DOUBLE_EQ(mean.time_ps, 10'000'000);
  EXPECT_DOUBLE_EQ(mean.busbw_GBps, c.busbw_GBps);
  EXPECT_DOUBLE_EQ(mean.transfer_busbw_GBps, *c.transfer_busbw_GBps);
}

TEST(RoundTrip, Columns) {
  const InputFile file(write_run(fresh_folder() + "/run.h5"));
  EXPECT_EQ(file.signed_numbers("/message/acked_ps"), (std::vector<i64>{9'000'000, 11'000'000}));
  EXPECT_EQ(file.numbers("/message/cnps"), (std::vector<u64>{2, 6}));
  EXPECT_EQ(file.numbers("/message/received_bytes"), (std::vector<u64>{4096, 10'000}));
  EXPECT_EQ(file.number_attribute("/", "received_bytes"), 14'096u);
  EXPECT_DOUBLE_EQ(file.real_attribute("/", "goodput_bits_per_s"), 14'096 * 8e12 / (11'000'000 - 2'000'000));
  EXPECT_EQ(file.texts("/topology/node/name"), (std::vector<std::string>{"gpu0", "gpu1", "gpu2", "gpu3", "rtsw0"}));
  EXPECT_EQ(file.numbers("/topology/link/bits_per_s"), std::vector<u64>(8, 400'000'000'000));
  EXPECT_EQ(file.numbers("/event/pfc/kind"), (std::vector<u64>{2, 3}));
  EXPECT_EQ(file.meanings("/event/pfc/kind").at(2), "pause");
  EXPECT_EQ(file.numbers("/event/drop/packet"), std::vector<u64>{0xabcdef});
  EXPECT_EQ(file.meanings("/event/drop/cause").at(file.numbers("/event/drop/cause")[0]), "headroom_overrun");
  EXPECT_EQ(file.signed_numbers("/event/completion/rank"), (std::vector<i64>{-1, 3}));
  EXPECT_EQ(file.text_attribute("/message/bytes", "units"), "B");
  EXPECT_EQ(file.text_attribute("/message/ideal_ps", "long_name").substr(0, 6), "posted");
}

TEST(RoundTrip, Links) {
  const std::string path = write_run(fresh_folder() + "/run.h5");
  const InputFile file(path);
  EXPECT_EQ(file.numbers("/link/packets"), (std::vector<u64>{100, 101, 102, 103, 104, 105, 106, 107}));
  EXPECT_EQ(file.numbers("/link/pauses"), (std::vector<u64>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(file.numbers("/link/egress_drops"), (std::vector<u64>{0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(file.numbers("/link/ingress_drops"), (std::vector<u64>{0, 1, 2, 0, 1, 2, 0, 1}));
  EXPECT_EQ(file.signed_numbers("/link/peak_queue_ps"), (std::vector<i64>{-1, -1, -1, -1, 4000, 5000, 6000, 7000}));
  const LinkSummary links = read_summary(path).link_summary;
  ASSERT_EQ(links.kinds.size(), 2u);
  EXPECT_EQ(links.kinds[1].name, "rtsw>endpoint");
  EXPECT_EQ(links.kinds[1].sum.peak_queue_bytes, 7000u);
  EXPECT_EQ(links.busiest.front().name, "rtsw0 port 3 -> gpu3");
}

TEST(RoundTrip, SeriesPerTierAndLink) {
  const InputFile file(write_run(fresh_folder() + "/run.h5", true));
  EXPECT_EQ(file.texts("/series/tier/tier"), (std::vector<std::string>{"endpoint>rtsw", "rtsw>endpoint"}));
  EXPECT_EQ(file.rows("/series/tier/time_ps"), 150u);
  const std::vector<u64> tier = file.numbers("/series/tier/sent_bytes"), link = file.numbers("/series/link/sent_bytes");
  ASSERT_EQ(tier.size(), 300u);
  ASSERT_EQ(link.size(), 1200u);
  EXPECT_EQ(link[149 * 8 + 5], 150'005u);
  EXPECT_EQ(tier[149 * 2], 4 * 150'000u + 0 + 1 + 2 + 3);
  EXPECT_EQ(tier[149 * 2 + 1], 4 * 150'000u + 4 + 5 + 6 + 7);
}

TEST(RoundTrip, Histograms) {
  const InputFile file(write_run(fresh_folder() + "/run.h5"));
  u64 depths = 0, completions = 0;
  for (const u64 count : file.numbers("/histogram/queue_depth/count")) depths += count;
  for (const u64 count : file.numbers("/histogram/message_completion/count")) completions += count;
  EXPECT_EQ(depths, 150u * 8);
  EXPECT_EQ(completions, 2u);
  EXPECT_EQ(file.texts("/histogram/queue_depth/tier")[1], "rtsw>endpoint");
}

TEST(RoundTrip, IdleStretchesKeepTheirEndsOnly) {
  const World world = small_world();
  const std::string path = fresh_folder() + "/run.h5";
  ResultSettings settings = small_settings();
  settings.link_series = true;
  ResultWriter writer(path, world, settings);
  for (u64 t = 1; t <= 1000; ++t) {  // changes at 1, 500 and 501
    const u64 state = t < 500 ? 1 : t == 500 ? 2 : 3;
    writer.append_series(static_cast<TimePs>(t), small_counters(world, state));
  }
  writer.finish(small_outcome(), {});
  const InputFile file(path);
  EXPECT_EQ(file.signed_numbers("/series/tier/time_ps"), (std::vector<i64>{1, 499, 500, 501, 1000}));
  EXPECT_EQ(file.signed_numbers("/series/link/time_ps"), (std::vector<i64>{1, 499, 500, 501, 1000}));
  const std::vector<u64> sent = file.numbers("/series/link/sent_bytes");
  ASSERT_EQ(sent.size(), 5u * 8);
  EXPECT_EQ(sent[0], sent[8]);
  EXPECT_LT(sent[8], sent[16]);
  EXPECT_EQ(sent[24], sent[32]);
  u64 depths = 0;
  for (const u64 count : file.numbers("/histogram/queue_depth/count")) depths += count;
  EXPECT_EQ(depths, 1000u * 8) << "every instant counts, written or not";
}

/// Instants at 10, 20, ... up to `last`; counters change up to the instant `change`, and at the end once more if it
/// lies beyond.
std::pair<std::vector<i64>, u64> rows_and_depths(TimePs last, TimePs change, TimePs end_ps) {
  const World world = small_world();
  const std::string path = fresh_folder() + "/run.h5";
  ResultWriter writer(path, world, small_settings());
  const auto counters = [&](TimePs t) { return small_counters(world, static_cast<u64>(std::min(t, change))); };
  TimePs t = 10;
  for (; t <= last; t += 10) writer.append_series(t, counters(t));
  writer.end_series(end_ps, t, counters(kNever));
  writer.finish(small_outcome(), {});
  const InputFile file(path);
  u64 depths = 0;
  for (const u64 count : file.numbers("/histogram/queue_depth/count")) depths += count;
  return {file.signed_numbers("/series/tier/time_ps"), depths / 8};
}

TEST(RoundTrip, ALookAfterTheEndChangesNothing) {
  const std::vector<i64> until_35 = {10, 20, 30, 35}, idle = {10, 20, 55}, stalled = {10, 20, 30, 40};
  for (const TimePs last : {30, 40, 50}) {
    EXPECT_EQ(rows_and_depths(last, 34, 35), std::pair(until_35, u64{4})) << "looked at until " << last;
    EXPECT_EQ(rows_and_depths(last, 34, 25), std::pair(stalled, u64{4})) << "looked at until " << last;
  }
  for (const TimePs last : {50, 60}) EXPECT_EQ(rows_and_depths(last, 20, 55), std::pair(idle, u64{6}));
  for (const TimePs last : {20, 30})
    EXPECT_EQ(rows_and_depths(last, 20, 20), std::pair(std::vector<i64>{10, 20}, u64{2}));
}

TEST(RoundTrip, PauseLengths) {
  const World world = small_world();
  const std::string path = fresh_folder() + "/run.h5";
  ResultWriter writer(path, world, small_settings());
  const auto event = [](TimePs t, EventKind kind, u16 port, u8 cls) { return Event{t, 0, 4, port, cls, kind, 0}; };
  writer.append_events(std::vector<Event>{event(100, EventKind::pause, 2, 1), event(150, EventKind::pause, 3, 1),
                                          event(600, EventKind::resume, 2, 1)});
  writer.append_events(std::vector<Event>{event(700, EventKind::pause, 2, 1), event(1150, EventKind::resume, 3, 1),
                                          event(1200, EventKind::resume, 2, 1), event(1300, EventKind::pause, 0, 1)});
  writer.finish(small_outcome(), {});
  const InputFile file(path);
  const std::vector<u64> count = file.numbers("/histogram/pause_length/count");
  ASSERT_EQ(count.size(), 2u * LogBins::kBins) << "[endpoint>rtsw, rtsw>endpoint][bin]";
  EXPECT_EQ(count[LogBins::bin_of(500)], 2u) << "NICs were paused";
  EXPECT_EQ(count[LogBins::bin_of(1000)], 1u);
  EXPECT_EQ(std::accumulate(count.begin(), count.end(), u64{0}), 3u);
  EXPECT_EQ(file.number_attribute("/histogram/pause_length", "unfinished"), 1u);
  EXPECT_EQ(file.text_attribute("/histogram/pause_length", "lacks"), "");
}

TEST(RoundTrip, PauseLengthsSayWhatTheyLack) {
  const World world = small_world();
  const std::string path = fresh_folder() + "/run.h5";
  ResultSettings settings = small_settings();
  settings.pfc_events = false;
  ResultWriter(path, world, settings).finish(small_outcome(), {});
  const std::string lacks = InputFile(path).text_attribute("/histogram/pause_length", "lacks");
  EXPECT_NE(lacks.find("output.pfc_events = false"), std::string::npos) << lacks;
}

TEST(RoundTrip, WaitsForCtss) {
  const World world = small_world();
  const std::string path = fresh_folder() + "/run.h5";
  ResultSettings settings = small_settings();
  settings.cts_waits = true;
  ResultWriter writer(path, world, settings);
  const auto wait = [](TimePs t, u64 waited_ps) { return Event{t, waited_ps, 0, 0, 0, EventKind::cts_wait, 0}; };
  writer.append_events(std::vector<Event>{wait(100, 0), wait(200, 0), wait(300, 5'000'000)});
  writer.finish(small_outcome(), {});
  const std::vector<u64> count = InputFile(path).numbers("/histogram/cts_wait/count");
  ASSERT_EQ(count.size(), u64{LogBins::kBins});
  EXPECT_EQ(count[0], 2u);
  EXPECT_EQ(count[LogBins::bin_of(5'000'000)], 1u);
  EXPECT_EQ(std::accumulate(count.begin(), count.end(), u64{0}), 3u);
  const std::string without = fresh_folder() + "/run.h5";
  ResultWriter(without, world, small_settings()).finish(small_outcome(), {});
  EXPECT_THROW(InputFile(without).numbers("/histogram/cts_wait/count"), InputError) << "nobody asked for it";
}

TEST(RoundTrip, TimesOfGpus) {
  const World world = small_world();
  const std::string path = fresh_folder() + "/run.h5";
  ResultSettings settings = small_settings();
  settings.gpu_time = true;
  ResultWriter writer(path, world, settings);
  const auto over = [](TimePs t, u64 took_ps, u8 group, u32 operation) {
    return Event{t, took_ps, 2, 0, group, EventKind::gpu_time, operation};
  };
  writer.append_events(
      std::vector<Event>{over(500, 500, kNoGroup, 7), over(800, 300, static_cast<u8>(Group::data), 9)});
  writer.finish(small_outcome(), {});
  const InputFile file(path);
  EXPECT_EQ(file.numbers("/event/gpu_time/time_ps"), (std::vector<u64>{500, 800}));
  EXPECT_EQ(file.numbers("/event/gpu_time/took_ps"), (std::vector<u64>{500, 300}));
  EXPECT_EQ(file.numbers("/event/gpu_time/node"), (std::vector<u64>{2, 2}));
  EXPECT_EQ(file.numbers("/event/gpu_time/operation"), (std::vector<u64>{7, 9}));
  const std::vector<u64> activity = file.numbers("/event/gpu_time/activity");
  const auto names = file.meanings("/event/gpu_time/activity");
  EXPECT_EQ(names.at(activity[0]), "compute");
  EXPECT_EQ(names.at(activity[1]), "wait_data");
  const std::string without = fresh_folder() + "/run.h5";
  ResultWriter silent(without, world, small_settings());
  silent.append_events(std::vector<Event>{over(500, 500, kNoGroup, 7)});
  silent.finish(small_outcome(), {});
  EXPECT_THROW(InputFile(without).numbers("/event/gpu_time/time_ps"), InputError) << "nobody asked for it";
}

TEST(RoundTrip, Checkpoints) {
  const World world = small_world();
  const std::string path = fresh_folder() + "/run.h5";
  Perf perf;
  perf.checkpoints = {{1'000, 0.5}, {2'000, 0.25}};
  ResultWriter(path, world, small_settings()).finish(small_outcome(), perf);
  EXPECT_EQ(InputFile(path).numbers("/perf/checkpoint/time_ps"), (std::vector<u64>{1'000, 2'000}));
  EXPECT_EQ(InputFile(path).reals("/perf/checkpoint/wall_s"), (std::vector<double>{0.5, 0.25}));
}

TEST(RoundTrip, BudgetStopsRowsButNotTheEnd) {
  const World world = small_world();
  const std::string path = fresh_folder() + "/run.h5";
  ResultSettings settings = small_settings();
  settings.max_bytes = 1'000'000;
  ResultWriter writer(path, world, settings);
  u64 x = 1, t = 0;
  while (!writer.full() && t < 10'000'000) {  // numbers that do not compress
    std::vector<LinkCounters> counters = small_counters(world, 1);
    for (LinkCounters& c : counters) c.sent_bytes = x = x * 6364136223846793005u + 1442695040888963407u;
    writer.append_series(static_cast<TimePs>(++t), counters);
  }
  EXPECT_TRUE(writer.full());
  for (int i = 0; i < 100'000; ++i) writer.append_events(small_events());
  writer.finish(small_outcome(), {}, "output_full");
  EXPECT_LE(std::filesystem::file_size(path), 1'000'000u);
  const RunSummary run = read_summary(path);
  EXPECT_EQ(run.status, "output_full");
  EXPECT_EQ(run.messages.finished, 2u);
  EXPECT_GE(run.series_rows + 1, t);
  EXPECT_EQ(run.pfc_events, 0u) << "rows that come after it are not written";
}

TEST(RoundTrip, StatusCanBeGiven) {
  const World world = small_world();
  const std::string path = fresh_folder() + "/run.h5";
  ResultWriter writer(path, world, small_settings());
  Outcome outcome = small_outcome();
  outcome.reason = EndReason::horizon;
  outcome.explanation = "stopped by SIGTERM";
  writer.finish(outcome, {}, "interrupted");
  const RunSummary run = read_summary(path);
  EXPECT_EQ(run.status, "interrupted");
  EXPECT_EQ(run.explanation, "stopped by SIGTERM");
}

TEST(RoundTrip, EqualRunsGiveEqualBytes) {
  const std::string folder = fresh_folder();
  const auto bytes = [](const std::string& path) {
    std::string text(std::filesystem::file_size(path), '\0');
    std::FILE* file = std::fopen(path.c_str(), "rb");
    EXPECT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
    std::fclose(file);
    return text;
  };
  EXPECT_EQ(bytes(write_run(folder + "/a.h5")), bytes(write_run(folder + "/b.h5")));
}

TEST(RoundTrip, WithoutFinishTheFileIsPartial) {
  const World world = small_world();
  const std::string path = fresh_folder() + "/run.h5";
  {
    ResultWriter writer(path, world, small_settings());
    for (u64 i = 1; i <= 65; ++i) writer.append_series(static_cast<TimePs>(i), small_counters(world, i));
    // Also while the writer still has the file open; the latest instant is no row yet.
    EXPECT_EQ(read_summary(writer.part_path()).series_rows, 64u);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  const RunSummary run = read_summary(path + ".part");
  EXPECT_TRUE(run.partial());
  EXPECT_EQ(run.series_rows, 65u);
  EXPECT_EQ(run.links, 8u);
  EXPECT_TRUE(run.link_summary.empty());
}

}  // namespace
}  // namespace heddle::test
