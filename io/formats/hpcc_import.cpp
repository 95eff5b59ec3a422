#include "io/formats/hpcc_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "io/error.hpp"
#include "io/formats/hpcc_inputs.hpp"
#include "io/formats/hpcc_keys.hpp"
#include "io/formats/hpcc_link_down.hpp"
#include "io/formats/hpcc_window.hpp"
#include "io/printable.hpp"
#include "io/units.hpp"

namespace heddle {
namespace {

std::string time_text(u64 ps) { return quoted(format_quantity(static_cast<i64>(ps), Quantity::time_ps)); }
std::string bytes_text(u64 bytes) { return quoted(format_quantity(static_cast<i64>(bytes), Quantity::bytes)); }
std::string rate_text(u64 bps) { return quoted(format_quantity(static_cast<i64>(bps), Quantity::bits_per_s)); }

constexpr u64 kPayload = 1000, kHeaders = 48;  // ns-3's default and its headers of data

/// ECN thresholds of one link speed.
struct Thresholds {
  u64 kmin_bytes = 0, kmax_bytes = 0, pmax_e9 = 0;
};

class Translation {
 public:
  Translation(const std::string& path, const std::string& folder, const HpccImportOptions& options)
      : options_(options), config_(path), inputs_(read_hpcc_inputs(config_, folder)) {
    for (const HpccEntry& entry : config_.entries()) {
      if (entry.key->no_meaning.empty()) {
        ++result_.translated;
      } else {
        result_.meaningless.push_back(fmt::format("{}: {}", entry.text(), entry.key->no_meaning));
      }
    }
  }

  HpccImport translate() {
    result_.warnings = inputs_.missing;
    result_.inputs = inputs_.found;
    refuse_what_is_not_simulated();
    simulation();
    files();
    transport();
    switches();
    marking();
    congestion_control();
    outputs();
    failures();
    if (!config_.problems().empty()) throw InputError(config_.problems().text());
    finish();
    return std::move(result_);
  }

 private:
  // ---- writing

  void section(const std::string& name) { body_ += fmt::format("\n[{}]\n", name); }

  void set(const std::string& key, const std::string& value, const std::string& comment) {
    body_ += fmt::format("{:<34}  # {}\n", key + " = " + value, printable(comment));
  }

  std::string from(std::string_view key, const std::string& hpccs_default = "") const {
    return config_.source(key, hpccs_default);
  }

  // ---- reading

  bool flag(std::string_view key, bool otherwise) { return config_.flag(key, otherwise); }

  void refuse_unless(bool good, std::string_view key, const std::string& why) {
    if (!good) config_.refuse(key, why);
  }

  /// A value that HPCC's program would use uninitialised.
  template <class Value>
  Value needed(std::string_view key, const std::optional<Value>& value) {
    if (config_.find(key) == nullptr) config_.refuse(key, "HPCC's program has no default for it; give it");
    return value.value_or(Value{});
  }

  // ---- translating

  void refuse_what_is_not_simulated() {
    refuse_unless(
        flag("ENABLE_QCN", true), "ENABLE_QCN",
        "without it ns-3's links do not pause and its switches do not mark, which is another fabric; use 1, and "
        "CC_MODE 0 for senders that answer no marks");
    refuse_unless(!flag("L2_BACK_TO_ZERO", false), "L2_BACK_TO_ZERO",
                  "going back to the start of a chunk is not simulated; NICs go back to the lost packet (0)");
    refuse_unless(flag("RATE_BOUND", true), "RATE_BOUND", "senders that no rate paces are not simulated; use 1");
    const u64 lost_e12 = config_.decimal("ERROR_RATE_PER_LINK", 12, "10^-12").value_or(0);
    refuse_unless(lost_e12 == 0, "ERROR_RATE_PER_LINK", about_losses(lost_e12));
  }

