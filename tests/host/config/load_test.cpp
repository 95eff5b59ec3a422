// Whole configurations: defaults, presets, resolved text that reads back, messages with places.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "host/base/error.hpp"
#include "host/config/config.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

std::string problem_of(const std::string& text, const std::vector<std::string>& sets = {}) {
  return test::message_of<ConfigError>([&] { load_config_text(text, "run.toml", sets); });
}

constexpr const char* kWhole = R"(
[simulation]
seed = 7
horizon = "2 ms"
[topology]
kind = "star"
hosts = 4
[link]
host_rate = "200 Gb/s"
[buffer.rtsw]
kind = "static"
bytes = "2 MB"
[class.lossless]
weight = 3
[dcqcn]
enabled = true
preset = "paper"
rate_ai = "80 Mb/s"
[[message]]
src = 0
dst = 1
bytes = "1 MB"
[[message]]
src = 2
dst = 1
bytes = 4096
post = "0.5 us"
[[job]]
gpus = 4
gpus_per_server = 1
[[job.collective]]
kind = "all_gather"
sizes = ["1 MiB", "2 MiB"]
[[job.collective]]
sizes = "8 MiB"
)";

TEST(ConfigLoad, ReadsEverySection) {
  const Config c = load_config_text(kWhole, "run.toml");
  EXPECT_EQ(c.simulation.seed, 7u);
  EXPECT_EQ(c.simulation.horizon_ps, 2'000'000'000);
  EXPECT_EQ(c.fabric.topology.hosts, 4u);
  EXPECT_EQ(c.fabric.rtsw_buffer.bytes, 2'000'000u);
  EXPECT_EQ(c.fabric.ctsw_buffer.bytes, 500'000'000u);
  EXPECT_EQ(c.classes[1].weight, 3u);
  EXPECT_TRUE(c.classes[1].pfc);
  ASSERT_EQ(c.messages.size(), 2u);
  EXPECT_EQ(c.messages[1].post_ps, 500'000);
  ASSERT_EQ(c.jobs.size(), 1u);
  ASSERT_EQ(c.jobs[0].collectives.size(), 2u);
  EXPECT_EQ(c.jobs[0].collectives[0].kind, "all_gather");
  EXPECT_EQ(c.jobs[0].collectives[1].sizes_bytes, std::vector<u64>{8u << 20});
}

const ControlSection<DcqcnSettings>& dcqcn_of(const Config& config) { return std::get<0>(config.congestion.sections); }

TEST(ConfigLoad, DcqcnPresetComesFirst) {
  const Config paper = load_config_text(kWhole, "run.toml");
  EXPECT_EQ(paper.congestion.control, "dcqcn");
  EXPECT_EQ(dcqcn_of(paper).settings.rate_ai_bps, 80'000'000u);
  EXPECT_EQ(dcqcn_of(paper).settings.cnp_gap_ps, 50'000'000);
  const Config hpcc = load_config_text(kWhole, "run.toml", std::vector<std::string>{"dcqcn.preset=hpcc"});
  EXPECT_EQ(dcqcn_of(hpcc).settings.rate_ai_bps, 80'000'000u) << "the file's own value stays";
  EXPECT_EQ(dcqcn_of(hpcc).settings.rate_hai_bps, 8 * 50'000'000u) << "per 25G of a 200G line";
  const Config plain = load_config_text("", "run.toml");
  EXPECT_EQ(plain.congestion.control, "none");
  EXPECT_EQ(dcqcn_of(plain).settings.rate_ai_bps, 5'000'000u);
}

TEST(ConfigLoad, ResolvedTextReadsBack) {
  const Config first = load_config_text(kWhole, "run.toml");
  const std::string text = resolved_text(first);
  const Config second = load_config_text(text, "resolved.toml");
  EXPECT_EQ(resolved_text(second), text);
  EXPECT_EQ(config_hash(second), config_hash(first));
  const Config other = load_config_text(text, "resolved.toml", std::vector<std::string>{"simulation.seed=8"});
  EXPECT_NE(config_hash(other), config_hash(first));
  const Config elsewhere = load_config_text(text, "resolved.toml", std::vector<std::string>{"output.file=b.h5"});
  EXPECT_EQ(config_hash(elsewhere), config_hash(first));
}

TEST(ConfigLoad, GoldenMessages) {
  const std::pair<const char*, std::string> cases[] = {
      {"[topolgy]\nkind = \"star\"\n",
       "run.toml:1:2: unknown key \"topolgy\" at the top level; did you mean \"topology\"?"},
      {"[topology]\nrack = 3\n", "run.toml:2:1: unknown key \"rack\" in topology; did you mean \"racks\"?"},
      {"topology = 4\n",
       "run.toml:1:12: \"topology\" is a section: write [topology] on a line of its own, its keys below"},
      {"[message]\nsrc = 1\n", "run.toml:1:1: message is a list of sections: write [[message]], once per element"},
      {"[[message]]\nsrc = 1\nbytes = 4\n", "run.toml:1:1: [[message]] needs the key \"dst\": receiving endpoint"},
      {"[[message]]\nsrc = 1\ndst = 2\nbytes = 0\n", "run.toml:4:9: message.0.bytes: 0 is out of range"},
      {"[[job]]\n[[job.collective]]\nkind = \"allreduce\"\nsizes = [1]\n",
       "run.toml:3:8: job.0.collective.0.kind: \"allreduce\" is not one of "
       "all_reduce|all_gather|reduce_scatter|broadcast|reduce|all_to_all|all_to_all_v|gather|scatter|send_recv|barrier|"
       "dispatch|combine;"
       " did you mean \"all_reduce\"?"},
      {"[link]\nhost_rate = \"0 Gb/s\"\n", "run.toml:2:13: link.host_rate: \"0 Gb/s\" is out of range; expected rate"},
      {"[ecn]\ntiers = [\"rtsw\", \"spine\"]\n", "run.toml:2:18: ecn.tiers: \"spine\" is not one of rtsw|ctsw|atsw"},
      {"[class.lossles]\npfc = true\n", "run.toml:1:8: unknown key \"lossles\" in class; did you mean \"lossless\"?"},
      {"[acceleration]\nmode = \"exact\"\n",
       "run.toml:1:2: unknown key \"acceleration\" at the top level; acceleration was removed, as it saved little "
       "time: leave the section out"},
      {"[simulation]\nhorizon = 5\n", "run.toml:2:11: simulation.horizon: 5 has no unit"},
      {"[buffer.rtsw]\nxoff = \"1 MB\"\n",
       "run.toml:2:8: buffer.rtsw.xoff: has no effect here, it belongs to kind=static"},
      {"[buffer.ctsw]\nalpha = 0.5\n",
       "run.toml:2:9: buffer.ctsw.alpha: has no effect here, it belongs to kind=shared"},
      {"[topology]\nkind = \"hpcc\"\nfile = \"t.txt\"\n[latency]\nrtsw_ingress = \"5 us\"\n",
       "run.toml:5:16: latency.rtsw_ingress: has no effect here, it belongs to " + kOfZones},
      {"[topology]\nkind = \"simai\"\nfile = \"t.txt\"\n[link]\nhost_rate = \"800 Gb/s\"\n",
       "run.toml:5:13: link.host_rate: has no effect here, it belongs to " + kBuilt},
      {"[pfc]\nresponse = \"5 us\"\n",
       "run.toml:2:12: pfc.response: has no effect here, it belongs to standard_response=false"},
      {"[[job]]\nroot = 5000\n[[job.collective]]\nsizes = [1]\n",
       "run.toml:2:8: job.0.root: has no effect here, it belongs to collective.kind=broadcast|reduce|gather|scatter"},
      {"[[job]]\np2p_slice = 16\n[[job.collective]]\nkind = \"all_gather\"\nsizes = [1]\n",
       "run.toml:2:13: job.0.p2p_slice: has no effect here, it belongs to "
       "collective.kind=all_to_all|all_to_all_v|gather|scatter"},
      {"[[job]]\nmin_slice = 0\n[[job.collective]]\nkind = \"all_to_all\"\nsizes = [1]\n",
       "run.toml:2:13: job.0.min_slice: has no effect here, it belongs to "
       "collective.kind=all_reduce|all_gather|reduce_scatter"},
      {"[routing]\nctsw = \"spray\"\n[routing.flowlet]\ngap = \"1 us\"\n",
       "run.toml:4:7: routing.flowlet.gap: has no effect here, it belongs to routing.policy=flowlet"},
      {"[routing.flowlet]\nentries = 0\n", "run.toml:2:11: routing.flowlet.entries: 0 is out of range"},
      {"[routing]\npolicy = \"spray\"\n[routing.spray]\nby = \"turns\"\n",
       "run.toml:4:6: routing.spray.by: \"turns\" is not one of hash|round_robin"},
      {"[checkpoint]\nevery = \"1 ps\"\n",
       "run.toml:2:9: checkpoint.every: \"1 ps\" of simulated time is less than simulation.epoch (524288 ps)"},
      {"[dcqcn]\npreset = \"mlx\"\n", "run.toml:2:10: dcqcn.preset: \"mlx\" is not one of connectx|hpcc|paper"},
  };
  for (const auto& [text, message] : cases) {
    const std::string got = problem_of(text);
    EXPECT_EQ(got.rfind(message, 0), 0u) << "got:      " << got << "\nexpected: " << message;
  }
}

/// The effective control of a configuration; checks that its resolved text has the same.
std::string control_of(const std::string& text, const std::vector<std::string>& sets = {}) {
  const Config config = load_config_text(text, "run.toml", sets);
  const Config again = load_config_text(resolved_text(config), "again.toml");
  EXPECT_EQ(again.congestion.control, config.congestion.control) << text;
  EXPECT_EQ(dcqcn_of(config).enabled, config.congestion.control == "dcqcn") << text;
  return config.congestion.control;
}

TEST(ConfigLoad, ACongestionControlIsNamedOrEnabled) {
  EXPECT_EQ(control_of(""), "none");
  EXPECT_EQ(control_of("[dcqcn]\nenabled = true\n"), "dcqcn");
  EXPECT_EQ(control_of("[dcqcn]\nenabled = false\n"), "none");
  EXPECT_EQ(control_of("[roce]\ncongestion_control = \"dcqcn\"\n"), "dcqcn");
  EXPECT_EQ(control_of("[roce]\ncongestion_control = \"dcqcn\"\n[dcqcn]\nenabled = true\n"), "dcqcn");
  EXPECT_EQ(control_of("[roce]\ncongestion_control = \"none\"\n[dcqcn]\nenabled = false\n"), "none");
}

TEST(ConfigLoad, StatementsOfOneSourceOnTheCongestionControlAgree) {
  const std::string on = "[roce]\ncongestion_control = \"dcqcn\"\n", off = "[roce]\ncongestion_control = \"none\"\n";
  EXPECT_EQ(problem_of(on + "[dcqcn]\nenabled = false\n"),
            "run.toml:4:11: dcqcn.enabled = false contradicts roce.congestion_control = \"dcqcn\" (run.toml:2:22): all "
            "NICs have the same congestion control; remove one of the two");
  EXPECT_NE(problem_of(off + "[dcqcn]\nenabled = true\n").find("dcqcn.enabled = true contradicts"), std::string::npos);
  EXPECT_NE(problem_of("", {"roce.congestion_control=none", "dcqcn.enabled=true"}).find("contradicts"),
            std::string::npos);
  EXPECT_NE(problem_of("[roce]\ncongestion_control = \"swift\"\n").find("\"swift\" is not one of none|dcqcn"),
            std::string::npos);
}

TEST(ConfigLoad, ArgumentsOverruleTheCongestionControlOfTheFile) {
  const std::string named = "[roce]\ncongestion_control = \"dcqcn\"\n", enabled = "[dcqcn]\nenabled = true\n";
  EXPECT_EQ(control_of(named, {"dcqcn.enabled=false"}), "none");
  EXPECT_EQ(control_of(enabled, {"roce.congestion_control=none"}), "none");
  EXPECT_EQ(control_of("[dcqcn]\nenabled = false\n", {"roce.congestion_control=dcqcn"}), "dcqcn");
  EXPECT_EQ(control_of(named + "[dcqcn]\nenabled = true\n", {"dcqcn.enabled=false"}), "none");
  EXPECT_EQ(control_of("[roce]\ncongestion_control = \"none\"\n", {"dcqcn.enabled=true"}), "dcqcn");
}

TEST(ConfigLoad, CheckpointsAreAnEpochApartOrMore) {
  const std::string text = "[checkpoint]\nevery = \"524288 ps\"\n";
  EXPECT_EQ(problem_of(text), "");
  EXPECT_EQ(problem_of(text, {"checkpoint.every=0"}), "") << "none";
  const std::string other = problem_of(text, {"simulation.epoch=1048576 ps"});
  EXPECT_NE(other.find("checkpoint.every: \"524288 ps\" of simulated time is less"), std::string::npos) << other;
  EXPECT_NE(problem_of("", {"checkpoint.every=524287 ps"}).find("checkpoint.every"), std::string::npos);
}

TEST(ConfigLoad, SettingsOfAHashFitEachOther) {
  const std::string text = "[routing.hash]\nfunction = \"crc16\"\n";
  EXPECT_EQ(problem_of(text + "offset = [0, 5, 15]\nfields = \"dst_ip\"\nbits = 16\n"), "");
  EXPECT_NE(problem_of(text + "offset = [0, 5, 16]\n").find("run.toml:3:10: routing.hash.offset: crc16 gives 16 bits"),
            std::string::npos);
  EXPECT_NE(problem_of(text + "fold = true\nbits = 9\n").find("crc16 with fold gives 8 bits"), std::string::npos);
  EXPECT_NE(problem_of(text + "offset = [0, 5]\n").find("2 are given"), std::string::npos);
  EXPECT_NE(problem_of("[routing.hash]\nfunction = []\n").find("0 are given"), std::string::npos);
  EXPECT_NE(problem_of("[routing.hash]\nfields = []\n").find("all flows of a switch would take one link"),
            std::string::npos);
  EXPECT_NE(problem_of("[routing.hash]\noffset = 3\n").find("has no effect here"), std::string::npos);
  EXPECT_NE(problem_of("[routing.hash]\nfunction = \"md5\"\n").find("md5"), std::string::npos);
}

TEST(ConfigLoad, ATierHasOneHash) {
  const std::string leaves = "[topology]\nkind = \"two_tier\"\n", crc = "hash_function = \"crc16\"\n";
  const std::string list = "[routing.hash]\nfunction = [\"crc16\", \"crc32\", \"ideal\"]\n";
  EXPECT_EQ(problem_of(leaves + "[routing.hash]\nfold = true\n[tier.leaf]\n" + crc + "hash_offset = 7\n"), "");
  EXPECT_EQ(problem_of(leaves + list + "[tier.leaf]\nhash_function = \"same\"\nhash_offset = 15\n"), "");
  EXPECT_EQ(problem_of(list + "[tier.leaf]\n" + crc), "") << "no tier of a zone; `heddle check` warns of it";
  EXPECT_EQ(
      problem_of(leaves + list + "[tier.leaf]\n" + crc),
      "run.toml:6:17: tier.leaf.hash_function: routing.hash.function is a list with a value for each tier, so this "
      "one would have two; remove this key, or give routing.hash.function one value, for all tiers without their "
      "own");
  EXPECT_NE(problem_of(leaves + list + "offset = [0, 5, 10]\n[tier.spine]\nhash_offset = 3\n")
                .find("run.toml:7:15: tier.spine.hash_offset: routing.hash.offset is a list"),
            std::string::npos);
  EXPECT_EQ(problem_of(leaves + "[tier.spine]\n" + crc + "hash_offset = 16\n"),
            "run.toml:5:15: tier.spine.hash_offset: crc16 (tier.spine.hash_function) gives 16 bits, so the offset must "
            "be at most 15; it is 16");
  EXPECT_NE(problem_of(leaves + "[routing.hash]\nbits = 17\n[tier.core]\n" + crc)
                .find("run.toml:4:8: routing.hash.bits: crc16 (tier.core.hash_function) gives 16 bits"),
            std::string::npos);
  EXPECT_NE(problem_of(leaves + "[tier.leaf]\n" + crc + "hash_offset = [1, 2]\n").find("2 are given; give one"),
            std::string::npos);
  EXPECT_NE(
      problem_of(leaves + "[tier.leaf]\nhash_offset = 1\n").find("has no effect here, it belongs to hash_function"),
      std::string::npos);
  EXPECT_EQ(problem_of("[[fabric]]\nname = \"storage\"\n[fabric." + leaves.substr(1) + "[fabric.tier.leaf]\n" + crc +
                       "hash_offset = 16\n"),
            "run.toml:7:15: fabric.0.tier.leaf.hash_offset: crc16 (fabric.0.tier.leaf.hash_function) gives 16 bits, so "
            "the offset must be at most 15; it is 16");
}

TEST(ConfigLoad, ReorderingGoesWithSelectiveRepeatAndFitsTogether) {
  const std::string text = "[roce]\nrecovery = \"selective_repeat\"\n";
  EXPECT_EQ(problem_of(text), "");
  EXPECT_EQ(problem_of(text + "reorder_window_packets = 128\nreorder_distance_packets = 127\n"), "");
  const std::string wide = problem_of(text + "reorder_window_packets = 100\n");
  EXPECT_EQ(wide.rfind("run.toml:3:", 0), 0u) << wide;
  EXPECT_NE(wide.find("must be a power of two from 64 to 65536"), std::string::npos) << wide;
  const std::string far = problem_of(text + "reorder_window_packets = 64\n");
  EXPECT_NE(far.find("less than roce.reorder_window_packets"), std::string::npos) << far;
  EXPECT_NE(far.find("they are 64 and 64"), std::string::npos) << far;
  EXPECT_NE(problem_of(text, {"roce.reorder_distance_packets=2000"}).find("roce.reorder_distance_packets"),
            std::string::npos);
  EXPECT_NE(problem_of("[roce]\nreorder_window_packets = 128\n").find("reorder_window_packets"), std::string::npos)
      << "go-back-N has no such window";
}

TEST(ConfigLoad, JobsKnowTheirPattern) {
  const auto text_of = [](const char* keys, const char* kind) {
    return fmt::format("[[job]]\n{}\n[[job.collective]]\nkind = \"{}\"\nsizes = [1]\n", keys, kind);
  };
  const std::vector<std::pair<const char*, std::vector<const char*>>> kinds = {
      {"slices_per_chunk = 1\nmin_slice = 0", {"all_reduce", "all_gather", "reduce_scatter"}},
      {"slice = 16\nchannels = 1", {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce"}},
      {"p2p_channels = 1\np2p_slice = 16\np2p_window = 1", {"all_to_all", "gather", "scatter"}},
      {"root = 3", {"broadcast", "reduce", "gather", "scatter"}}};
  for (const auto& [keys, of_these] : kinds) {
    for (const char* kind :
         {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "gather", "broadcast", "reduce", "scatter"}) {
      const bool belongs = std::find(of_these.begin(), of_these.end(), std::string(kind)) != of_these.end();
      EXPECT_EQ(problem_of(text_of(keys, kind)).empty(), belongs) << keys << " " << kind;
    }
  }
  const Config gather = load_config_text(text_of("root = 3", "gather"), "run.toml");
  const std::string text = resolved_text(gather);
  EXPECT_NE(text.find("root = 3"), std::string::npos);
  EXPECT_EQ(text.find("min_slice"), std::string::npos) << text;
  EXPECT_EQ(resolved_text(load_config_text(text, "resolved.toml")), text);
}

TEST(ConfigLoad, SetsReachEverySection) {
  const std::vector<std::string> sets = {
      "topology.hosts=8",         "message.0.bytes=2 MB",    "job.0.collective.1.repeat=3",
      "class.lossless.ecn=false", "buffer.rtsw.kind=static", "buffer.rtsw.xoff=1 MB"};
  const Config c = load_config_text(kWhole, "run.toml", sets);
  EXPECT_EQ(c.fabric.topology.hosts, 8u);
  EXPECT_EQ(c.messages[0].bytes, 2'000'000u);
  EXPECT_EQ(c.jobs[0].collectives[1].repeat, 3u);
  EXPECT_FALSE(c.classes[1].ecn);
  EXPECT_EQ(c.fabric.rtsw_buffer.xoff_bytes, 1'000'000u);
  EXPECT_EQ(problem_of(kWhole, {"message.9.bytes=1"}),
            "--set message.9.bytes=1: \"message\" has 2 elements, counted from 0");
  EXPECT_EQ(problem_of("", {"simulation.seed=9223372036854775808"})
                .rfind("--set simulation.seed=9223372036854775808: simulation.seed: 9223372036854775808 is too large "
                       "for any integer (they end at 9223372036854775807); expected integer",
                       0),
            0u);
  EXPECT_EQ(problem_of("", {"simulation.seed=9200000000000000000"}), "");
  EXPECT_NE(problem_of("", {"simulation.seed=lucky"}).find("\"lucky\" is a text"), std::string::npos);
}

TEST(ConfigLoad, ReferenceNamesEveryKey) {
  const std::string text = reference_text();
  for (const char* part :
       {"[topology]", "gpus_per_rack", "[[job.collective]]", "g_1024", "(must be given)", "source: "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

TEST(ConfigLoad, RefusesKeysOfVeryManyParts) {
  std::string key;
  for (int i = 0; i < 60'000; ++i) key += "a.";  // this once overflowed the stack
  EXPECT_EQ(problem_of("\n" + key + "b = 1").rfind("run.toml:2: a key of more than 32 parts", 0), 0u);
  EXPECT_NE(problem_of("", {key + "b=1"}).find("a key of more than 32 parts"), std::string::npos);
  const std::string decoration(500, '.');
  EXPECT_EQ(problem_of("# " + decoration + "\n[output]\ntitle = '" + decoration + "'"), "");
}

TEST(Load, RetransmissionTimersArePresetsThatMayBeOverridden) {
  const RoceSettings nccl = load_config_text("", "run.toml").roce;
  EXPECT_EQ(nccl.rto_ps, TimePs{4'096'000} * (1 << 20)) << "NCCL_IB_TIMEOUT 20";
  EXPECT_EQ(nccl.rto_tries, 7u);
  const RoceSettings older = load_config_text("[roce]\ntimers = \"nccl_2_14\"\n", "run.toml").roce;
  EXPECT_EQ(older.rto_ps, TimePs{4'096'000} * (1 << 18));
  const RoceSettings mixed = load_config_text("[roce]\ntimers = \"short\"\nrto_tries = 3\n", "run.toml").roce;
  EXPECT_EQ(mixed.rto_ps, 4'000'000'000);
  EXPECT_EQ(mixed.rto_tries, 3u);
  EXPECT_EQ(load_config_text("[roce]\nrto = 0\n", "run.toml").roce.rto_ps, 0);
}

TEST(Load, HostsArePresetsThatMayBeOverridden) {
  const Config none = load_config_text("[collective]\nhost = \"none\"\n", "run.toml");
  EXPECT_EQ(none.collective.channel_bytes_per_s, 0u);
  EXPECT_EQ(none.roce.proxy_service_ps, 0);
  const Config h100 = load_config_text("", "run.toml");
  EXPECT_EQ(resolved_text(h100), resolved_text(load_config_text("[collective]\nhost = \"h100\"\n", "run.toml")));
  EXPECT_EQ(h100.collective.channel_bytes_per_s, 20'700'000'000u);
  EXPECT_EQ(h100.collective.launch_latency_ps, none.collective.launch_latency_ps);
  EXPECT_EQ(h100.roce.proxy_service_ps, 500'000);
  const Config mixed = load_config_text(
      "[collective]\nhost = \"a100\"\nchannel_rate = \"5 GB/s\"\n[roce]\nproxy_service = 0\n[[job]]\n[[job]]\n"
      "gpu = \"hopper\"\n",
      "run.toml");
  EXPECT_EQ(mixed.jobs.at(0).gpu, "ampere");
  EXPECT_FALSE(mixed.jobs.at(0).nvls);
  EXPECT_EQ(mixed.jobs.at(1).gpu, "hopper");
  EXPECT_EQ(mixed.collective.channel_bytes_per_s, 5'000'000'000u);
  EXPECT_EQ(mixed.collective.launch_latency_ps, 12'600'000);
  EXPECT_EQ(mixed.roce.proxy_service_ps, 0);
  EXPECT_EQ(resolved_text(mixed), resolved_text(load_config_text(resolved_text(mixed), "run.toml")));
}

TEST(Load, EveryHostReadsBack) {
  for (const HostPreset& host : kHostPresets) {
    const Config config =
        load_config_text("[collective]\nhost = \"" + std::string(host.name) + "\"\n[[job]]\n", "run.toml");
    EXPECT_EQ(config.jobs.at(0).gpu, host.gpu) << host.name;
    EXPECT_EQ(config.jobs.at(0).nvls, host.nvls) << host.name;
    EXPECT_EQ(config.collective.launch_latency_ps, host.collective.launch_latency_ps) << host.name;
    EXPECT_EQ(resolved_text(config), resolved_text(load_config_text(resolved_text(config), "run.toml"))) << host.name;
  }
}

TEST(Load, ATimerShorterThanAnyRoundTripIsRefused) {
  const std::string why = problem_of("[roce]\nrto = \"4 ns\"\n");
  EXPECT_NE(why.find("run.toml:2"), std::string::npos) << why;
  EXPECT_NE(why.find("roce.rto: \"4 ns\" is shorter than any round trip"), std::string::npos) << why;
  EXPECT_NE(problem_of("[roce]\nrecovery = \"selective_repeat\"\nrto_low = \"1 ps\"\n").find("roce.rto_low"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
