// The texts of `heddle info` and `heddle compare`.
#include <gtest/gtest.h>

#include "io/error.hpp"
#include "io/results/config_diff.hpp"
#include "io/results/reader.hpp"
#include "io/results/report.hpp"
#include "io/results/text_table.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

std::string write_run(const std::string& path, const std::string& toml, TimePs later_ps, u64 digest,
                      u64 process_runs = 1) {
  const World world = small_world();
  ResultSettings settings = small_settings();
  settings.provenance.inputs.config_toml = toml;
  ResultWriter writer(path, world, settings);
  writer.append_series(10'000'000, small_counters(world, 1));
  Outcome outcome = small_outcome();
  outcome.digest = digest;
  outcome.collectives[0].last_finish_ps += later_ps;
  outcome.messages[0].acked_ps += later_ps;
  writer.finish(outcome,
                {.wall_s = 1.5, .packet_hops = 1234, .memory_bytes = 4096, .phases = {}, .process_runs = process_runs});
  return path;
}

TEST(Report, DescribesARun) {
  const std::string text = describe_run(write_run(fresh_folder() + "/a.h5", "seed = 1\n", 0, 5));
  expect_contains(text, "complete at 30 us");
  expect_contains(text, "4 endpoints, 1 switches, 8 directed links");
  expect_contains(text, "messages: 2 of 2 finished");
  expect_contains(text, "all_reduce");
  expect_contains(text, "157.286");
  expect_contains(text, "3 headroom overrun");
  expect_contains(text, "endpoint>rtsw");
  expect_contains(text, "received 14.1 KB; goodput 12.5298 Gb/s in all, from the first posting to the last completion");
  expect_contains(text, "rtsw0 port 3 -> gpu3");
  expect_contains(text, "percentiles (nearest rank)");
  EXPECT_EQ(text.find("resumed"), std::string::npos) << text;
}

TEST(Report, SaysThatARunWasResumed) {
  const std::string folder = fresh_folder();
  expect_contains(describe_run(write_run(folder + "/a.h5", "seed = 1\n", 0, 5, 2)), "2: resumed 1 time from");
  expect_contains(describe_run(write_run(folder + "/b.h5", "seed = 1\n", 0, 5, 4)), "4: resumed 3 times from");
}

TEST(Report, DescribesAPartialRun) {
  const std::string path = fresh_folder() + "/a.h5";
  const World world = small_world();
  { ResultWriter writer(path, world, small_settings()); }
  expect_contains(describe_run(path + ".part"), "partial: killed, or still running");
}

TEST(Report, ComparesRuns) {
  const std::string folder = fresh_folder();
  const std::vector<std::string> paths = {
      write_run(folder + "/a.h5", "[dcqcn]\nenabled = false\n[simulation]\nseed = 1\n", 0, 5),
      write_run(folder + "/b.h5", "[dcqcn]\nenabled = true\ng = 4\n[simulation]\nseed = 1\n", 5'000'000, 6)};
  const std::string text = compare_runs(paths);
  expect_contains(text, "dcqcn.enabled");
  expect_contains(text, "dcqcn.g");
  EXPECT_EQ(text.find("simulation.seed"), std::string::npos);
  expect_contains(text, "15 us (1.500x)");
  expect_contains(text, "completion p50");
  expect_contains(text, "0000000000000006");
  expect_contains(text, "drops_headroom_overrun");
  expect_contains(text, "goodput");
  expect_contains(text, "largest queue, rtsw>endpoint links");
}

TEST(Report, APauseThatNoSeriesHasIsNotComparedAsNone) {
  const std::string folder = fresh_folder(), with = folder + "/a.h5", without = folder + "/b.h5";
  const World world = small_world();
  std::vector<LinkCounters> counters = small_counters(world, 1);
  for (LinkCounters& link : counters) link.paused_ps = 1'000'000;
  ResultWriter writer(with, world, small_settings()), other(without, world, small_settings());
  writer.append_series(10'000'000, counters);
  writer.finish(small_outcome(), {});
  other.finish(small_outcome(), {});
  const std::string text = compare_runs(std::vector<std::string>{with, without});
  expect_contains(text, "paused, endpoint>rtsw links");
  EXPECT_EQ(text.find("  0 ps"), std::string::npos) << text;
}

