#include "tests/validation/peer_case.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace heddle::validation {
namespace {

constexpr u64 kKb = 1000;

PeerCase htsim(std::string name, std::string paths, u64 pauses, u64 low_packets, u64 high_packets) {
  PeerCase run{.peer = Peer::htsim, .name = std::move(name), .paths = std::move(paths), .pauses = pauses};
  run.high_bytes = high_packets * 4096;  // htsim multiplies by the payload, and counts whole packets against it
  run.low_bytes = low_packets * 4096;
  return run;
}

PeerCase on(PeerFabric fabric, PeerCase run) {
  run.fabric = fabric;
  return run;
}

PeerCase ns3(std::string name, std::string paths, u64 buffer_mib, u64 pauses) {
  PeerCase run{.peer = Peer::ns3, .name = std::move(name), .paths = std::move(paths), .pauses = pauses};
  run.buffer_mib = buffer_mib;
  return run;
}

PeerCase with_dcqcn(PeerCase run, u64 kmin_kb, u64 kmax_kb, u64 marks) {
  run.kmin_bytes = kmin_kb * kKb;
  run.kmax_bytes = kmax_kb * kKb;
  run.marks = marks;
  return run;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
  return fields;
}

}  // namespace

const char* name_of(Peer peer) { return peer == Peer::htsim ? "htsim" : "ns-3"; }

const std::vector<PeerCase>& peer_cases() {
  static const std::vector<PeerCase> all = {
      htsim("one_packet", "htsim_one_flow_paths.csv", 0, 150, 200),
      htsim("one_flow", "htsim_one_flow_paths.csv", 0, 150, 200),
      htsim("incast8_1MB", "htsim_incast8_paths.csv", 195, 12, 15),
      htsim("incast8_10MB", "htsim_incast8_paths.csv", 520, 150, 200),
      htsim("permutation128", "htsim_permutation128_paths.csv", 2548, 150, 200),
      on(PeerFabric::fat_tree, htsim("fat_tree_one_flow", "htsim_fat_tree_one_flow_paths.csv", 0, 150, 200)),
      on(PeerFabric::fat_tree,
         htsim("fat_tree_permutation128", "htsim_fat_tree_permutation128_paths.csv", 3850, 150, 200)),
      on(PeerFabric::k8, htsim("k8_one_flow", "htsim_k8_one_flow_paths.csv", 0, 150, 200)),
      with_dcqcn(ns3("one_packet", "ns3_one_flow_paths.csv", 32, 0), 1600, 6400, 0),
      with_dcqcn(ns3("one_flow", "ns3_one_flow_paths.csv", 32, 0), 1600, 6400, 0),
      ns3("incast8_1MB", "ns3_incast8_paths.csv", 8, 47),
      with_dcqcn(ns3("incast8_1MB_dcqcn", "ns3_incast8_paths.csv", 8, 47), 1600, 6400, 34),
      ns3("incast8_10MB", "ns3_incast8_paths.csv", 32, 796),
      with_dcqcn(ns3("incast8_10MB_dcqcn", "ns3_incast8_paths.csv", 32, 0), 400, 1600, 4320),
      with_dcqcn(ns3("permutation128_dcqcn", "ns3_permutation128_paths.csv", 32, 48), 1600, 6400, 5031),
  };
  return all;
}

const PeerCase& peer_case(Peer peer, const std::string& name) {
  for (const PeerCase& run : peer_cases()) {
    if (run.peer == peer && run.name == name) return run;
  }
  throw std::invalid_argument(fmt::format("no run {} of {}; see peer_cases()", name, name_of(peer)));
}

PeerFlows peer_flows(const PeerCase& run) {
  const bool htsim = run.peer == Peer::htsim;
  const std::string path = std::string("tests/validation/data/") + (htsim ? "htsim_fct.csv" : "ns3_fct.csv");
  const double unit_ps = htsim ? 1e6 : 1e3;  // fct_us or fct_ns
  std::ifstream in(path);
  if (!in) throw std::runtime_error(path + ": cannot be opened; run the tests from the repository's root");
  PeerFlows flows;
  std::string line;
  std::getline(in, line);  // the header
  for (u32 number = 2; std::getline(in, line); ++number) {
    const std::vector<std::string> fields = fields_of(line);
    if (fields.size() != 5) throw std::runtime_error(fmt::format("{}, line {}: not 5 fields", path, number));
    if (fields[0] != run.name) continue;
    const FlowKey key{static_cast<u32>(std::stoul(fields[1])), static_cast<u32>(std::stoul(fields[2]))};
    flows[key] = {std::stoull(fields[3]), std::llround(std::stod(fields[4]) * unit_ps), fields[4]};
  }
  if (flows.empty()) throw std::runtime_error(fmt::format("{}: no flow of run {}", path, run.name));
  return flows;
}

}  // namespace heddle::validation
