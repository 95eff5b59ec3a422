// HPCC's config.txt (ns-3's parameter file, simulation/mix/config.txt): which keys it has, and what a file says of
// each.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/formats/text.hpp"
#include "io/problems.hpp"

namespace heddle {

/// A key that HPCC's main program (scratch/third.cc) reads, or SimAI's, which grew from it (common.h, SimAI.conf).
struct HpccKey {
  std::string_view name;
  u32 values = 1;                    // kMapValues: a count, then as many pairs
  std::string_view no_meaning = {};  // why nothing here answers to it; empty: it is translated or refused
  bool only_simai = false;           // a file with it is SimAI's
};
inline constexpr u32 kMapValues = 0;

std::span<const HpccKey> hpcc_keys();

/// One line of the file.
struct HpccEntry {
  const HpccKey* key = nullptr;
  std::vector<Field> values;
  u32 line = 0, column = 0;
  std::string text() const;  // "KMAX_MAP 1 25000000000 400"
};

/// The file as a table. What is wrong with a value is added to the problems, with line and column, and reads as
/// nothing.
class HpccConfig {
 public:
  /// Throws InputError where the file cannot be read. Problems: unknown keys, keys given twice, wrong numbers of
  /// values. A line, or the rest of one, that begins with '#' or '{' is a comment.
  explicit HpccConfig(const std::string& path);
  HpccConfig(const HpccConfig&) = delete;
  HpccConfig& operator=(const HpccConfig&) = delete;

  const std::string& path() const { return file_.path(); }
  Problems& problems() { return problems_; }
  const std::vector<HpccEntry>& entries() const { return entries_; }  // in the file's order
  const HpccEntry* find(std::string_view key) const;

  /// Given with a wrong number of values, which has been said: nothing more is to be said of it.
  bool is_malformed(std::string_view key) const { return malformed_.contains(key); }

  /// Adds a problem with a key's value; with the file where the key is not given; none of a malformed one.
  void refuse(std::string_view key, const std::string& why);

  /// The line of the file that a value comes from, or what HPCC's program takes without.
  std::string source(std::string_view key, const std::string& hpccs_default = "") const;
  /// Whether SimAI's program has read it: some key is SimAI's alone.
  bool is_simais() const;

  /// The first value as text.
  std::optional<std::string> word(std::string_view key) const;
  /// A whole number up to 63 bits.
  std::optional<u64> whole(std::string_view key);
  /// 0 or 1.
  bool flag(std::string_view key, bool otherwise);
  /// A decimal number times 10^exponent, which must come out whole.
  std::optional<u64> decimal(std::string_view key, int exponent, std::string_view unit);
  /// "50Mb/s", in bit/s.
  std::optional<u64> rate(std::string_view key);
  /// A map: bit/s -> its value as text.
  std::map<u64, Field> map(std::string_view key);

 private:
  void read_line(const TextLine& line);
  void problem(const Field& at, const std::string& message);

  TextFile file_;
  std::vector<HpccEntry> entries_;
  std::set<std::string_view> malformed_;
  std::set<std::string> said_;  // a value may be asked for more than once
  Problems problems_;
};

}  // namespace heddle