  /// ns-3 draws for each packet, whatever its length, also for pauses.
  std::string about_losses(u64 lost_e12) {
    const u64 payload = config_.whole("PACKET_PAYLOAD_SIZE").value_or(kPayload);
    const double lost = std::min(static_cast<double>(lost_e12) / 1e12, 0.5);
    const double of_bit = -std::expm1(std::log1p(-lost) / (8 * static_cast<double>(payload + kHeaders)));
    return fmt::format(
        "ns-3 loses every packet with this probability, ACKs and pauses too; [[failure]] with kind = \"bit_errors\" "
        "loses packets by their length, and no pauses. Use 0 here, and if that will do, add to the result one "
        "[[failure]] for each cable, with bit_error_rate = {:.4g}, which loses as many of the full packets",
        of_bit);
  }

  void simulation() {
    constexpr u64 kLongest_ps = 4'000'000'000'000'000'000;  // the range of simulation.horizon
    section("simulation");
    const HpccEntry* stop = config_.find("SIMULATOR_STOP_TIME");
    const Decimal ps = stop == nullptr ? Decimal{3'010'000'000'000} : parse_decimal(stop->values[0].text, 12);
    const std::string source = from("SIMULATOR_STOP_TIME", "3.01 s");
    if (ps.error == DecimalError::too_large || (ps.error == DecimalError::none && ps.value > kLongest_ps)) {
      set("horizon", "0", source + ": longer than any run, so until all flows are done");
    } else if (ps.error != DecimalError::none || ps.value == 0) {
      config_.refuse("SIMULATOR_STOP_TIME", "not a time in seconds, of whole picoseconds and above 0");
    } else {
      set("horizon", time_text(ps.value), source);
    }
    set("slot", fmt::format("\"{} ps\"", slot_ps()), "grid of PFC decisions: within a full packet on the fastest link");
  }

  /// A power of two, at most the default.
  u64 slot_ps() {
    u64 slot_ps = 32'768;
    if (inputs_.switch_bits_per_s.empty()) return slot_ps;
    const u64 wire_bytes = config_.whole("PACKET_PAYLOAD_SIZE").value_or(kPayload) + kHeaders;
    const u64 packet_ps = static_cast<u64>(static_cast<unsigned __int128>(wire_bytes) * 8'000'000'000'000 /
                                           *inputs_.switch_bits_per_s.rbegin());
    while (slot_ps > 1 && slot_ps > packet_ps) slot_ps /= 2;
    return slot_ps;
  }

  void files() {
    section("topology");
    set("kind", "\"hpcc\"", "a topology file");
    set("file", quoted(inputs_.topology_file), from("TOPOLOGY_FILE"));
    if (inputs_.first_hosts != 0) {
      set("first_hosts", std::to_string(inputs_.first_hosts), "the file declares no more, and HPCC reads no more");
    }
    section("workload");
    set("flow_file", quoted(inputs_.flow_file), from("FLOW_FILE"));
    if (inputs_.first_flows != 0) {
      set("first_flows", std::to_string(inputs_.first_flows), "the file declares no more, and HPCC runs no more");
    }
    set("qps_per_pair", std::to_string(std::min(inputs_.flows_of_a_pair, 4096u)),
        "in ns-3 every flow has a QP of its own");
    set("source_port", "\"qp\"", "and a port");
    set("jitter_packets", "0", "flows start when the file says");
    section("routing");
    set("policy", "\"ecmp\"", "hash of the five-tuple, another one than ns-3's");
  }

  void transport() {
    section("roce");
    const u64 payload = config_.whole("PACKET_PAYLOAD_SIZE").value_or(kPayload);
    refuse_unless(payload >= 64 && payload <= 9600, "PACKET_PAYLOAD_SIZE", "roce.mtu is 64 to 9600 B");
    set("mtu", bytes_text(payload), from("PACKET_PAYLOAD_SIZE", "1000"));
    set("data_overhead", fmt::format("\"{} B\"", kHeaders), "ns-3's headers of data, without INT");
    set("reth", "\"0 B\"", "ns-3 has none");
    set("ack_wire", "\"60 B\"", "ns-3's ACK");
    set("cnp_wire", "\"60 B\"", "there a flag on the ACK, here a packet");
    set("rto", "\"0 us\"", "ns-3's NICs have no retransmission timer");
    acknowledgements(payload);
    window(payload);
    if (flag("ACK_HIGH_PRIO", false)) {
      result_.notes.emplace_back(
          "ACK_HIGH_PRIO 1 lets ACKs pass data in ns-3's hosts, not in its switches; here they pass nowhere");
    }
    set("ack_high_priority", "false", from("ACK_HIGH_PRIO", "0") + ": in switches ACKs wait with the data");
  }

