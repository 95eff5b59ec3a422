// Binding TOML to option structs: golden messages for all errors of a user, and --set.
#include "host/config/bind.hpp"

#include <gtest/gtest.h>

#include <array>

#include "host/base/error.hpp"
#include "host/config/source.hpp"
#include "tests/thrown.hpp"

namespace heddle {
namespace {

struct Options {
  bool on = false;
  u32 count = 2;
  TimePs delay_ps = 1000;
  u64 rate_bps = 1;
  double share = 0.5;
  std::string mode = "slow";
  std::vector<u64> sizes_bytes = {1};
};

const std::array kParameters = {
    Parameter<Options>{.key = "on", .field = &Options::on, .help = "a switch", .source = "test"},
    Parameter<Options>{
        .key = "count", .field = &Options::count, .min = 1, .max = 100, .help = "how many", .source = "test"},
    Parameter<Options>{.key = "delay",
                       .field = &Options::delay_ps,
                       .quantity = Quantity::time_ps,
                       .max = 1e9,
                       .help = "wait",
                       .source = "test"},
    Parameter<Options>{.key = "rate",
                       .field = &Options::rate_bps,
                       .quantity = Quantity::bits_per_s,
                       .min = 1,
                       .help = "speed",
                       .source = "test"},
    Parameter<Options>{.key = "share",
                       .field = &Options::share,
                       .quantity = Quantity::ratio,
                       .max = 1,
                       .help = "part",
                       .source = "test"},
    Parameter<Options>{.key = "mode", .field = &Options::mode, .choices = "slow|fast", .help = "how", .source = "test"},
    Parameter<Options>{.key = "sizes",
                       .field = &Options::sizes_bytes,
                       .quantity = Quantity::bytes,
                       .min = 1,
                       .help = "list",
                       .source = "test"},
};

/// Binds the table [s] of the text; returns the messages, "" without errors.
std::string bind_text(const std::string& text, Options* out, const std::vector<std::string>& sets = {}) {
  try {
    toml::table root = read_toml_text(text, "a.toml");
    apply_sets(root, sets);
    Section section;
    section.path = "s";
    add_parameters(section, *out, kParameters);
    Problems problems;
    if (const toml::table* table = root["s"].as_table()) bind_section(*table, section, problems);
    return problems.text();
  } catch (const ConfigError& e) {
    return e.what();
  }
}

TEST(ConfigBind, SetsEveryType) {
  Options o;
  EXPECT_EQ(bind_text("[s]\non = true\ncount = 7\ndelay = \"0.5 us\"\nrate = \"400 Gb/s\"\nshare = 1\nmode = \"fast\"\n"
                      "sizes = [\"1 KiB\", 5]\n",
                      &o),
            "");
  EXPECT_TRUE(o.on);
  EXPECT_EQ(o.count, 7u);
  EXPECT_EQ(o.delay_ps, 500'000);
  EXPECT_EQ(o.rate_bps, 400'000'000'000u);
  EXPECT_EQ(o.share, 1.0);
  EXPECT_EQ(o.mode, "fast");
  EXPECT_EQ(o.sizes_bytes, (std::vector<u64>{1024, 5}));
}

TEST(ConfigBind, GoldenMessages) {
  const std::pair<const char*, const char*> cases[] = {
      {"[s]\ncuont = 7\n", "a.toml:2:1: unknown key \"cuont\" in s; did you mean \"count\"?"},
      {"[s]\nzzzzzzzz = 7\n",
       "a.toml:2:1: unknown key \"zzzzzzzz\" in s; known keys: on, count, delay, rate, share, mode, sizes"},
      {"[s]\ncount = 0\n", "a.toml:2:9: s.count: 0 is out of range; expected integer, 1 to 100 (how many)"},
      {"[s]\ncount = \"7\"\n", "a.toml:2:9: s.count: \"7\" is a text; expected integer, 1 to 100 (how many)"},
      {"[s]\ndelay = 5\n",
       "a.toml:2:9: s.delay: 5 has no unit; write it as a text with one of: ps, ns, us, ms, s (wait)"},
      {"[s]\nrate = \"4 GB/s\"\n",
       "a.toml:2:8: s.rate: \"4 GB/s\" has the unit \"GB/s\", which is not one of: b/s, kb/s, Mb/s, Gb/s, Tb/s, Mbps, "
       "Gbps, Tbps; bits are wanted here, 8 for every byte (speed)"},
      {"[s]\nmode = \"fsat\"\n", "a.toml:2:8: s.mode: \"fsat\" is not one of slow|fast; did you mean \"fast\"? (how)"},
      {"[s]\non = 1\n", "a.toml:2:6: s.on: 1 is an integer; expected true or false (a switch)"},
      {"[s]\ncount = 3.5\n", "a.toml:2:9: s.count: 3.5 is a decimal number; expected integer, 1 to 100 (how many)"},
      {"[s]\ncount = true\n", "a.toml:2:9: s.count: true is a flag; expected integer, 1 to 100 (how many)"},
      {"[s]\ncount = [1]\n", "a.toml:2:9: s.count: is a list; expected integer, 1 to 100 (how many)"},
      {"[s]\nshare = \"10%\"\n", "a.toml:2:9: s.share: \"10%\" is a text; expected number, 0 to 1; give 0.1 (part)"},
      {"[s]\nshare = \"2.5 %\"\n",
       "a.toml:2:9: s.share: \"2.5 %\" is a text; expected number, 0 to 1; give 0.025 (part)"},
      {"[s]\nshare = \"x%\"\n", "a.toml:2:9: s.share: \"x%\" is a text; expected number, 0 to 1 (part)"},
      {"[s]\nmode = \"a\\u001b[31m\"\n", "a.toml:2:8: s.mode: \"a\\u001b[31m\" is not one of slow|fast (how)"},
      {"[s]\nsizes = [\"1 KiB\", 0]\n",
       "a.toml:2:19: s.sizes: 0 is out of range; expected list of bytes (B, KB, KiB, MB, MiB, GB, GiB, TB, TiB), at "
       "least 1 B (list)"},
      {"[s]\ncount = 7\ncount = 8\n", "a.toml:3:"},
      {"[s\n", "a.toml:1:"},
  };
  for (const auto& [text, message] : cases) {
    Options o;
    const std::string got = bind_text(text, &o);
    EXPECT_EQ(got.rfind(message, 0), 0u) << "got:      " << got << "\nexpected: " << message;
  }
}

TEST(ConfigBind, ReportsAllProblemsAtOnce) {
  Options o;
  const std::string got = bind_text("[s]\ncount = 0\nmode = \"x\"\n", &o);
  EXPECT_NE(got.find("a.toml:2:9"), std::string::npos);
  EXPECT_NE(got.find("\na.toml:3:8"), std::string::npos);
}

TEST(ConfigSet, LaysOverTheFile) {
  Options o;
  EXPECT_EQ(bind_text("[s]\ncount = 3\nsizes = [1, 2]\n", &o,
                      {"s.count=9", "s.rate=25 Gb/s", "s.sizes.1=4 KiB", "s.mode=fast"}),
            "");
  EXPECT_EQ(o.count, 9u);
  EXPECT_EQ(o.rate_bps, 25'000'000'000u);
  EXPECT_EQ(o.sizes_bytes, (std::vector<u64>{1, 4096}));
  EXPECT_EQ(o.mode, "fast");
}

TEST(ConfigSet, MakesMissingSections) {
  Options o;
  EXPECT_EQ(bind_text("", &o, {"s.on=true"}), "");
  EXPECT_TRUE(o.on);
}

TEST(ConfigSet, GoldenMessages) {
  const std::pair<const char*, const char*> cases[] = {
      {"s.cuont=9", "--set s.cuont=9: unknown key \"cuont\" in s; did you mean \"count\"?"},
      {"s.count=0", "--set s.count=0: s.count: 0 is out of range; expected integer, 1 to 100 (how many)"},
      {"s.count=99999999999999999999",
       "--set s.count=99999999999999999999: s.count: 99999999999999999999 is too large for any integer (they end at "
       "9223372036854775807); expected integer, 1 to 100 (how many)"},
      {"s.count", "--set s.count: expected section.key=value"},
      {"s.mode=\x1b[31m",
       "--set s.mode=\x1b[31m: the value is neither TOML nor plain text without quotes and control characters"},
      {"=4", "--set =4: expected section.key=value"},
      {"s..count=4", "--set s..count=4: empty part in the key; write section.key=value"},
      {R"(s.\u0000a.b=4)",
       R"(--set s.\u0000a.b=4: "\u0000a" is no part of a key: those are of letters, digits, _ and -)"},
      {"s.a b=4", "--set s.a b=4: \"a b\" is no part of a key: those are of letters, digits, _ and -"},
      {"s=4", "--set s=4: \"s\" is a section; set one of its keys, e.g. s.KEY=value"},
      {"s.count.x=4", "--set s.count.x=4: \"s.count\" is a value, not a section"},
      {"s.sizes.7=4", "--set s.sizes.7=4: \"s.sizes\" has 2 elements, counted from 0"},
      {"s.sizes.first=4",
       "--set s.sizes.first=4: \"s.sizes\" is a list of 2; address an element by its number, e.g. s.sizes.0"},
  };
  for (const auto& [argument, message] : cases) {
    Options o;
    EXPECT_EQ(bind_text("[s]\ncount = 3\nsizes = [1, 2]\n", &o, {argument}), message);
  }
}

TEST(ConfigSource, NamesAMissingFile) {
  EXPECT_EQ(test::message_of<ConfigError>([] { read_toml_file("no/such/file.toml"); }),
            "no/such/file.toml: cannot open this configuration file: No such file or directory; check the path");
}

}  // namespace
}  // namespace heddle
