#include "tests/bench/cases.hpp"

#include <fmt/format.h>

namespace heddle::bench {
namespace {

std::string zone(int racks) {
  return fmt::format(
      "[topology]\nkind = 'ai_zone'\nracks = {}\ngpus_per_rack = 16\nctsws = 18\nuplinks_per_rtsw = 18\n", racks);
}

/// 24,576 GPUs: 8 pods of 192 racks.
std::string pods() {
  return "[topology]\nkind = 'multi_zone'\nzones = 8\nracks = 192\ngpus_per_rack = 16\nctsws = 18\nuplinks_per_rtsw = "
         "18\n"
         "atsws = 28\nuplinks_per_ctsw = 28\n";
}

std::string features(bool on) {
  if (on) return "[dcqcn]\nenabled = true\npreset = 'connectx'\n";  // PFC and ECN are on by default
  // queues without a limit: nothing is lost, no memory counts; where ports own theirs that is refused
  return "[class.lossless]\npfc = false\necn = false\n[ecn]\nenabled = false\n[dcqcn]\nenabled = false\n"
         "[buffer.ctsw]\nkind = 'shared'\n[buffer.atsw]\nkind = 'shared'\n";
}

/// Every endpoint of `hosts` (0: all) sends to another for longer than any case runs: 400G, 4 KiB packets, 16 queue
/// pairs a pair, which share the line and spread over the uplinks (Meta SIGCOMM'24: 16 for LLM training).
std::string permutation(int hosts) {
  return fmt::format(
      "[workload]\nqps_per_pair = 16\n"
      "[[generator]]\nkind = 'permutation'\nhosts = {}\nbytes = '4 MiB'\nmessages = 16\n",
      hosts);
}

// 20 slots: with these latencies one tick is one epoch.
const char* const kSimulation = "[simulation]\nepoch = '655360 ps'\n[routing]\npolicy = 'e_ecmp'\n";

Case permutation_case(int gpus, bool on, double warm_up_us, double end_us) {
  return {fmt::format("permutation-{}-{}", gpus, on ? "on" : "off"),
          kSimulation + (gpus > 4096 ? pods() : zone(gpus / 16)) + features(on) + permutation(0), warm_up_us, end_us};
}

/// One collective over all GPUs of a fabric, without DCQCN.
std::string collective(const std::string& fabric, int gpus, const char* of_job, const char* size) {
  return kSimulation + fabric +
         fmt::format(
             "[dcqcn]\nenabled = false\n[[job]]\ngpus = {}\ngpus_per_server = 8\nqps_per_connection = 16\n"
             "qp_scaling = 'round_robin'\n{}[[job.collective]]\nkind = 'all_reduce'\nsizes = ['{}']\n",
             gpus, of_job, size);
}

/// In a zone of 1,024 GPUs the first of every rack gets from one in each of 15 other racks: queues, marks and pauses.
std::string incasts() {
  std::string toml = kSimulation + zone(64) + features(true);
  for (int rack = 0; rack < 64; ++rack)
    toml += fmt::format("[[generator]]\nkind = 'incast'\nfan_in = 15\ntarget = {}\nstride = 17\nbytes = '4 MiB'\n",
                        rack * 16);
  return toml;
}

const char* const kRing = "algorithm = 'ring'\nprotocol = 'simple'\nchannels = 1\n";

}  // namespace

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const bool on : {true, false}) {
    cases.push_back(permutation_case(128, on, 40, 440));
    cases.push_back(permutation_case(1024, on, 40, 140));
    cases.push_back(permutation_case(24'576, on, 60, 100));
  }
  cases.push_back({"one-rack-24576", kSimulation + pods() + features(true) + permutation(16), 40, 240});
  cases.push_back({"ring-512", collective(zone(32), 512, kRing, "16 MiB"), 100, 5100});
  cases.push_back({"trees-512", collective(zone(32), 512, "", "256 MiB"), 100, 1100});
  cases.push_back({"incast-1024", incasts(), 40, 240});
  Case settled = permutation_case(24'576, true, 400, 440);
  settled.name = "settled-24576-on";
  settled.on_request = true;
  cases.push_back(settled);
  cases.push_back({"ring-24576", collective(pods(), 24'576, kRing, "1 GiB"), 100, 300, true});
  return cases;
}

}  // namespace heddle::bench