/// Events of ranks 1 to 3 of the small world's all-reduce, which ends with ranks 3 and 2.
TEST(Report, NamesTheSlowestRank) {
  const std::string path = fresh_folder() + "/a.h5";
  const World world = small_world();
  const Outcome outcome = small_outcome();
  const TimePs end_ps = outcome.collectives[0].last_finish_ps;
  const auto finished = [](TimePs t, u32 rank) { return Event{t, rank, rank, 0, 0, EventKind::rank_finished, 0}; };
  ResultWriter writer(path, world, small_settings());
  writer.append_events(std::vector<Event>{finished(end_ps - 5, 1), finished(end_ps, 3), finished(end_ps, 2)});
  writer.finish(outcome, {});
  const CollectiveRow row = read_summary(path).collectives.at(0);
  EXPECT_EQ(row.slowest_rank, 2);
  EXPECT_EQ(row.slowest_gpu, "gpu2");
  expect_contains(describe_run(path), "2 (gpu2)");
}

TEST(Report, APathIsOneLine) {
  const std::string path = write_run(fresh_folder() + "/a\nb.h5", "seed = 1\n", 0, 5);
  expect_contains(describe_run(path), "/a\\nb.h5\n");
  const std::string folder = path.substr(0, path.find("/a\n"));
  expect_contains(message_of<InputError>([&] { describe_run(folder + "/c\nd.h5"); }), "/c\\nd.h5': no such file");
}

TEST(Report, SameConfiguration) {
  const std::string folder = fresh_folder();
  const std::vector<std::string> paths = {write_run(folder + "/a.h5", "seed = 1\n", 0, 5),
                                          write_run(folder + "/b.h5", "seed = 1\n", 0, 5)};
  expect_contains(compare_runs(paths), "configuration: the same");
  expect_contains(message_of<InputError>([&] { compare_runs(std::span(paths).first(1)); }), "at least two");
}

TEST(Report, FlattensToml) {
  const auto flat = flatten_toml("a = [1, 2]\n[[job]]\nname = \"x\"\n[[job.collective]]\nkind = \"y\"\n", "test");
  EXPECT_EQ(flat.at("a"), "[1, 2]");
  EXPECT_EQ(flat.at("job[0].name"), "'x'");
  EXPECT_EQ(flat.at("job[0].collective[0].kind"), "'y'");
  expect_contains(message_of<InputError>([] { flatten_toml("a = ", "run.h5/config"); }), "run.h5/config:1:");
  const auto numbers = flatten_toml("a = 0.1\nb = 2.0\nc = [0.3, 1e30]\nd = 3\n", "test");
  EXPECT_EQ(numbers.at("a"), "0.1") << "the shortest that reads back the same";
  EXPECT_EQ(numbers.at("b"), "2.0");
  EXPECT_EQ(numbers.at("c"), "[0.3, 1e+30]");
  EXPECT_EQ(numbers.at("d"), "3");
}

/// `depth` keys in each other, once as one dotted key and once as inline tables inside lists.
std::vector<std::string> nested(int depth) {
  std::string dotted, tables, ends;
  for (int i = 0; i < depth; ++i) dotted += "a.", tables += "[{a = ", ends += "}]";
  return {"[" + dotted + "a]\nb = 1\n", "b = " + tables + "1" + ends + "\n"};
}

TEST(Report, RefusesKeysThatNoConfigurationHas) {
  for (const std::string& toml : nested(1'000'000))  // once a stack overflow
    expect_contains(message_of<InputError>([&] { flatten_toml("\n" + toml, "c"); }),
                    "c:2: a key of more than 32 parts");
  for (const std::string& toml : nested(10)) EXPECT_EQ(flatten_toml(toml, "c").size(), 1u);
  const std::string long_key(600, 'a');
  expect_contains(message_of<InputError>([&] { flatten_toml(long_key + " = 1", "c"); }), "c: a key of more than 512 B");
}

