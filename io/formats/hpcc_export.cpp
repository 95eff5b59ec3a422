// Writers of fct.txt and pfc.txt.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "io/error.hpp"
#include "io/formats/hpcc.hpp"
#include "io/results/ideal.hpp"
#include "kernels/outcome/outcome.hpp"

namespace heddle {
namespace {

/// A text file being written; every failure throws OutputError.
class TextWriter {
 public:
  explicit TextWriter(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "w")) {
    if (!file_) fail();
  }
  void line(const std::string& text) {
    if (std::fputs(text.c_str(), file_.get()) < 0) fail();
  }
  void close() {
    if (std::fclose(file_.release()) != 0) fail();
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail() const {
    throw OutputError(
        fmt::format("cannot write '{}': {} (the export would be incomplete) check that the folder exists and "
                    "is writable and that the disk has room",
                    path_, std::strerror(errno)));
  }

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

u32 number_of(const HpccExport& names, NodeId node) {
  return names.node_numbers.empty() ? node : names.node_numbers[node];
}

/// HPCC's node_id_to_ip.
u32 address_of(const std::string& path, const HpccExport& names, NodeId node) {
  const u32 number = number_of(names, node);
  if (number > 0xffff) {
    throw InputError(
        fmt::format("cannot write '{}': node {} is beyond 65535, the last one that an HPCC address can hold; "
                    "use the columns of /message in the result file",
                    path, number));
  }
  return 0x0b000001u + ((number / 256) << 16) + ((number % 256) << 8);
}

std::vector<MessageId> by_completion(const Outcome& outcome) {
  std::vector<MessageId> finished;
  for (MessageId m = 0; m < outcome.messages.size(); ++m) {
    if (outcome.messages[m].acked_ps >= 0) finished.push_back(m);
  }
  std::stable_sort(finished.begin(), finished.end(), [&](MessageId a, MessageId b) {
    return outcome.messages[a].acked_ps < outcome.messages[b].acked_ps;
  });
  return finished;
}

}  // namespace

void write_hpcc_fct(const std::string& path, const World& world, const Outcome& outcome, const HpccExport& names) {
  TextWriter file(path);
  for (const MessageId m : by_completion(outcome)) {
    const Message& message = world.traffic.messages[m];
    const Qp& qp = world.traffic.qps[message.qp];
    const TimePs posted = posted_ps(message, outcome.messages[m]);
    const u32 dst_port = names.dst_ports.empty() ? 100 : names.dst_ports[m];
    file.line(fmt::format("{:08x} {:08x} {} {} {} {} {} {}\n", address_of(path, names, qp.src),
                          address_of(path, names, qp.dst), 0xC000u | qp.source_port_entropy, dst_port, message.bytes,
                          posted / 1000, (outcome.messages[m].acked_ps - posted) / 1000,
                          ideal_completion_ps(world, m) / 1000));
  }
  file.close();
}

void write_hpcc_pfc(const std::string& path, const World& world, std::span<const Event> events,
                    const HpccExport& names) {
  TextWriter file(path);
  for (const Event& e : events) {
    if (e.kind != EventKind::pause && e.kind != EventKind::resume) continue;
    const Fabric& fabric = world.fabric;
    // The ingress port p of a node belongs to the cable of its egress port p; the paused end is the other one.
    const Link& out = fabric.links[fabric.nodes[e.node].first_link + e.port];
    const u32 type = fabric.nodes[out.dst].kind == NodeKind::node_switch ? 1 : 0;
    file.line(fmt::format("{} {} {} {} {}\n", e.time_ps / 1000, number_of(names, out.dst), type, out.dst_port + 1,
                          e.kind == EventKind::pause ? 1 : 0));
  }
  file.close();
}

}  // namespace heddle
