#include "host/selftest/worlds.hpp"

#include <fmt/format.h>

#include <functional>
#include <string_view>
#include <vector>

#include "kernels/base/hash.hpp"
#include "kernels/routing/policy_info.hpp"

namespace heddle {
namespace {

/// Random numbers of one World, drawn in order.
class Draws {
 public:
  explicit Draws(u64 seed) : seed_(seed) {}
  /// A number from `least` to `most`.
  u64 between(u64 least, u64 most) { return least + hash64(seed_, Stream::workload, ++drawn_) % (most - least + 1); }

 private:
  u64 seed_, drawn_ = 0;
};

std::string simulation(u64 seed, const char* horizon = "1 ms") {
  return fmt::format("[simulation]\nseed = {}\nepoch = '655360 ps'\nhorizon = '{}'\n", seed, horizon);
}

/// A zone of 4 racks of 4 GPUs under 4 spines.
const char* const kZone =
    "[topology]\nkind = 'ai_zone'\nracks = 4\ngpus_per_rack = 4\nctsws = 4\nuplinks_per_rtsw = 4\n";
/// Two zones of 2 racks of 4 GPUs.
const char* const kPods =
    "[topology]\nkind = 'multi_zone'\nzones = 2\nracks = 2\ngpus_per_rack = 4\nctsws = 2\nuplinks_per_rtsw = 2\n"
    "atsws = 2\nuplinks_per_ctsw = 2\n";
/// Marking from a few packets on, so that DCQCN is active.
const char* const kEarlyMarks = "[routing]\npolicy = 'e_ecmp'\n[ecn]\nkmin = '20 KB'\nkmax = '80 KB'\n";
/// Buffers so small that a few hundred KB pause their senders.
const char* const kShallow = "[buffer.rtsw]\nkind = 'shared'\nalpha = 0.015625\n[buffer.ctsw]\nbytes = '600 KB'\n";

std::string incast(Draws& draw, u64 min_kib) {
  return fmt::format("[[generator]]\nkind = 'incast'\nfan_in = 15\ntarget = {}\nbytes = '{} KiB'\nmessages = 2\n",
                     draw.between(0, 15), draw.between(min_kib, min_kib * 3 / 2));
}

std::string permutation(Draws& draw, u32 messages) {
  return fmt::format("[[generator]]\nkind = 'permutation'\nbytes = '{} KiB'\nmessages = {}\n", draw.between(100, 300),
                     messages);
}

std::string job(u32 gpus_per_server, const std::string& settings, const std::string& collective) {
  return fmt::format("[[job]]\ngpus = 16\ngpus_per_server = {}\nqps_per_connection = 2\n{}[[job.collective]]\n{}",
                     gpus_per_server, settings, collective);
}

std::string pauses(u64 seed) {
  Draws draw(seed);
  return simulation(seed) + kZone + kShallow + "[dcqcn]\nenabled = false\n" + incast(draw, 256);
}

std::string dcqcn(u64 seed) {
  Draws draw(seed);
  return simulation(seed) + kPods + kEarlyMarks +
         "[dcqcn]\nenabled = true\npreset = 'connectx'\n[workload]\nqps_per_pair = 2\n" + incast(draw, 128);
}

/// Queues of a class without pauses overflow; go-back-N retransmits.
std::string drops(u64 seed) {
  Draws draw(seed);
  return simulation(seed) + kZone + "[class.lossless]\npfc = false\nlimit = '100 KB'\n[roce]\nrto = '50 us'\n" +
         incast(draw, 64);
}

/// Packets arrive out of order and are lost; selective repeat places them and fills the gaps.
std::string spray(u64 seed) {
  Draws draw(seed);
  return simulation(seed) + kZone +
         "[routing]\npolicy = 'spray'\n[class.lossless]\npfc = false\nlimit = '60 KB'\n[roce]\nrecovery = "
         "'selective_repeat'\nrto = '50 us'\n" +
         permutation(draw, 2) + incast(draw, 64);
}

/// A spine fails and recovers, a cable has bit errors, another one is slow: packets are lost, next hops change.
std::string failures(u64 seed) {
  Draws draw(seed);
  return simulation(seed) + kZone + "[routing]\npolicy = 'weighted'\n[roce]\nrto = '30 us'\n" +
         fmt::format(
             "[failures]\ndetect = '5 us'\nconverge = '20 us'\n[[failure]]\nnode = 'ctsw{}'\nat = '{} us'\nuntil = '60 "
             "us'\n"
             "[[failure]]\nlink = ['rtsw1', 'ctsw2']\nkind = 'bit_errors'\nbit_error_rate = 1e-6\nat = '0 s'\n"
             "[[failure]]\nlink = ['rtsw2', 'ctsw1']\nkind = 'rate'\nrate = '100 Gb/s'\nat = '7 us'\n",
             draw.between(0, 3), draw.between(6, 12)) +
         permutation(draw, 4);
}

std::string flowlets(u64 seed) {
  Draws draw(seed);
  return simulation(seed) + kZone + "[routing]\npolicy = 'flowlet'\n[routing.flowlet]\ngap = '1 us'\nentries = 16\n" +
         fmt::format("[[generator]]\nkind = 'poisson'\nbytes = '{} KiB'\nload = 0.6\nduration = '60 us'\n",
                     draw.between(16, 48));
}

/// A ring in servers of 4 by NVLink, between them by the network, on pinned paths.
std::string rings(u64 seed) {
  Draws draw(seed);
  return simulation(seed, "10 ms") + kZone + "[routing]\npolicy = 'path_pinning'\n" +
         job(4, "algorithm = 'ring'\nprotocol = 'simple'\nchannels = 2\n",
             fmt::format("kind = 'all_reduce'\nsizes = ['{} KiB']\n", draw.between(512, 1024)));
}

std::string trees(u64 seed) {
  Draws draw(seed);
  return simulation(seed, "10 ms") + kPods + "[routing]\npolicy = 'ecmp'\n[routing.hash]\nfunction = ['crc32']\n" +
         job(2, "algorithm = 'tree'\nprotocol = 'll128'\nchannels = 2\n",
             fmt::format("kind = 'all_reduce'\nsizes = ['{} KiB']\nrepeat = 2\n", draw.between(64, 256)));
}

/// An all-to-all in closed form, with connections created on first use.
std::string all_to_all(u64 seed) {
  Draws draw(seed);
  return simulation(seed, "10 ms") + kPods + kEarlyMarks + "[dcqcn]\nenabled = true\n" +
         job(4, "p2p_window = 3\n", fmt::format("kind = 'all_to_all'\nsizes = ['{} KiB']\n", draw.between(512, 1536)));
}

/// 512 endpoints, and spines with too many ports for a GPU's block of several switches: work for many blocks.
std::string large(u64 seed) {
  Draws draw(seed);
  return simulation(seed) + kEarlyMarks +
         "[topology]\nkind = 'ai_zone'\nracks = 128\ngpus_per_rack = 4\nctsws = 2\nuplinks_per_rtsw = 2\n"
         "[dcqcn]\nenabled = true\n" +
         fmt::format("[[generator]]\nkind = 'permutation'\nbytes = '{} KiB'\n", draw.between(48, 80));
}

/// A mixture of experts with tensor, pipeline, expert and data parallelism.
std::string training(u64 seed) {
  return simulation(seed, "100 ms") + kZone +
         "[routing]\npolicy = 'e_ecmp'\n[[job]]\ngpus = 16\ngpus_per_server = 4\n[job.training]\nmodel = 'custom'\n"
         "layers = 2\nhidden = 64\nffn_hidden = 128\nattention_heads = 4\nkv_heads = 2\nvocabulary = 256\nexperts = 2\n"
         "experts_per_token = 1\nsequence_length = 128\ntensor_parallel = 2\npipeline_parallel = 2\n"
         "expert_parallel = 2\nmicro_batches = 2\nforward = '20 us'\njitter = 0.2\nslow_ranks = [5]\niterations = 2\n";
}

/// With nothing but a permutation, which may come out of order.
std::string with_policy(std::string_view policy, u64 seed) {
  Draws draw(seed);
  return simulation(seed) + kZone +
         fmt::format("[routing]\npolicy = '{}'\n[roce]\nrecovery = 'selective_repeat'\n", policy) +
         permutation(draw, 3);
}

struct Kind {
  std::string name;
  std::function<std::string(u64 seed)> toml;
};

/// One more for each routing policy that reads no file and that no other kind has.
std::vector<Kind> with_all_policies(std::vector<Kind> kinds) {
  std::string texts;
  for (const Kind& kind : kinds) texts += kind.toml(1);
  for (const PolicyInfo& policy : routing_policies()) {
    if (policy.follows_paths || texts.find(fmt::format("policy = '{}'", policy.name)) != std::string::npos) continue;
    kinds.push_back({std::string(policy.name), [&policy](u64 seed) { return with_policy(policy.name, seed); }});
  }
  return kinds;
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kKinds = with_all_policies({{"pauses", pauses},
                                                             {"dcqcn", dcqcn},
                                                             {"drops", drops},
                                                             {"spray", spray},
                                                             {"failures", failures},
                                                             {"flowlets", flowlets},
                                                             {"rings", rings},
                                                             {"trees", trees},
                                                             {"all-to-all", all_to_all},
                                                             {"training", training},
                                                             {"large", large}});
  return kKinds;
}

}  // namespace

u32 self_test_kinds() { return static_cast<u32>(kinds().size()); }

SelfTestWorld self_test_world(u32 number) {
  const Kind& kind = kinds()[number % kinds().size()];
  const u64 seed = 1 + number / kinds().size();
  return {kind.name, seed, kind.toml(seed)};
}

}  // namespace heddle
