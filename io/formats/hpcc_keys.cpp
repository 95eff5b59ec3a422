#include "io/formats/hpcc_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "io/nearest.hpp"
#include "io/printable.hpp"
#include "io/units.hpp"

namespace heddle {
namespace {

constexpr std::string_view kOfHpcc = "of the congestion control HPCC, which is not simulated";
constexpr std::string_view kOfPint = "of the congestion control HPCC-PINT, which is not simulated";
constexpr std::string_view kOfTrace =
    "traces of single packets are not written; /event and /series of the result hold more";
constexpr std::string_view kOfQueues = "queue lengths are in /series of the result, every output.series_interval";
constexpr std::string_view kOfLoads = "what links carry is in /link and /series of the result";
constexpr std::string_view kOfRates =
    "rates and CNPs of single queue pairs are not written; /message and /series of the result hold what came of them";
constexpr std::string_view kOfMonitors = "SimAI's monitors; /series of the result covers the whole run";
constexpr std::string_view kOfLinks = "HPCC's program reads it and does not use it; the topology file has every link's";

constexpr std::array kKeys = {
    HpccKey{"ENABLE_QCN"},
    HpccKey{"USE_DYNAMIC_PFC_THRESHOLD", 1, "its switches do not look at it: thresholds are always dynamic"},
    HpccKey{"CLAMP_TARGET_RATE"},
    HpccKey{"PAUSE_TIME", 1, "a pause lasts until the RESUME, there as here"},
    HpccKey{"DATA_RATE", 1, kOfLinks},
    HpccKey{"LINK_DELAY", 1, kOfLinks},
    HpccKey{"PACKET_PAYLOAD_SIZE"},
    HpccKey{"L2_CHUNK_SIZE"},
    HpccKey{"L2_ACK_INTERVAL"},
    HpccKey{"L2_BACK_TO_ZERO"},
    HpccKey{"TOPOLOGY_FILE"},
    HpccKey{"FLOW_FILE"},
    HpccKey{"TRACE_FILE", 1, kOfTrace},
    HpccKey{"TRACE_OUTPUT_FILE", 1, kOfTrace},
    HpccKey{"SIMULATOR_STOP_TIME"},
    HpccKey{"ALPHA_RESUME_INTERVAL"},
    HpccKey{"RP_TIMER"},
    HpccKey{"EWMA_GAIN"},
    HpccKey{"FAST_RECOVERY_TIMES"},
    HpccKey{"RATE_AI"},
    HpccKey{"RATE_HAI"},
    HpccKey{"ERROR_RATE_PER_LINK"},
    HpccKey{"CC_MODE"},
    HpccKey{"RATE_DECREASE_INTERVAL"},
    HpccKey{"MIN_RATE"},
    HpccKey{"FCT_OUTPUT_FILE"},
    HpccKey{"HAS_WIN"},
    HpccKey{"GLOBAL_T"},
    HpccKey{"MI_THRESH", 1, kOfHpcc},
    HpccKey{"VAR_WIN"},
    HpccKey{"FAST_REACT", 1, kOfHpcc},
    HpccKey{"U_TARGET", 1, kOfHpcc},
    HpccKey{"INT_MULTI", 1, kOfHpcc},
    HpccKey{"RATE_BOUND"},
    HpccKey{"ACK_HIGH_PRIO"},
    HpccKey{"DCTCP_RATE_AI", 1, "of the congestion control DCTCP, which is not simulated"},
    HpccKey{"PFC_OUTPUT_FILE"},
    HpccKey{"LINK_DOWN", 3},
    HpccKey{"ENABLE_TRACE", 1, kOfTrace},
    HpccKey{"KMAX_MAP", kMapValues},
    HpccKey{"KMIN_MAP", kMapValues},
    HpccKey{"PMAX_MAP", kMapValues},
    HpccKey{"BUFFER_SIZE"},
    HpccKey{"QLEN_MON_FILE", 1, kOfQueues},
    HpccKey{"QLEN_MON_START", 1, kOfQueues},
    HpccKey{"QLEN_MON_END", 1, kOfQueues},
    HpccKey{"MULTI_RATE", 1, kOfHpcc},
    HpccKey{"SAMPLE_FEEDBACK", 1, kOfHpcc},
    HpccKey{"PINT_LOG_BASE", 1, kOfPint},
    HpccKey{"PINT_PROB", 1, kOfPint},
    HpccKey{.name = "BW_MON_FILE", .no_meaning = kOfLoads, .only_simai = true},
    HpccKey{.name = "RATE_MON_FILE", .no_meaning = kOfRates, .only_simai = true},
    HpccKey{.name = "CNP_MON_FILE", .no_meaning = kOfRates, .only_simai = true},
    HpccKey{.name = "MON_START", .no_meaning = kOfMonitors, .only_simai = true},
    HpccKey{.name = "MON_END", .no_meaning = kOfMonitors, .only_simai = true},
    HpccKey{.name = "QP_MON_INTERVAL", .no_meaning = kOfRates, .only_simai = true},
    HpccKey{.name = "QLEN_MON_INTERVAL", .no_meaning = kOfQueues, .only_simai = true},
    HpccKey{.name = "BW_MON_INTERVAL", .no_meaning = kOfLoads, .only_simai = true},
    HpccKey{.name = "TRACE_NODE", .no_meaning = "neither HPCC's nor SimAI's program reads it", .only_simai = true},
};

constexpr u64 kMaxPairs = 1000;

std::optional<u64> whole_of(std::string_view text) {
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value > static_cast<u64>(INT64_MAX)) return {};
  return value;
}

bool is_comment(std::string_view word) { return word.starts_with('#') || word.starts_with('{'); }

}  // namespace

