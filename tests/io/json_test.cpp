// `heddle info --json`, `heddle compare --json` and `--csv`.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "io/error.hpp"
#include "io/results/describe_json.hpp"
#include "io/results/parameters.hpp"
#include "tests/io/small_world.hpp"

namespace heddle::test {
namespace {

using Json = nlohmann::ordered_json;

std::string write_run(const std::string& path, const ResultSettings& settings, TimePs later_ps = 0) {
  const World world = small_world();
  ResultWriter writer(path, world, settings);
  writer.append_series(10'000'000, small_counters(world, 1));
  Outcome outcome = small_outcome();
  outcome.digest += static_cast<u64>(later_ps);
  outcome.collectives[0].last_finish_ps += later_ps;
  writer.finish(outcome, {.wall_s = 2, .packet_hops = 1234, .memory_bytes = 4096, .phases = {{"advance", 1.5}}});
  return path;
}

TEST(Json, HoldsWhatInfoSays) {
  const std::string path = write_run(fresh_folder() + "/a.h5", small_settings());
  const std::string line = describe_run_json(path);
  EXPECT_EQ(line.find('\n'), line.size() - 1) << "one line";
  const Json run = Json::parse(line);
  EXPECT_EQ(run["file"], path);
  EXPECT_EQ(run["status"], "complete");
  EXPECT_EQ(run["explanation"], nullptr);
  EXPECT_EQ(run["end_ps"], 30'000'000);
  EXPECT_EQ(run["digest"], "0123456789abcdef");
  EXPECT_EQ(run["fabric"], (Json{{"endpoints", 4}, {"switches", 1}, {"directed_links", 8}}));
  EXPECT_EQ(run["perf"]["packet_hops_per_s"], 617);
  EXPECT_EQ(run["perf"]["phases_wall_s"]["advance"], 1.5);
  EXPECT_EQ(run["messages"]["completion_ps"]["p50"], 7'000'000);
  EXPECT_EQ(run["messages"]["completion_ps"]["max"], 8'000'000);
  EXPECT_EQ(run["collectives"][0]["kind"], "all_reduce");
  EXPECT_EQ(run["collectives"][0]["time_ps"], 10'000'000);
  EXPECT_NEAR(run["collectives"][0]["busbw_GBps"].get<double>(), 157.2864, 1e-9);
  EXPECT_EQ(run["collectives"][0]["rank_spread_ps"], 2'000'000);
  EXPECT_EQ(run["tiers"][0]["tier"], "endpoint>rtsw");
  const double sent_bytes = run["tiers"][0]["sent_bytes"].get<double>();
  EXPECT_NEAR(run["tiers"][0]["mean_utilisation"].get<double>(), sent_bytes / (4 * 50e9 * 10e-6), 1e-12);
  EXPECT_EQ(run["totals"]["drops_headroom_overrun"], 3);
  EXPECT_EQ(run["configuration_errors"].size(), 1u);
  EXPECT_EQ(run["events"]["pfc"], 0);
  u64 packets = 0, packets_of_kinds = 0;
  for (const LinkOutcome& link : small_outcome().links) packets += link.packets;
  for (const Json& kind : run["links"]["kinds"]) packets_of_kinds += kind["packets"].get<u64>();
  EXPECT_EQ(packets_of_kinds, packets);
  ASSERT_FALSE(run["links"]["busiest"].empty());
  EXPECT_NE(run["links"]["busiest"][0]["link"].get<std::string>().find(" -> "), std::string::npos);
}

TEST(Json, APartialRunHasNoEnd) {
  const std::string path = fresh_folder() + "/a.h5";
  const World world = small_world();
  { ResultWriter writer(path, world, small_settings()); }
  const Json run = Json::parse(describe_run_json(path + ".part"));
  EXPECT_EQ(run["status"], "partial");
  for (const char* key : {"end_ps", "digest", "totals", "links", "messages", "collectives", "perf"})
    EXPECT_EQ(run.at(key), nullptr) << key;
}

TEST(Json, TextThatIsNotUtf8IsReplaced) {
  ResultSettings settings = small_settings();
  settings.provenance.command_line = "heddle run \xff.toml \"quoted\"";
  const Json run = Json::parse(describe_run_json(write_run(fresh_folder() + "/a.h5", settings)));
  EXPECT_EQ(run["run"]["command_line"], "heddle run \xef\xbf\xbd.toml \"quoted\"");
}

/// Two runs that differ in a rate and a word.
std::vector<std::string> two_runs(const std::string& folder) {
  ResultSettings settings = small_settings();
  const std::string a = write_run(folder + "/a,1.h5", settings);
  settings.provenance.parameters = {{"topology.kind", 0, "hpcc", std::nan(""), ""},
                                    {"link.rate", 0, "200 Gb/s", 2e11, "bit/s"}};
  return {a, write_run(folder + "/b.h5", settings, 5'000'000)};
}

TEST(Json, ComparesRuns) {
  const std::vector<std::string> paths = two_runs(fresh_folder());
  const Json all = Json::parse(compare_runs_json(paths));
  EXPECT_EQ(all["runs"].size(), 2u);
  EXPECT_EQ(all["runs"][1], Json::parse(describe_run_json(paths[1])));
  const Json& rate = all["configuration"]["link.rate"];
  EXPECT_EQ(rate["text"], (Json{"400 Gb/s", "200 Gb/s"}));
  EXPECT_EQ(rate["number"], (Json{400'000'000'000, 200'000'000'000}));
  EXPECT_EQ(rate["unit"], "bit/s");
  EXPECT_EQ(all["configuration"]["topology.kind"]["number"], (Json{nullptr, nullptr}));
  EXPECT_EQ(all["digest_is_the_first"], (Json{true, false}));
  EXPECT_EQ(all["ratio_to_the_first"]["job0.all_reduce.4ranks.1048576B.time_ps"], (Json{1.0, 1.5}));
}

TEST(Json, CsvHasOneRowPerRun) {
  const std::string folder = fresh_folder();
  const std::string csv = compare_runs_csv(two_runs(folder));
  const std::string head = csv.substr(0, csv.find('\n'));
  EXPECT_EQ(head.substr(0, head.find(",status")), "file,link.rate,link.rate (bit/s),topology.kind");
  expect_contains(head, ",job0.all_reduce.4ranks.1048576B.busbw_GBps,");
  expect_contains(csv, "\n\"" + folder + "/a,1.h5\",400 Gb/s,400000000000,star,complete,30000000,2,2,7000000,");
  expect_contains(csv, "\n" + folder + "/b.h5,200 Gb/s,200000000000,hpcc,complete,");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
}

/// What the text and the JSON say, too.
TEST(Json, CsvHasGoodputAndTheLinksThatStandOut) {
  const std::string path = write_run(fresh_folder() + "/a.h5", small_settings());
  const RunSummary run = read_summary(path);
  const Json row = row_of(run), all = json_of(run);
  EXPECT_EQ(row.at("received_bytes"), 14'096);
  EXPECT_EQ(row.at("goodput_bits_per_s"), all["messages"]["goodput_bits_per_s"]);
  EXPECT_EQ(row.at("busiest_link"), all["links"]["busiest"][0]["link"]);
  EXPECT_EQ(row.at("busiest_link_use"), all["links"]["busiest"][0]["use"]);
  EXPECT_EQ(row.at("longest_paused_link"), all["links"]["longest_paused"][0]["link"]);
  EXPECT_EQ(row.at("longest_paused_ps"), all["links"]["longest_paused"][0]["paused_ps"]);
  EXPECT_EQ(row.at("largest_queue_link"), all["links"]["longest_queues"][0]["link"]);
  EXPECT_EQ(row.at("largest_queue_bytes"), 7000);
  EXPECT_EQ(row.at("rtsw>endpoint.largest_queue_bytes"), 7000);
  expect_contains(compare_runs_csv(std::array{path, path}), ",largest_queue_link,largest_queue_bytes,");
}

TEST(Json, CsvLeavesOutWhatARowLacks) {
  const std::vector<Json> rows = {{{"a", 1}, {"b", "x \"y\""}}, {{"b", nullptr}, {"c", 2.5}}};
  EXPECT_EQ(csv_of(rows), "a,b,c\n1,\"x \"\"y\"\"\",\n,,2.5\n");
}

TEST(Json, OneRunAloneIsNoComparison) {
  const std::string path = write_run(fresh_folder() + "/a.h5", small_settings());
  expect_contains(message_of<InputError>([&] { compare_runs_csv(std::array{path}); }), "at least two");
  expect_contains(message_of<InputError>([&] { compare_runs_json(std::array{path}); }), "at least two");
}

TEST(Json, ParametersAreReadBack) {
  const std::vector<ConfigValue> values = read_parameters(write_run(fresh_folder() + "/a.h5", small_settings()));
  ASSERT_EQ(values.size(), 2u);
  EXPECT_EQ(values[0].text, "star");
  EXPECT_TRUE(std::isnan(values[0].number));
  EXPECT_EQ(values[1].key, "link.rate");
  EXPECT_EQ(values[1].number, 4e11);
  EXPECT_EQ(values[1].unit, "bit/s");
}

}  // namespace
}  // namespace heddle::test