TEST(Report, DotsAndBracketsInTextsAndCommentsAreNoNesting) {
  const std::string many = std::string(40, '.') + std::string(40, '[');
  for (const std::string& text : {R"("\")" + many + R"(")", "'" + many + "'", "\"\"\"\n\"" + many + R"(""""")",
                                  "'''" + many + "\n''" + many + "'''", R"("" # )" + many})
    EXPECT_EQ(flatten_toml("a = " + text + "\nb = [0.1, 0.2]\n", "c").size(), 2u) << text;
  std::string numbers = "a = [0.5", deep = "{a";
  for (int i = 0; i < 100; ++i) numbers += ", 0.5", deep += ".a";
  EXPECT_EQ(flatten_toml(numbers + "]\n", "c").size(), 1u) << "a long list may be on one line";
  const std::string behind = R"(x = ["""a"""", )" + deep + " = 1}]\n";  // behind a text that ends with a quote
  expect_contains(message_of<InputError>([&] { flatten_toml(behind, "c"); }), "c:1: a key of more than 32 parts");
}

TEST(Report, LeavesOutConfigurationsOfVeryManyValues) {
  std::string toml = "a = [";
  for (int i = 0; i < kMaxShownValues; ++i) toml += "1,";
  const std::string folder = fresh_folder();
  const std::vector<std::string> paths = {write_run(folder + "/a.h5", "[output]\ntitle = \"x\"\n", 0, 5),
                                          write_run(folder + "/b.h5", toml + "]\n", 0, 5)};
  expect_contains(describe_run(paths[0]), "title");
  expect_contains(describe_run(paths[1]), "the configuration has more than 400000 values and is not read");
  expect_contains(compare_runs(paths), "configuration: not compared, as one has more than 400000 values");
}

TEST(Report, CutsWhatDiffersToWhatSomebodyReads) {
  std::string keys = "b = \"" + std::string(2'000, 'x') + "\"\n";
  for (int i = 0; i < 1'100; ++i) keys += "k" + std::to_string(i) + " = 1\n";
  const std::string folder = fresh_folder();
  const std::string text = compare_runs(
      std::vector<std::string>{write_run(folder + "/a.h5", "a = 1\n", 0, 5), write_run(folder + "/b.h5", keys, 0, 5)});
  expect_contains(text, "  and 102 more keys\n");
  expect_contains(text, std::string(900, 'x'));
  EXPECT_EQ(text.find(std::string(1'001, 'x')), std::string::npos);
}

TEST(Report, ComparesTheFirstOfVeryManyCollectives) {
  const std::string folder = fresh_folder();
  World world = small_world();
  Outcome outcome = small_outcome();
  world.collectives.collectives.resize(10'003, world.collectives.collectives[0]);
  outcome.collectives.resize(10'003, outcome.collectives[0]);
  const std::vector<std::string> paths = {folder + "/a.h5", folder + "/b.h5"};
  for (const std::string& path : paths) ResultWriter(path, world, small_settings()).finish(outcome, {});
  expect_contains(compare_runs(paths), "  and 3 more in /collective of A\n  and 3 more in /collective of B\n");
}

TEST(Report, HumanUnits) {
  EXPECT_EQ(human_time(-1), "-");
  EXPECT_EQ(human_time(999), "999 ps");
  EXPECT_EQ(human_time(8'337'920), "8.33792 us");
  EXPECT_EQ(human_bytes(1'500'000), "1.5 MB");
  EXPECT_EQ(human_bytes(1 << 20), "1.049 MB") << "as `heddle run` and `check` have it";
  EXPECT_EQ(size_text(1 << 20), "1 MiB");
  EXPECT_EQ(size_text(1'000'000), "1 MB");
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(human_rate(400'000'000'000), "400 Gb/s");
  EXPECT_EQ(human_rate(260'813'684'000'000), "260.814 Tb/s");
  EXPECT_EQ(human_rate(12'500), "12.5 kb/s");
  EXPECT_EQ(grouped(1'234'567), "1,234,567");
  EXPECT_EQ(grouped(123), "123");
}

}  // namespace
}  // namespace heddle::test
