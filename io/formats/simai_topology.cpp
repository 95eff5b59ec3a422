#include "io/formats/simai_topology.hpp"

#include <fmt/format.h>

#include "io/formats/links.hpp"

namespace heddle {
namespace {

enum class NodeKind : u8 { gpu, nvswitch, network };

class SimaiTopologyReader {
 public:
  explicit SimaiTopologyReader(const std::string& path) : file_(path) {}

  PlainServers read() {
    const TextLine& head = file_.take("the first line, 'nodes gpus_per_server nvswitches switches links gpu_type',");
    file_.expect_fields(head, "nodes gpus_per_server nvswitches switches links gpu_type", 6);
    PlainTopology& network = made_.network;
    network.nodes = static_cast<u32>(file_.number(head.fields[0], "number of nodes", 1, kMaxFileNodes));
    const u64 per_server = file_.number(head.fields[1], "GPUs per server", 1, network.nodes);
    const u64 nvswitches = file_.number(head.fields[2], "number of NVSwitches", 0, network.nodes);
    const u64 switches = file_.number(head.fields[3], "number of switches", 0, network.nodes - nvswitches);
    const u64 links = file_.number(head.fields[4], "number of links", 0, kMaxFileLinks);
    read_kinds(nvswitches, switches);
    number_gpus(head, per_server);
    made_.gpus_per_server = nvswitches == 0 ? 1 : static_cast<u32>(per_server);
    for (u64 i = 0; i < links; ++i) {
      const TextLine& line = file_.take(fmt::format("link {} of the {} that the first line declares", i + 1, links));
      links_.push_back(read_link(file_, line, network.nodes - 1));
      add_link(links_.back());
    }
    if (!file_.at_end()) {
      file_.fail(file_.peek().number, 1,
                 fmt::format("more follows behind the {} links that the first line declares; correct it", links));
    }
    check_repeated(file_, links_);
    if (network.links.empty() && switches == 0 && nvswitches != 0 && gpus_ == per_server) add_idle_switch();
    check_gpus();
    check_nvswitches();
    check_connected(file_, network);
    return std::move(made_);
  }

 private:
  static constexpr u32 kNoServer = kNone;
  static constexpr u64 kIdleBitsPerS = 400'000'000'000;
  static constexpr i64 kIdleLatencyPs = 1'000'000;

  void read_kinds(u64 nvswitches, u64 switches) {
    std::vector<u32> ids;
    while (ids.size() < nvswitches + switches) {
      const TextLine& line = file_.take("the ids of NVSwitches and switches");
      if (ids.size() + line.fields.size() > nvswitches + switches) {
        file_.fail(line.fields[nvswitches + switches - ids.size()],
                   fmt::format("more ids than the {} NVSwitches and {} switches that the first line declares",
                               nvswitches, switches));
      }
      read_ids(file_, line, "switch", made_.network.nodes - 1, ids);
    }
    kinds_.assign(made_.network.nodes, NodeKind::gpu);
    for (size_t i = 0; i < ids.size(); ++i) kinds_[ids[i]] = i < nvswitches ? NodeKind::nvswitch : NodeKind::network;
    made_.network.switches.assign(ids.begin() + static_cast<std::ptrdiff_t>(nvswitches), ids.end());
    made_.network.left_out.resize(kinds_.size());
    for (size_t n = 0; n < kinds_.size(); ++n) made_.network.left_out[n] = kinds_[n] == NodeKind::nvswitch;
  }

  void number_gpus(const TextLine& head, u64 per_server) {
    server_.assign(kinds_.size(), kNoServer);
    for (size_t n = 0; n < kinds_.size(); ++n) {
      if (kinds_[n] == NodeKind::gpu) server_[n] = gpus_++ / static_cast<u32>(per_server);
    }
    if (gpus_ % per_server != 0) {
      file_.fail(head.fields[1], fmt::format("{} GPUs are not whole servers of {}", gpus_, per_server));
    }
    nvlink_bits_per_s_.assign(kinds_.size(), 0);
    network_links_.assign(kinds_.size(), 0);
    joined_.resize(kinds_.size());
  }