  /// third.cc's receivers set their milestone to L2_ACK_INTERVAL with every packet, not one interval on.
  void acknowledgements(u64 payload) {
    const u64 interval = config_.whole("L2_ACK_INTERVAL").value_or(0);
    config_.whole("L2_CHUNK_SIZE");  // whether it is a number
    if (interval == 0) {
      result_.notes.emplace_back(
          "without L2_ACK_INTERVAL, or with 0, ns-3's senders take no ACK and no flow ends; here every packet is "
          "acknowledged, as with 1");
    } else if (interval > payload) {
      result_.notes.push_back(fmt::format(
          "L2_ACK_INTERVAL {}: ns-3's receivers acknowledge every packet once so many bytes of a flow have come, "
          "before them the multiples of L2_CHUNK_SIZE; here every packet from the first on",
          interval));
    }
    set("ack_every", "1",
        fmt::format("{}, {}: every packet", from("L2_ACK_INTERVAL", "0"), from("L2_CHUNK_SIZE", "0")));
  }

  void window(u64 payload) {
    if (payload == 0) return;
    const HpccWindow window = hpcc_window(config_, inputs_, payload, options_.constant_window);
    set("window_packets", std::to_string(window.packets), window.comment);
    result_.notes.insert(result_.notes.end(), window.notes.begin(), window.notes.end());
    result_.meaningless.insert(result_.meaningless.end(), window.meaningless.begin(), window.meaningless.end());
    result_.translated -= static_cast<u32>(window.meaningless.size());
  }

  void switches() {
    const u64 mib = config_.whole("BUFFER_SIZE").value_or(16);
    refuse_unless(mib >= 1 && mib < 2048, "BUFFER_SIZE", "a shared memory is 1 to 2047 MiB");
    for (const char* tier : {"rtsw", "ctsw", "atsw"}) {
      section(fmt::format("buffer.{}", tier));
      set("kind", "\"shared\"", "HPCC's switches: dynamic thresholds");
      set("bytes", quoted(fmt::format("{} MiB", mib)), from("BUFFER_SIZE", "16") + ": MiB of a switch");
      set("pools", "1", "HPCC's switches");
      set("alpha", "0.125", "HPCC's switches: 1/8");
      set("reserve", "\"4 KiB\"", "HPCC's switches");
    }
    section("pfc");
    set("standard_response", "false", "ns-3's links pause when the frame arrives");
    set("response", "0", "at once");
    result_.notes.emplace_back(
        "headroom is what can arrive after a pause; in HPCC three times rate times delay of the link");
    if (inputs_.host_bits_per_s != 0 &&
        inputs_.switch_bits_per_s.upper_bound(inputs_.host_bits_per_s) != inputs_.switch_bits_per_s.end()) {
      result_.notes.emplace_back(
          "ports that are 2, 4, 8 times as fast as a NIC may use 1/4, 1/2, all of the free memory in HPCC; here all "
          "ports of a switch may use 1/8");
    }
  }

  u64 kilobytes(const Field& field, std::string_view key) {
    const Decimal value = parse_decimal(field.text, 0);
    if (value.error == DecimalError::none && value.value <= 4'000'000) return value.value * 1000;
    config_.refuse(key, fmt::format("'{}' is no number of KB up to 4000000", excerpt(field.text)));
    return 0;
  }