std::span<const HpccKey> hpcc_keys() { return kKeys; }

std::string HpccEntry::text() const {
  std::string out(key->name);
  for (const Field& value : values) out.append(" ").append(value.text);
  return out;
}

HpccConfig::HpccConfig(const std::string& path) : file_(path) {
  while (!file_.at_end()) read_line(file_.take(""));
}

void HpccConfig::problem(const Field& at, const std::string& message) {
  const std::string where = fmt::format("{}:{}:{}", path(), at.line, at.column);
  if (said_.insert(where + message).second) problems_.add(where, message);
}

void HpccConfig::read_line(const TextLine& line) {
  const Field& name = line.fields[0];
  if (is_comment(name.text)) return;
  const auto key = std::ranges::find(kKeys, name.text, &HpccKey::name);
  if (key == kKeys.end()) {
    std::vector<std::string_view> names;
    names.reserve(kKeys.size());
    for (const HpccKey& known : kKeys) names.push_back(known.name);
    const std::string near = nearest_word(name.text, names);
    return problem(name, fmt::format("unknown key {}; {}", excerpt(name.text),
                                     near.empty() ? "HPCC's own program would ignore it without a word; remove the line"
                                                  : fmt::format("did you mean {}?", near)));
  }
  if (const HpccEntry* first = find(key->name)) {
    return problem(name, fmt::format("{} is given twice, first in line {}; keep one", key->name, first->line));
  }
  HpccEntry entry{&*key, {}, name.line, name.column};
  for (size_t i = 1; i < line.fields.size() && !is_comment(line.fields[i].text); ++i)
    entry.values.push_back(line.fields[i]);
  u64 expected = key->values;
  if (key->values == kMapValues) {
    const auto pairs = entry.values.empty() ? std::nullopt : whole_of(entry.values[0].text);
    if (!pairs || *pairs > kMaxPairs) {
      malformed_.insert(key->name);
      return problem(name, fmt::format("{} begins with the number of its pairs, at most {}", key->name, kMaxPairs));
    }
    expected = 1 + 2 * *pairs;
  }
  if (entry.values.size() != expected) {
    malformed_.insert(key->name);
    return problem(name, fmt::format("{} has {} values where {} are expected{}", key->name, entry.values.size(),
                                     expected, key->values == kMapValues ? ": their number, then as many pairs" : ""));
  }
  entries_.push_back(std::move(entry));
}

