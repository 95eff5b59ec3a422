#include "host/scenario/workload/traffic_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "host/base/error.hpp"
#include "host/scenario/topology/topology.hpp"
#include "host/scenario/workload/hosts.hpp"
#include "kernels/base/hash.hpp"
#include "kernels/base/units.hpp"
#include "kernels/state/packet.hpp"
#include "kernels/state/transport.hpp"
#include "kernels/world/fabric_parameters.hpp"

namespace heddle {
namespace {

/// 1.6 GB of message tables and outcomes; more messages are a mistake in a generator rather than a study.
constexpr u64 kMaxMessages = u64{1} << 25;
/// QPs of all jobs together; 65,536 at each of 24,576 endpoints would be 1.6 billion.
constexpr u64 kMaxConnectionQps = u64{1} << 26;

struct PairKey {
  u64 ends;
  u8 traffic_class;
  u32 connections;
  bool operator==(const PairKey&) const = default;
};

struct PairKeyHash {
  std::size_t operator()(const PairKey& key) const {
    return mix64(mix64(key.ends ^ (u64{key.traffic_class} << 20)) ^ key.connections);
  }
};

std::string where(Origin origin) {
  return origin.file.empty() ? fmt::format("{}[{}]", origin.section, origin.index)
                             : fmt::format("{}:{}:1", origin.file, origin.index);
}

/// A hint, as node ids of a file and endpoints are easily confused.
std::string about_numbers(Origin origin, const Fabric& fabric) {
  const std::string imported = about_imported_numbers(fabric);
  if (!imported.empty()) return "; " + imported;
  return origin.file.empty() ? ""
                             : "; without topology.kind = \"hpcc\", which reads the topology file that they belong to, "
                               "the node ids of a flow file are endpoints, counted from 0";
}

}  // namespace

TrafficBuilder::TrafficBuilder(const WorkloadOptions& options, World& world) : options_(options), world_(world) {}

void TrafficBuilder::reserve(u64 messages) { messages_.reserve(std::min(messages, kMaxMessages)); }

std::pair<EndpointId, EndpointId> TrafficBuilder::ends_of(const MessageOptions& message, Origin origin) const {
  if (world_.fabric.others.empty() && message.fabric.empty()) return {message.src, message.dst};
  const Hosts hosts = hosts_of_fabric(world_.fabric, message.fabric, where(origin));
  return {endpoint_at(hosts, message.src, where(origin) + ".src"),
          endpoint_at(hosts, message.dst, where(origin) + ".dst")};
}

u32 TrafficBuilder::add_message(EndpointId src, EndpointId dst, u64 bytes, TimePs post_ps, u8 traffic_class,
                                Origin origin) {
  const u32 endpoints = world_.fabric.endpoints;
  if (src >= endpoints || dst >= endpoints) {
    throw ConfigError(fmt::format("{}: {} -> {} names endpoint {}, but the fabric has {} (0 to {}){}", where(origin),
                                  src, dst, std::max(src, dst), endpoints, endpoints - 1,
                                  about_numbers(origin, world_.fabric)));
  }
  if (src == dst) {
    throw ConfigError(fmt::format(
        "{}: endpoint {} sends to itself, which never touches the network; choose another dst", where(origin), src));
  }
  if (bytes == 0) throw ConfigError(fmt::format("{}: {} -> {} has no bytes; give at least 1", where(origin), src, dst));
  const Framing framing = framing_of(world_, traffic_class);
  const u64 packets = framing.packets(bytes);
  if (packets > kMaxMessagePackets) {
    throw ConfigError(
        fmt::format("{}: {} -> {} is {} packets of {} = {} B, but a queue pair counts the packets of a message "
                    "in 32 bits; split it into messages of at most {} B",
                    where(origin), src, dst, packets, is_tcp(world_, traffic_class) ? "tcp.segment" : "roce.mtu",
                    framing.payload_bytes, kMaxMessagePackets * framing.payload_bytes));
  }
  if (post_ps < 0) throw ConfigError(fmt::format("{}: {} -> {} is posted before 0", where(origin), src, dst));
  if (messages_.size() == kMaxMessages) {
    throw ConfigError(fmt::format("{}: more than {} messages in all; take fewer or larger ones, or a shorter duration",
                                  where(origin), kMaxMessages));
  }
  const u32 number = static_cast<u32>(messages_.size());
  messages_.push_back({src, dst, bytes, post_ps, kNone, traffic_class, number});
  return number;
}

void TrafficBuilder::add_waits(u32 waiting, const MessageOptions& options, u32 first, u64 count, Origin origin) {
  const u64 named = options.after_sent.size() + options.after_received.size();
  if (options.after_count > named) {
    throw ConfigError(
        fmt::format("{}.after_count: {} messages are to be waited for, but after_sent and after_received "
                    "name {}; name more, or take a smaller count",
                    where(origin), options.after_count, named));
  }
  if (named == 0) return;
  const size_t before = waits_.size();
  for (const bool received : {false, true}) {
    for (const u64 of_list : received ? options.after_received : options.after_sent) {
      if (of_list >= count) {
        throw ConfigError(
            fmt::format("{}: waits for message {}, and there are messages 0 to {}", where(origin), of_list, count - 1));
      }
      add_wait(first + static_cast<u32>(of_list), received, waiting, origin);
    }
  }
  std::vector<MessageWait> own(waits_.begin() + static_cast<std::ptrdiff_t>(before), waits_.end());
  std::ranges::sort(own, {}, [](const MessageWait& w) { return std::pair{w.awaited, w.received}; });
  const auto twice = std::ranges::adjacent_find(own, [](const MessageWait& a, const MessageWait& b) {
    return a.awaited == b.awaited && a.received == b.received;
  });
  if (twice != own.end())
    throw ConfigError(
        fmt::format("{}: waits for message {} twice; name it once", where(origin), twice->awaited - first));
  messages_[waiting].waits_for = options.after_count != 0 ? options.after_count : static_cast<u32>(named);
}

void TrafficBuilder::post_behind(u32 waiting, const std::vector<u32>& awaited, bool received, Origin origin) {
  for (const u32 message : awaited) add_wait(message, received, waiting, origin);
  messages_[waiting].waits_for = static_cast<u32>(awaited.size());
}

TrafficBuilder::Exchange TrafficBuilder::add_exchange(EndpointId client, EndpointId server, u64 question_bytes,
                                                      u64 answer_bytes, TimePs post_ps, TimePs service_ps,
                                                      u8 traffic_class, u32 connections, Origin origin) {
  const u32 question = add_message(client, server, question_bytes, post_ps, traffic_class, origin);
  const u32 answer = add_message(server, client, answer_bytes, service_ps, traffic_class, origin);
  post_behind(answer, {question}, true, origin);
  use(connections, question);
  use(connections, answer);
  return {question, answer};
}

void TrafficBuilder::add_request(Request request, const std::vector<u32>& questions, const std::vector<u32>& answers) {
  std::vector<MessageId>& of_requests = world_.traffic.of_requests;
  request.first = static_cast<u32>(of_requests.size());
  request.questions = static_cast<u32>(questions.size());
  request.answers = static_cast<u32>(answers.size());
  world_.traffic.requests.push_back(request);
  of_requests.insert(of_requests.end(), questions.begin(), questions.end());
  of_requests.insert(of_requests.end(), answers.begin(), answers.end());
}

u64 TrafficBuilder::tcp_messages(u64 first) const {
  const auto begin = messages_.begin() + static_cast<std::ptrdiff_t>(first);
  return static_cast<u64>(
      std::count_if(begin, messages_.end(), [&](const PendingMessage& m) { return is_tcp(world_, m.traffic_class); }));
}

void TrafficBuilder::let_program_post(u32 message) {
  messages_[message].by_program = true;
  messages_[message].waits_for = 1;
}

void TrafficBuilder::add_wait(u32 awaited, bool received, u32 waiting, Origin origin) {
  const PendingMessage& other = messages_[awaited];
  const EndpointId knows = received ? other.dst : other.src, src = messages_[waiting].src;
  if (knows != src) {
    throw ConfigError(fmt::format(
        "{}: {} sends it, but waits for a message from {} to {} {}, and only {} knows when that is; a message can wait "
        "for what its own src sends (after_sent) or receives (after_received)",
        where(origin), world_.fabric.names[src], world_.fabric.names[other.src], world_.fabric.names[other.dst],
        received ? "to be received" : "to be acknowledged", world_.fabric.names[knows]));
  }
  waits_.push_back({awaited, received, waiting});
  waiting_.push_back(origin);
}

/// Checks that every message will be sent: that none waits for itself, or for one that stands behind it in a queue
/// pair. messages_ are in the order in which queue pairs send them.
void TrafficBuilder::check_circles() const {
  if (waits_.empty()) return;
  std::vector<std::vector<u32>> waiting(messages_.size());
  for (const MessageWait& wait : waits_) waiting[wait.awaited].push_back(wait.waiting);
  std::vector<u32> left(messages_.size()), behind(messages_.size(), kNone), last(qps_.size(), kNone), ended;
  std::vector<bool> is_first(messages_.size());  // of what its queue pair has not sent yet
  for (const PendingMessage& m : messages_) {
    left[m.number] = m.by_program ? 0 : m.waits_for;
    is_first[m.number] = last[m.qp] == kNone;
    if (!is_first[m.number]) behind[last[m.qp]] = m.number;
    last[m.qp] = m.number;
    if (is_first[m.number] && left[m.number] == 0) ended.push_back(m.number);
  }
  while (!ended.empty()) {
    const u32 done = ended.back();
    ended.pop_back();
    for (const u32 other : waiting[done]) {
      if (left[other] != 0 && --left[other] == 0 && is_first[other]) ended.push_back(other);
    }
    const u32 next = behind[done];
    if (next == kNone) continue;
    is_first[next] = true;
    if (left[next] == 0) ended.push_back(next);
  }
  const auto stuck = std::ranges::find_if(waits_, [&](const MessageWait& wait) { return left[wait.waiting] != 0; });
  if (stuck == waits_.end()) return;
  throw ConfigError(
      fmt::format("{}: would never be posted, as what it waits for waits for itself, for this one, or stands behind it "
                  "in a connection",
                  where(waiting_[static_cast<size_t>(stuck - waits_.begin())])));
}

void TrafficBuilder::add_connection(u32 connection, EndpointId src, EndpointId dst, u32 count) {
  if (qps_.size() + count > kMaxConnectionQps) {
    throw ConfigError(
        fmt::format("job: connection {} -> {}: more than {} QPs in all; use fewer GPUs, channels or QPs per "
                    "connection",
                    src, dst, kMaxConnectionQps));
  }
  world_.collectives.connections[connection].first_qp = static_cast<u32>(qps_.size());
  world_.collectives.connections[connection].qps = count;
  for (u32 i = 0; i < count; ++i) {
    Qp qp;
    qp.src = src;
    qp.dst = dst;
    qp.traffic_class = kCollectiveClass;
    qp.connection = connection;
    qp.scaling_index = i;
    qps_.push_back(qp);
  }
}

std::vector<bool> TrafficBuilder::with_messages() const {
  std::vector<bool> with(world_.fabric.endpoints, false);
  for (const PendingMessage& m : messages_) with[m.src] = with[m.dst] = true;
  return with;
}

u8 TrafficBuilder::class_number(const std::string& name, Origin origin) const {
  for (u32 c = 1; c < kClassNames.size(); ++c) {
    if (kClassNames[c] == name && c < world_.fabric.classes.size()) return static_cast<u8>(c);
  }
  throw ConfigError(fmt::format("{}.class: \"{}\" is no class for data here; use lossless", where(origin), name));
}

void TrafficBuilder::finish() {
  world_.traffic.source_port_per_qp = options_.source_port == "qp";
  // By time, so that a QP's messages are sent in the order in which they are posted, whatever their order in the input;
  // in connections that stand, where they may wait for each other, in that of the input.
  std::ranges::sort(messages_, {}, [](const PendingMessage& m) {
    return std::pair(m.connections == kNone ? m.post_ps : 0, m.number);
  });
  assign_qps();
  check_circles();
  order_qps();
  number_qps();
  order_messages();
}

/// The messages of a pair use its QPs in turn; a QP exists once a message needs it. Connections that stand have QPs of
/// their own. A message that waits for others and uses none has a QP alone, so that it delays no other.
void TrafficBuilder::assign_qps() {
  struct Pair {
    u32 messages = 0;
    std::vector<u32> qps;
  };
  std::unordered_map<PairKey, Pair, PairKeyHash> pairs;
  const auto add_qp = [&](const PendingMessage& m, u32 turn) {
    Qp qp;
    qp.src = m.src;
    qp.dst = m.dst;
    qp.traffic_class = m.traffic_class;
    qp.scaling_index = turn;
    qps_.push_back(qp);
    return static_cast<u32>(qps_.size() - 1);
  };
  for (PendingMessage& m : messages_) {
    if (m.waits_for != 0 && m.connections == kNone) {
      m.qp = add_qp(m, 0);
      continue;
    }
    Pair& pair = pairs[{(static_cast<u64>(m.src) << 32) | m.dst, m.traffic_class, m.connections}];
    const u32 turn = pair.messages++ % options_.qps_per_pair;
    if (turn == pair.qps.size()) pair.qps.push_back(add_qp(m, turn));
    m.qp = pair.qps[turn];
  }
}

/// A counting sort by source; a source's QPs keep their order, so those of a connection stay consecutive.
void TrafficBuilder::order_qps() {
  std::vector<u64> next(world_.fabric.endpoints + 1, 0);
  for (const Qp& qp : qps_) ++next[qp.src + 1];
  for (EndpointId e = 0; e < world_.fabric.endpoints; ++e) next[e + 1] += next[e];
  ordered_.resize(qps_.size());
  world_.traffic.qps.resize(qps_.size());
  for (u32 i = 0; i < qps_.size(); ++i) {
    ordered_[i] = static_cast<QpId>(next[qps_[i].src]++);
    world_.traffic.qps[ordered_[i]] = qps_[i];
  }
  for (Connection& c : world_.collectives.connections) {
    if (!c.nvlink) c.first_qp = ordered_[c.first_qp];
  }
}

void TrafficBuilder::number_qps() {
  std::vector<u32> sent(world_.fabric.endpoints, 0), received(world_.fabric.endpoints, 0);
  for (Qp& qp : world_.traffic.qps) {
    const u32 sender = sent[qp.src]++, receiver = received[qp.dst]++;
    if (sender >= kMaxQpsPerEndpoint || receiver >= kMaxQpsPerEndpoint) {
      throw ConfigError(
          fmt::format("workload: {} would have more than {} QPs of one direction; use fewer peers, "
                      "channels or QPs per connection",
                      world_.fabric.names[sender >= kMaxQpsPerEndpoint ? qp.src : qp.dst], kMaxQpsPerEndpoint));
    }
    qp.sender_number = static_cast<u16>(sender);
    qp.receiver_number = static_cast<u16>(receiver);
    const u64 pair = (static_cast<u64>(qp.src) << 32) | qp.dst;
    const u64 of_qp = world_.traffic.source_port_per_qp ? sender : 0;
    qp.source_port_entropy = static_cast<u16>(hash32(world_.seed, Stream::source_port, pair, of_qp) & 0xfff);
  }
}

void TrafficBuilder::order_messages() {
  std::vector<u64> next(world_.traffic.qps.size() + 1, 0);
  for (const PendingMessage& m : messages_) ++next[ordered_[m.qp] + 1];
  for (u64 q = 0; q < world_.traffic.qps.size(); ++q) next[q + 1] += next[q];
  world_.traffic.messages.resize(messages_.size());
  const bool are_named = !waits_.empty() || !world_.programs.batches.empty();
  std::vector<MessageId> final_number(are_named ? messages_.size() : 0);
  for (const PendingMessage& m : messages_) {
    const QpId qp = ordered_[m.qp];
    const MessageId id = static_cast<MessageId>(next[qp]++);
    world_.traffic.messages[id] = {qp, m.bytes, m.post_ps + jitter_ps(m.src, m.traffic_class, id), m.waits_for};
    if (are_named) final_number[m.number] = id;
  }
  for (MessageWait wait : waits_)
    world_.traffic.waits.push_back({final_number[wait.awaited], wait.received, final_number[wait.waiting]});
  std::ranges::sort(world_.traffic.waits, {}, [](const MessageWait& w) {
    return std::tuple{w.awaited, w.received, w.waiting};
  });
  renumber(final_number);
}

void TrafficBuilder::renumber(const std::vector<MessageId>& final_number) const {
  for (MessageId& message : world_.traffic.of_requests) message = final_number[message];
  for (MessageId& message : world_.routing.control.routes) message = final_number[message];
  for (u32& message : world_.programs.posted) message = final_number[message];
  for (AwaitedMessage& awaited : world_.programs.awaited) awaited.message = final_number[awaited.message];
}

TimePs TrafficBuilder::jitter_ps(EndpointId src, u8 traffic_class, MessageId id) const {
  if (options_.jitter_packets == 0) return 0;
  const u32 speed = world_.fabric.links[world_.fabric.nodes[src].first_link].ps_per_byte_q16;
  const Framing framing = framing_of(world_, traffic_class);
  const TimePs packet_ps = ser_ps(framing.payload_bytes + framing.overhead_wire_bytes, speed);
  const u64 max_ps = static_cast<u64>(packet_ps) * options_.jitter_packets;
  if (max_ps > 0xffffffffull) {
    throw ConfigError(
        fmt::format("workload.jitter_packets: {} packets are {} ps; jitter is drawn below 2^32 ps (4.3 ms)",
                    options_.jitter_packets, max_ps));
  }
  return static_cast<TimePs>(hash32(world_.seed, Stream::jitter, id) % max_ps);
}

}  // namespace heddle
