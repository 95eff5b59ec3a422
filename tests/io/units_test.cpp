// Quantities: exact reading, clear refusals, texts that read back to the same value.
#include "io/units.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

struct GoodCase {
  const char* text;
  Quantity quantity;
  i64 value;
};

TEST(ConfigUnits, ReadsExactly) {
  const GoodCase cases[] = {
      {"0.5 us", Quantity::time_ps, 500'000},
      {"32768 ps", Quantity::time_ps, 32'768},
      {"1ms", Quantity::time_ps, 1'000'000'000},
      {"0.001 ns", Quantity::time_ps, 1},
      {"2 s", Quantity::time_ps, 2'000'000'000'000},
      {"0", Quantity::time_ps, 0},
      {"64 MiB", Quantity::bytes, 64ll << 20},
      {"1 MB", Quantity::bytes, 1'000'000},
      {"1.5 KiB", Quantity::bytes, 1536},
      {"4096", Quantity::bytes, 4096},
      {"1_000 B", Quantity::bytes, 1000},
      {"400 Gb/s", Quantity::bits_per_s, 400'000'000'000},
      {"400Gbps", Quantity::bits_per_s, 400'000'000'000},
      {"1.6 Tb/s", Quantity::bits_per_s, 1'600'000'000'000},
      {"450 GB/s", Quantity::bytes_per_s, 450'000'000'000},
      {"1e-5 s", Quantity::time_ps, 10'000'000},
      {"2.5E+3ns", Quantity::time_ps, 2'500'000},
      {"10e-13 s", Quantity::time_ps, 1},
      {"4e11 b/s", Quantity::bits_per_s, 400'000'000'000},
      {"1e6", Quantity::bytes, 1'000'000},
      {"0e99 s", Quantity::time_ps, 0},
      {"5 \u00b5s", Quantity::time_ps, 5'000'000},  // the micro sign
      {"5\u03bcs", Quantity::time_ps, 5'000'000},   // the Greek letter
  };
  for (const GoodCase& c : cases) {
    const QuantityResult result = parse_quantity(c.text, c.quantity);
    EXPECT_EQ(result.problem, "") << c.text;
    EXPECT_EQ(result.value, c.value) << c.text;
  }
}

struct BadCase {
  const char* text;
  Quantity quantity;
  const char* problem_part;
};

TEST(ConfigUnits, RefusesAndNamesTheAcceptedUnits) {
  const BadCase cases[] = {
      {"5 sec", Quantity::time_ps, "\"sec\", which is not one of: ps, ns, us, ms, s"},
      {"5", Quantity::time_ps, "has no unit; accepted units: ps, ns"},
      {"0.5 ps", Quantity::time_ps, "not a whole number of ps"},
      {"400 GB/s", Quantity::bits_per_s, "\"GB/s\", which is not one of: b/s"},
      {"4 mib", Quantity::bytes, "\"mib\", which is not one of: B, KB"},
      {"fast", Quantity::bits_per_s, "not a number with a unit; write for example \"1 Mb/s\""},
      {"", Quantity::bytes, "not a number"},
      {"1.2.3 us", Quantity::time_ps, "not a number"},
      {"-1 us", Quantity::time_ps, "is negative; give 0 or more"},
      {" -0.5 Gb/s", Quantity::bits_per_s, "is negative"},
      {"-", Quantity::time_ps, "not a number"},
      {"-us", Quantity::time_ps, "not a number"},
      {"99999999999 s", Quantity::time_ps, "too large"},
      {"1e99 s", Quantity::time_ps, "too large"},
      {"1e99999999999999999999 s", Quantity::time_ps, "too large"},
      {"1e-13 s", Quantity::time_ps, "not a whole number of ps"},
      {"1e-99999999999999999999 s", Quantity::time_ps, "too many digits"},
      {"1e s", Quantity::time_ps, "the unit \"e s\""},
      {"e5 s", Quantity::time_ps, "not a number"},
      {"400 gb/s", Quantity::bits_per_s, "did you mean \"Gb/s\"?"},
      {"400 Gbit/s", Quantity::bits_per_s, "did you mean \"Gb/s\"?"},
      {"400 GB/s", Quantity::bits_per_s, "bits are wanted here, 8 for every byte"},
      {"400 Gb/s", Quantity::bytes_per_s, "bytes are wanted here, 1 for every 8 bits"},
      {"400G", Quantity::bits_per_s, "did you mean \"400 Gb/s\"?"},
      {"64k", Quantity::bytes, "did you mean \"64 KB\"?"},
      {"4 mib", Quantity::bytes, "did you mean \"MiB\"?"},
      {"5 usec", Quantity::time_ps, "did you mean \"us\"?"},
  };
  for (const BadCase& c : cases) {
    const QuantityResult result = parse_quantity(c.text, c.quantity);
    EXPECT_NE(result.problem.find(c.problem_part), std::string::npos) << c.text << ": " << result.problem;
  }
}

TEST(ConfigUnits, WritesWhatItReads) {
  for (const Quantity quantity : {Quantity::time_ps, Quantity::bytes, Quantity::bits_per_s, Quantity::bytes_per_s}) {
    for (const i64 value : {0ll, 1ll, 999ll, 1000ll, 1024ll, 32768ll, 500'000ll, 1'048'576ll, 113'700'000ll,
                            25'000'000'000ll, 123'456'789'012ll, 1'000'000'000'000ll}) {
      const std::string text = format_quantity(value, quantity);
      const QuantityResult result = parse_quantity(text, quantity);
      EXPECT_EQ(result.problem, "") << text;
      EXPECT_EQ(result.value, value) << text;
    }
  }
  EXPECT_EQ(format_quantity(500'000, Quantity::time_ps), "500 ns");
  EXPECT_EQ(format_quantity(400'000'000'000, Quantity::bits_per_s), "400 Gb/s");
  EXPECT_EQ(format_quantity(1 << 20, Quantity::bytes), "1 MiB");
  EXPECT_EQ(format_quantity(3'200'000, Quantity::bytes), "3200 KB") << "not 3125 KiB, beside 800 KB";
  EXPECT_EQ(format_quantity(128'000, Quantity::bytes), "128 KB") << "not 125 KiB";
  EXPECT_EQ(format_quantity(0, Quantity::bytes), "0 B");
}

TEST(ConfigUnits, ShowsPeopleAFewDigits) {
  EXPECT_EQ(human_quantity(1'536'000, Quantity::time_ps), "1.536 us");
  EXPECT_EQ(human_quantity(0, Quantity::bytes), "0 B");
  EXPECT_EQ(human_quantity(68'240, Quantity::bytes), "68.24 KB");
}

TEST(ConfigUnits, RefusesMoreDigitsThanItCanMultiply) {
  const std::string digits(29, '4');  // times 10^12 ps they would overflow 128 bits
  EXPECT_EQ(parse_quantity(digits + " s", Quantity::time_ps).problem, "has too many digits");
}

}  // namespace
}  // namespace heddle