  /// The thresholds of every link speed that has all three, and must have them.
  std::map<u64, Thresholds> thresholds() {
    const auto kmin = config_.map("KMIN_MAP"), kmax = config_.map("KMAX_MAP"), pmax = config_.map("PMAX_MAP");
    std::set<u64> rates = inputs_.switch_bits_per_s;
    if (!inputs_.topology.has_value()) {
      for (const auto& [rate, value] : kmin) rates.insert(rate);
    }
    std::map<u64, Thresholds> of_rate;
    for (const u64 rate : rates) {
      bool whole = true;
      for (const auto& [name, map] : {std::pair{"KMIN_MAP", &kmin}, {"KMAX_MAP", &kmax}, {"PMAX_MAP", &pmax}}) {
        if (map->contains(rate)) continue;
        config_.refuse(name, fmt::format("it has nothing for links of {} bit/s, where HPCC's program stops", rate));
        whole = false;
      }
      if (!whole) continue;
      const Decimal p = parse_decimal(pmax.at(rate).text, 9);
      refuse_unless(p.error == DecimalError::none && p.value <= 1'000'000'000, "PMAX_MAP",
                    fmt::format("'{}' is no probability of at most 9 decimals", excerpt(pmax.at(rate).text)));
      of_rate[rate] = {kilobytes(kmin.at(rate), "KMIN_MAP"), kilobytes(kmax.at(rate), "KMAX_MAP"), p.value};
    }
    return of_rate;
  }

  void marking() {
    section("ecn");
    set("enabled", "true", from("ENABLE_QCN", "1"));
    constexpr std::array<std::string_view, 3> kMaps = {"KMIN_MAP", "KMAX_MAP", "PMAX_MAP"};
    if (std::ranges::any_of(kMaps, [&](std::string_view key) { return config_.is_malformed(key); })) return;
    const std::map<u64, Thresholds> of_rate = thresholds();
    if (of_rate.empty()) {
      config_.refuse("KMIN_MAP", "without thresholds HPCC's program stops; give KMIN_MAP, KMAX_MAP and PMAX_MAP");
      return;
    }
    const auto& [rate, top] = *of_rate.rbegin();
    for (const auto& [other, t] : of_rate) {
      const auto scaled = [&, r = rate, o = other](u64 at_top, u64 at_other) {
        return static_cast<unsigned __int128>(at_top) * o == static_cast<unsigned __int128>(at_other) * r;
      };
      if (scaled(top.kmin_bytes, t.kmin_bytes) && scaled(top.kmax_bytes, t.kmax_bytes) && top.pmax_e9 == t.pmax_e9)
        continue;
      config_.refuse(
          "KMIN_MAP",
          fmt::format(
              "thresholds of {} and {} bit/s are not in proportion to the rates, with one PMAX, as [ecn] "
              "scales them{}",
              other, rate,
              inputs_.topology.has_value() ? "" : "; TOPOLOGY_FILE, which is not there, would say which rates matter"));
    }
    refuse_unless(top.kmax_bytes > 0 && top.kmax_bytes >= top.kmin_bytes, "KMAX_MAP", "Kmax is 0, or below Kmin");
    set("kmin", bytes_text(top.kmin_bytes), "KMIN_MAP, KB at the rate below");
    set("kmax", bytes_text(top.kmax_bytes), "KMAX_MAP");
    set("pmax", fmt::format("{}", static_cast<double>(top.pmax_e9) / 1e9), "PMAX_MAP");
    set("reference_rate", rate_text(rate), "the fastest link");
    set("scale_with_rate", "true",
        of_rate.size() == 1 ? "of all links at switches" : "the maps are in proportion to the rates");
  }