  /// Every GPU has a NIC here: one server alone hangs on a switch that is not in the file.
  void add_idle_switch() {
    made_.alone = true;
    PlainTopology& network = made_.network;
    const u32 added = network.nodes++;
    network.switches.push_back(added);
    network.left_out.push_back(false);
    for (u32 n = 0; n < added; ++n) {
      if (kinds_[n] != NodeKind::gpu) continue;
      network.links.push_back({n, added, kIdleBitsPerS, kIdleLatencyPs, 0, 1, 1});
      ++network_links_[n];
    }
  }

  void add_link(const PlainLink& link) {
    const auto [gpu, other] = kinds_[link.a] == NodeKind::gpu ? std::pair{link.a, link.b} : std::pair{link.b, link.a};
    if (kinds_[link.a] != NodeKind::nvswitch && kinds_[link.b] != NodeKind::nvswitch) {
      if (kinds_[gpu] == NodeKind::gpu && kinds_[other] == NodeKind::gpu) {
        file_.fail(
            link.line, 1,
            fmt::format("GPUs {} and {} are joined by a link; GPUs of a server are by NVSwitches", link.a, link.b));
      }
      if (kinds_[gpu] == NodeKind::gpu) ++network_links_[gpu];
      made_.network.links.push_back(link);
      return;
    }
    if (kinds_[gpu] != NodeKind::gpu) {
      file_.fail(link.line, 1,
                 fmt::format("nodes {} and {} are joined, but an NVSwitch joins GPUs of one server and nothing else",
                             link.a, link.b));
    }
    if (link.error_rate != 0)
      file_.fail(link.line, link.error_rate_column, "NVLink loses nothing here; set its error rate to 0");
    server_[other] = server_[other] == kNoServer ? server_[gpu] : server_[other];
    if (server_[other] != server_[gpu]) {
      file_.fail(
          link.line, 1,
          fmt::format("NVSwitch {} joins GPUs of servers {} and {}; servers are {} GPUs with numbers that follow each "
                      "other",
                      other, server_[other], server_[gpu], made_.gpus_per_server));
    }
    nvlink_bits_per_s_[gpu] += link.bits_per_s;
    joined_[other].push_back(link.line);
  }

  void check_gpus() {
    for (u32 n = 0; n < kinds_.size(); ++n) {
      if (kinds_[n] != NodeKind::gpu) continue;
      if (network_links_[n] == 0) {
        file_.fail(1, 1,
                   fmt::format("GPU {} has no link into the network; every GPU has a NIC here, but where the file "
                               "is one server and no switch",
                               n));
      }
      if (made_.gpus_per_server > 1 && made_.nvlink_bits_per_s == 0) made_.nvlink_bits_per_s = nvlink_bits_per_s_[n];
      if (nvlink_bits_per_s_[n] == 0 && made_.gpus_per_server > 1)
        file_.fail(1, 1, fmt::format("GPU {} has no link to an NVSwitch, but others have", n));
      if (nvlink_bits_per_s_[n] != made_.nvlink_bits_per_s) {
        file_.fail(1, 1,
                   fmt::format("GPU {} has {} bit/s to its NVSwitches, but others have {}; NVLink is as fast "
                               "everywhere here",
                               n, nvlink_bits_per_s_[n], made_.nvlink_bits_per_s));
      }
    }
  }

  /// Any two GPUs of a server have all of NVLink's rate between them.
  void check_nvswitches() const {
    for (u32 n = 0; n < kinds_.size(); ++n) {
      if (kinds_[n] != NodeKind::nvswitch || joined_[n].size() == made_.gpus_per_server) continue;
      file_.fail(joined_[n].empty() ? 1 : joined_[n].back(), 1,
                 fmt::format("NVSwitch {} joins {} GPUs of a server of {}, so others have no path through it; link it "
                             "to all of them",
                             n, joined_[n].size(), made_.gpus_per_server));
    }
  }

  TextFile file_;
  PlainServers made_;
  std::vector<PlainLink> links_;  // all of the file, in its order
  std::vector<NodeKind> kinds_;   // [node]
  u32 gpus_ = 0;
  std::vector<u32> server_;               // [node] of GPUs, and of NVSwitches as soon as a link says it
  std::vector<u64> nvlink_bits_per_s_;    // [node] of a GPU
  std::vector<u32> network_links_;        // [node] of a GPU
  std::vector<std::vector<u32>> joined_;  // [node] of an NVSwitch: the lines of its links
};

}  // namespace

PlainServers read_simai_topology(const std::string& path) { return SimaiTopologyReader(path).read(); }

}  // namespace heddle