const HpccEntry* HpccConfig::find(std::string_view key) const {
  const auto found = std::ranges::find(entries_, key, [](const HpccEntry& e) { return e.key->name; });
  return found == entries_.end() ? nullptr : &*found;
}

void HpccConfig::refuse(std::string_view key, const std::string& why) {
  if (is_malformed(key)) return;
  if (const HpccEntry* entry = find(key)) {
    problem({{}, entry->line, entry->column}, fmt::format("{}: {}", excerpt(entry->text()), why));
  } else {
    problems_.add(path(), fmt::format("{} is not given: {}", key, why));
  }
}

std::string HpccConfig::source(std::string_view key, const std::string& hpccs_default) const {
  const HpccEntry* entry = find(key);
  return entry != nullptr ? entry->text() : fmt::format("{} is not given: {}", key, hpccs_default);
}

bool HpccConfig::is_simais() const {
  return std::ranges::any_of(entries_, [](const HpccEntry& entry) { return entry.key->only_simai; });
}

std::optional<std::string> HpccConfig::word(std::string_view key) const {
  const HpccEntry* entry = find(key);
  return entry == nullptr ? std::nullopt : std::optional<std::string>(entry->values[0].text);
}

std::optional<u64> HpccConfig::whole(std::string_view key) {
  const HpccEntry* entry = find(key);
  if (entry == nullptr) return {};
  const std::optional<u64> value = whole_of(entry->values[0].text);
  if (!value) refuse(key, "not a whole number without sign");
  return value;
}

bool HpccConfig::flag(std::string_view key, bool otherwise) {
  const auto value = whole(key);
  if (value && *value > 1) refuse(key, "neither 0 nor 1");
  return value ? *value == 1 : otherwise;
}

std::optional<u64> HpccConfig::decimal(std::string_view key, int exponent, std::string_view unit) {
  const HpccEntry* entry = find(key);
  if (entry == nullptr) return {};
  const Decimal value = parse_decimal(entry->values[0].text, exponent);
  if (value.error == DecimalError::none && value.value <= static_cast<u64>(INT64_MAX)) return value.value;
  refuse(key, value.error == DecimalError::malformed ? "not a number without sign"
              : value.error == DecimalError::too_fine
                  ? fmt::format("not a whole number of {}; give fewer decimals", unit)
                  : fmt::format("more than 63 bits of {}", unit));
  return {};
}

std::optional<u64> HpccConfig::rate(std::string_view key) {
  const HpccEntry* entry = find(key);
  if (entry == nullptr) return {};
  std::string text(entry->values[0].text);
  if (text.ends_with("bps")) text.replace(text.size() - 3, 3, "b/s");
  if (const size_t kilo = text.find("Kb/s"); kilo != std::string::npos) text[kilo] = 'k';
  const QuantityResult result = parse_quantity(text, Quantity::bits_per_s);
  if (result.problem.empty()) return static_cast<u64>(result.value);
  refuse(key, "it " + result.problem);
  return {};
}

std::map<u64, Field> HpccConfig::map(std::string_view key) {
  std::map<u64, Field> values;
  const HpccEntry* entry = find(key);
  for (size_t i = 1; entry != nullptr && i + 1 < entry->values.size(); i += 2) {
    const std::optional<u64> rate = whole_of(entry->values[i].text);
    if (!rate || *rate == 0) {
      problem(entry->values[i], fmt::format("{}: '{}' is no rate in bit/s", key, excerpt(entry->values[i].text)));
    } else if (!values.emplace(*rate, entry->values[i + 1]).second) {
      problem(entry->values[i], fmt::format("{}: the rate {} comes twice", key, *rate));
    }
  }
  return values;
}

}  // namespace heddle