  void congestion_control() {
    const u64 mode = config_.whole("CC_MODE").value_or(1);
    section("dcqcn");
    if (mode == 0) {
      set("enabled", "false", from("CC_MODE"));
      return;
    }
    const char* name = mode == 3    ? "HPCC"
                       : mode == 7  ? "TIMELY"
                       : mode == 8  ? "DCTCP"
                       : mode == 10 ? "HPCC-PINT"
                                    : "which HPCC's program does not have";
    if (mode != 1) return config_.refuse("CC_MODE", fmt::format("{}: simulated are 1, DCQCN, and 0, none", name));
    set("enabled", "true", from("CC_MODE", "1") + ": DCQCN");
    const auto us = [&](std::string_view key) { return config_.decimal(key, 6, "ps, as microseconds"); };
    set("alpha_period", time_text(us("ALPHA_RESUME_INTERVAL").value_or(55'000'000)),
        from("ALPHA_RESUME_INTERVAL", "55") + ": us");
    set("decrease_period", time_text(us("RATE_DECREASE_INTERVAL").value_or(4'000'000)),
        from("RATE_DECREASE_INTERVAL", "4") + ": us");
    set("increase_period", time_text(needed("RP_TIMER", us("RP_TIMER"))), from("RP_TIMER") + ": us");
    const u64 gain_e12 = needed("EWMA_GAIN", config_.decimal("EWMA_GAIN", 12, "10^-12"));
    constexpr u64 kOne = 1'000'000'000'000;
    const bool exact = gain_e12 > 0 && gain_e12 < kOne && gain_e12 * 1024 % kOne == 0;
    if (config_.find("EWMA_GAIN") != nullptr)
      refuse_unless(exact, "EWMA_GAIN", "dcqcn.g_1024 is 1/1024 to 1023/1024, in whole 1/1024, such as 0.00390625");
    set("g_1024", std::to_string(exact ? gain_e12 * 1024 / kOne : 0), from("EWMA_GAIN"));
    set("byte_counter", "0", "HPCC has none");
    set("fast_recovery_stages", std::to_string(config_.whole("FAST_RECOVERY_TIMES").value_or(5)),
        from("FAST_RECOVERY_TIMES", "5"));
    set("rate_ai", rate_text(needed("RATE_AI", config_.rate("RATE_AI"))), from("RATE_AI"));
    set("rate_hai", rate_text(needed("RATE_HAI", config_.rate("RATE_HAI"))), from("RATE_HAI"));
    set("min_rate", rate_text(config_.rate("MIN_RATE").value_or(100'000'000)), from("MIN_RATE", "100Mb/s"));
    set("cnp_gap", "0", "HPCC echoes every mark");
    set("clamp_target", flag("CLAMP_TARGET_RATE", false) ? "true" : "false", from("CLAMP_TARGET_RATE", "0"));
    set("pace_follows_rate", "false", "ns-3: a wait stays as it was begun");
  }

  /// The cable goes down for good; ns-3 computes all routes anew at that instant.
  void failures() {
    const std::optional<HpccLinkDown> down = hpcc_link_down(config_, inputs_);
    if (!down) return;
    section("failures");
    set("detect", "0", "ns-3 routes anew at once");
    set("converge", "0", "everywhere");
    body_ += "\n[[failure]]\n";
    set("link", fmt::format("[\"switch{}\", \"switch{}\"]", down->a, down->b), from("LINK_DOWN"));
    set("at", time_text(down->at_ps), "2 s and so many microseconds, for good");
    result_.notes.emplace_back(
        "what waits for the link of LINK_DOWN is dropped in both, but in ns-3 it stays in the account of the switch's "
        "memory, so that its ports pause sooner from then on");
  }

  void outputs() {
    section("output");
    for (const auto& [key, name] : {std::pair{"FCT_OUTPUT_FILE", "fct_file"}, {"PFC_OUTPUT_FILE", "pfc_file"}}) {
      if (const auto path = config_.word(key)) set(name, quoted(*path), from(key) + ": from the current folder");
    }
  }

  void finish() {
    result_.notes.emplace_back(
        "times are exact; ns-3 cuts the time of a packet on a link to whole ns (link.whole_nanoseconds)");
    std::string head = fmt::format("# {} of HPCC's ns-3, {}\n", quoted(config_.path()), kHpccImportMark);
    head += "# Where ns-3 computes something else:\n";
    for (const std::string& note : result_.notes) head += "#   " + printable(note) + "\n";
    std::string tail = result_.meaningless.empty() ? "" : "\n# No meaning here:\n";
    for (const std::string& line : result_.meaningless) tail += "#   " + printable(line) + "\n";
    result_.toml = head + body_ + tail;
  }

  const HpccImportOptions options_;
  HpccConfig config_;
  const HpccInputs inputs_;
  HpccImport result_;
  std::string body_;
};

}  // namespace

HpccImport import_hpcc_config(const std::string& path, const std::string& folder, const HpccImportOptions& options) {
  return Translation(path, folder, options).translate();
}

}  // namespace heddle
