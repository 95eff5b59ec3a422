// [workload], [collective], [[message]], [[generator]] and [[slow_receiver]].
#include <numeric>

#include "tests/property/draw.hpp"
#include "tests/property/shape.hpp"

namespace heddle::property {
namespace {

/// Draws a message of up to `packets` packets. Whole multiples of the MTU, one byte more and one less are frequent.
u64 message_bytes(Draw& draw, const Shape& shape, u64 packets) {
  const u64 bytes = draw.between(1, std::max<u64>(packets, 1)) * shape.mtu_bytes;
  switch (draw.below(6)) {
    case 0:
      return bytes + 1;
    case 1:
      return bytes - 1;
    case 2:
      return draw.between(1, bytes);
    case 3:
      return draw.between(1, 64);
    default:
      return bytes;
  }
}

const char* data_class(Draw& draw) { return draw.percent(70) ? "lossless" : "best_effort"; }

/// Draws an instant, such that many messages share it.
u64 post_ps(Draw& draw, const Shape& shape) {
  return draw.percent(60) ? 0 : draw.percent(50) ? draw.below(8) * shape.packet_ps() : draw.below(10'000'000);
}

/// Writes what a message from `src` waits for, if anything: earlier messages, whose ends are `ends`.
void write_waits(Draw& draw, u64 src, const std::vector<std::pair<u64, u64>>& ends, u64 first, TomlText& toml) {
  std::string sent, received;
  u64 named = 0;
  for (u64 i = 0; i < ends.size(); ++i) {
    const auto name = [&](std::string& list) {
      list += (list.empty() ? "" : ", ") + std::to_string(first + i);
      ++named;
    };
    if (ends[i].first == src && draw.percent(40)) name(sent);
    if (ends[i].second == src && draw.percent(80)) name(received);
  }
  if (!sent.empty()) toml.raw("after_sent", "[" + sent + "]");
  if (!received.empty()) toml.raw("after_received", "[" + received + "]");
  if (named != 0 && draw.percent(40)) toml.number("after_count", draw.between(0, named));
}

/// `first`: number of earlier messages. Returns the number of messages written.
u64 write_messages(Draw& draw, const Shape& shape, const Hosts& hosts, u32 packets, u64 first, TomlText& toml) {
  const u64 count = draw.between(1, 12);
  const u64 each = std::max<u64>(packets / count, 1);
  const u64 common_bytes = draw.percent(50) ? message_bytes(draw, shape, each) : 0;
  const char* common_class = draw.percent(60) ? data_class(draw) : nullptr;
  u64 src = 0, dst = 1;
  Draw waits(shape.seed, "messages that wait");
  const bool some_wait = waits.percent(40), some_stand = waits.percent(50);
  std::vector<std::pair<u64, u64>> ends;  // src, dst of the messages that others may wait for
  for (u64 i = 0; i < count; ++i) {
    if (i == 0 || draw.percent(60)) {  // else one more message of the same pair
      src = draw.below(hosts.count);
      dst = (src + 1 + draw.below(hosts.count - 1)) % hosts.count;
    }
    toml.section("[[message]]");
    toml.number("src", hosts.first + src);
    toml.number("dst", hosts.first + dst);
    toml.bytes("bytes", common_bytes != 0 ? common_bytes : message_bytes(draw, shape, each));
    toml.time_ps("post", post_ps(draw, shape));
    toml.word("class", common_class != nullptr ? common_class : data_class(draw));
    if (some_wait) write_waits(waits, src, ends, first, toml);
    if (some_stand && waits.percent(60)) toml.number("connection", waits.between(1, 2));
    ends.emplace_back(src, dst);
  }
  return count;
}

/// Writes all of `free`, which end with the last endpoint, or some of them, for generators that take a range.
Hosts write_hosts(Draw& draw, const Shape& shape, const Hosts& free, TomlText& toml) {
  Hosts hosts = free;
  const bool some = !shape.dense && draw.percent(25);
  if (some) hosts.first += draw.below(free.count - 1);
  hosts.count = free.first + free.count - hosts.first;
  if (some || hosts.first != 0) toml.number("first_host", hosts.first);
  if (!some) return hosts;
  if (!draw.percent(60)) return hosts;
  hosts.count = draw.between(2, hosts.count);
  toml.number("hosts", hosts.count);
  return hosts;
}

/// Draws a stride that gives every sender another host: with a factor in common with the number of hosts it repeats too
/// soon.
u64 draw_stride(Draw& draw, u64 hosts) {
  const u64 stride = draw.between(1, 2 * hosts);
  return std::gcd(stride, hosts) == 1 ? stride : 1;
}

void write_pairs_generator(Draw& draw, const Shape& shape, const Hosts& free, u32 packets, TomlText& toml) {
  const char* kind = shape.dense ? draw.pick({"permutation", "all_to_all"})
                                 : draw.pick({"incast", "incast", "incast", "permutation", "all_to_all"});
  toml.section("[[generator]]");
  toml.word("kind", kind);
  const Hosts hosts = write_hosts(draw, shape, free, toml);
  u64 pairs = hosts.count;
  if (kind == std::string("all_to_all")) pairs *= hosts.count - 1;
  if (kind == std::string("incast")) {
    pairs = draw.between(1, hosts.count - 1);
    toml.number("fan_in", pairs);
    toml.number("target", hosts.first + draw.below(hosts.count));
    if (draw.percent(40)) toml.number("stride", draw_stride(draw, hosts.count));
  }
  const u64 messages = draw.pick<u64>({1, 1, 2, 5});
  const u64 each = packets / (pairs * messages);
  toml.number("messages", messages);
  toml.bytes("bytes", shape.dense ? each * shape.mtu_bytes : message_bytes(draw, shape, each));
  toml.time_ps("start", post_ps(draw, shape));
  if (draw.percent(50)) toml.time_ps("interval", draw.below(5'000'000));
  toml.word("class", data_class(draw));
}

void write_poisson(Draw& draw, const Shape& shape, const Hosts& free, u32 packets, TomlText& toml) {
  toml.section("[[generator]]");
  toml.word("kind", "poisson");
  const Hosts hosts = write_hosts(draw, shape, free, toml);
  if (draw.percent(40)) {
    toml.file("size_cdf", "." + std::to_string(toml.files().size()) + ".cdf",
              "1 0\n" + std::to_string(shape.mtu_bytes) + " 60\n" + std::to_string(5 * shape.mtu_bytes + 1) + " 100\n");
  }
  toml.bytes("bytes", draw.between(shape.mtu_bytes / 2, 4 * shape.mtu_bytes));
  const u64 load_percent = draw.between(10, 95);
  toml.ratio("load", static_cast<double>(load_percent) / 100);
  toml.time_ps("duration", 1 + packets * shape.packet_ps() * 100 / (hosts.count * load_percent));
  toml.time_ps("start", post_ps(draw, shape));
  toml.word("class", data_class(draw));
}

/// Clients that ask servers: at random instants, or when they are answered.
void write_requests(const Shape& shape, const Hosts& free, u32 packets, TomlText& toml) {
  Draw draw(shape.seed, "requests");
  if (shape.dense || free.count < 2 || !draw.percent(15)) return;
  toml.section("[[generator]]");
  toml.word("kind", "requests");
  const u64 servers = draw.between(1, std::min<u64>(free.count - 1, 4));
  const bool servers_first = draw.percent(50);
  toml.number("first_server", servers_first ? free.first : free.first + free.count - servers);
  toml.number("servers", servers);
  const u64 clients = draw.between(1, free.count - servers);
  toml.number("first_host", servers_first ? free.first + servers : free.first);
  if (clients != free.count - servers || !servers_first) toml.number("hosts", clients);
  const u64 stripes = draw.between(1, servers);
  if (stripes != 1 || draw.percent(30)) toml.number("stripes", stripes);
  const bool waits = draw.percent(60);  // else by a load, which small answers make many
  toml.bytes("bytes", waits ? message_bytes(draw, shape, draw.between(1, 8)) : draw.between(1, 8) * shape.mtu_bytes);
  if (draw.percent(70))
    toml.bytes("request_bytes", draw.percent(50) ? draw.between(1, 500) : message_bytes(draw, shape, 3));
  if (draw.percent(80)) toml.time_ps("service", draw.pick<u64>({0, 1'000, 777'777, 3'000'000}));
  if (waits) {
    toml.number("outstanding", draw.between(1, 3));
    toml.number("messages", draw.between(1, 1 + std::min<u64>(packets / (16 * clients), 8)));
  } else {
    toml.ratio("load", static_cast<double>(draw.between(5, 80)) / 100);
    toml.time_ps("duration", 1 + packets * shape.packet_ps() / (4 * clients));
  }
  toml.time_ps("start", post_ps(draw, shape));
  toml.word("class", shape.best_effort_tcp && draw.percent(60) ? "best_effort" : data_class(draw));
}

/// Hosts that report to collectors, so often that reports queue behind each other.
void write_telemetry(const Shape& shape, const Hosts& free, u32 packets, TomlText& toml) {
  Draw draw(shape.seed, "telemetry");
  if (shape.dense || free.count < 2 || !draw.percent(15)) return;
  toml.section("[[generator]]");
  toml.word("kind", "telemetry");
  const u64 collectors = draw.between(1, std::min<u64>(free.count - 1, 3)), reporting = free.count - collectors;
  toml.number("first_server", free.first + reporting);
  toml.number("servers", collectors);
  toml.number("first_host", free.first);
  toml.number("hosts", reporting);
  toml.bytes("bytes", draw.percent(50) ? draw.between(1, 500) : message_bytes(draw, shape, 3));
  const u64 interval = draw.between(1, 5'000'000), reports = 1 + packets / (8 * reporting);
  toml.time_ps("interval", interval);
  toml.time_ps("duration", interval * std::min<u64>(reports, 20) + draw.below(interval));
  toml.time_ps("start", post_ps(draw, shape));
  toml.word("class", shape.best_effort_tcp && draw.percent(60) ? "best_effort" : data_class(draw));
}

/// Writes traffic outside jobs, about `packets` packets in each of `parts` parts.
void write_parts(Draw& draw, const Shape& shape, const Hosts& free, u32 parts, u32 packets, TomlText& toml) {
  u64 messages = 0;
  for (u32 part = 0; part < parts; ++part) {
    const u64 kind = draw.below(10);
    if (kind < 4) {
      messages += write_messages(draw, shape, free, packets, messages, toml);
    } else if (kind < 9) {
      write_pairs_generator(draw, shape, free, packets, toml);
    } else {
      write_poisson(draw, shape, free, packets, toml);
    }
  }
}

/// Messages of a class with TCP: some to one host, which lose segments there, and some of a segment or so.
void write_tcp_traffic(const Shape& shape, const Hosts& hosts, u32 packets, TomlText& toml) {
  Draw draw(shape.seed, "traffic by tcp");
  if (!shape.has_tcp() || hosts.count < 2 || !draw.percent(80)) return;
  const u64 count = draw.between(1, 6), dst = draw.below(hosts.count), each = std::max<u64>(packets / count, 1);
  const bool incast = draw.percent(50);
  for (u64 i = 0; i < count; ++i) {
    const u64 src = incast ? (dst + 1 + i % (hosts.count - 1)) % hosts.count : draw.below(hosts.count);
    const u64 to = src == dst ? (dst + 1) % hosts.count : dst;
    toml.section("[[message]]");
    toml.number("src", hosts.first + src);
    toml.number("dst", hosts.first + to);
    toml.bytes("bytes", message_bytes(draw, shape, draw.percent(70) ? each : 2));
    toml.time_ps("post", post_ps(draw, shape));
    toml.word("class", shape.lossless_tcp && (!shape.best_effort_tcp || draw.percent(50)) ? "lossless" : "best_effort");
  }
}

void write_slow_receivers(const Shape& shape, TomlText& toml) {
  Draw draw(shape.seed, "slow_receiver");
  if (shape.lossless_classes() == 0 || !draw.percent(30)) return;
  toml.section("[[slow_receiver]]");
  const u64 first = draw.below(shape.endpoints), second = draw.below(shape.endpoints);
  toml.raw("endpoints", "[" + std::to_string(first) + (second != first ? ", " + std::to_string(second) : "") + "]");
  toml.bits_per_s("drain_rate", shape.host_bits_per_s / 100 * draw.pick<u64>({10, 25, 50, 90, 99}));
  const u64 xoff = draw.between(1, 20) * (shape.mtu_bytes + 98);
  toml.bytes("xoff", xoff);
  if (draw.percent(60)) toml.bytes("xon", draw.between(1, xoff - 1));
}

/// Draws a few more messages as HPCC's flow.txt, whose seconds are written to the picosecond.
std::string draw_flows(Draw& draw, const Shape& shape) {
  const u64 count = draw.between(1, 6);
  std::string text = std::to_string(count) + "\n";
  for (u64 i = 0; i < count; ++i) {
    const u64 src = draw.below(shape.endpoints);
    const u64 dst = (src + 1 + draw.below(shape.endpoints - 1)) % shape.endpoints;
    const bool imported = shape.kind == "hpcc";  // then flows name the nodes of the topology's file
    std::string start = std::to_string(post_ps(draw, shape));
    start.insert(0, 12 - start.size(), '0');
    text += std::to_string(imported ? shape.graph.hosts[src] : src) + " " +
            std::to_string(imported ? shape.graph.hosts[dst] : dst) + " 3 100 " +
            std::to_string(message_bytes(draw, shape, std::max<u64>(shape.packets / 10, 1))) + " 0." + start + "\n";
  }
  return text;
}

/// Draws messages as a connection matrix of htsim, in which every other flow begins when the one before has been sent.
std::string draw_matrix(Draw& draw, const Shape& shape) {
  const u64 count = draw.between(1, 6);
  std::string text = "Nodes " + std::to_string(shape.endpoints) + "\nConnections " + std::to_string(count) + "\n";
  u64 src = 0;
  for (u64 i = 0; i < count; ++i) {
    const bool waits = i % 2 == 1;
    if (!waits) src = draw.below(shape.endpoints);
    const u64 dst = (src + 1 + draw.below(shape.endpoints - 1)) % shape.endpoints;
    text += std::to_string(src) + "->" + std::to_string(dst) + " size " +
            std::to_string(message_bytes(draw, shape, std::max<u64>(shape.packets / 10, 1)));
    text += waits ? " trigger " + std::to_string(i)
                  : " start " + std::to_string(post_ps(draw, shape)) + " send_done_trigger " + std::to_string(i + 1);
    text += "\n";
  }
  return text;
}

void write_settings(const Shape& shape, bool flows, TomlText& toml) {
  Draw draw(shape.seed, "workload");
  toml.section("[workload]");
  toml.number("qps_per_pair", draw.pick<u64>({1, 1, 2, 3}));
  toml.word("source_port", draw.pick({"pair", "qp"}));
  toml.number("jitter_packets", draw.percent(60) ? 0 : draw.pick<u64>({1, 1, 10}));
  toml.time_ps("handover", Draw(shape.seed, "handover").pick<u64>({1'000'000, 1'000'000, 200'000, 5'000'001}));
  if (flows && draw.percent(10)) {
    const bool hpcc = draw.percent(50);
    toml.word("flow_format", hpcc ? "hpcc" : "htsim");
    toml.file("flow_file", hpcc ? ".flow.txt" : ".cm", hpcc ? draw_flows(draw, shape) : draw_matrix(draw, shape));
  }
  toml.section("[collective]");
  Draw host(shape.seed, "collective.host");
  const bool preset = host.percent(20);
  toml.word("host", preset ? host.pick({"h100", "h200", "gb200", "a100", "mi300", "mi355x"}) : "none");
  if (preset) return;
  toml.word("copy_rate", draw.pick({"1 TB/s", "1 TB/s", "50 GB/s", "5 GB/s", "100 TB/s"}));
  Draw own(shape.seed, "copies and the switches of servers");
  toml.word("copy_rate_computing", own.pick({"0 GB/s", "3 GB/s", "500 GB/s"}));
  toml.ratio("nvls_efficiency", own.pick<double>({0.85, 1.0, 0.25}));
  toml.time_ps("nvls_post_latency", own.pick<u64>({8'500'000, 0, 2'700'000, 333'333}));
  toml.word("nvlink_rate", draw.pick({"370 GB/s", "450 GB/s", "25 GB/s"}));
  toml.time_ps("nvlink_latency", draw.pick<u64>({700'000, 1'000'000, 50'000, 700'001}));
  toml.time_ps("post_latency", draw.pick<u64>({2'700'000, 0, 0, 1'200'001}));
  toml.time_ps("ll128_post_latency", draw.pick<u64>({1'200'000, 0, 333'333}));
  toml.time_ps("launch_latency", draw.pick<u64>({6'600'000, 0, 0, 1'000'003}));
  toml.time_ps("flush_latency", draw.pick<u64>({2'000'000, 0, 0, 77'777}));
  Draw channels(shape.seed, "rates of channels");
  for (const char* key : {"channel_rate", "ll_channel_rate", "ll128_channel_rate"})
    toml.word(key, channels.pick({"0 GB/s", "1 GB/s", "20 GB/s", "300 GB/s"}));
  toml.word("nvls_channel_rate", channels.pick({"0 GB/s", "8 GB/s", "36 GB/s", "300 GB/s"}));
  toml.time_ps("p2p_latency", channels.pick<u64>({0, 0, 77'777, 3'000'000}));
}

}  // namespace

void write_workload(const Shape& shape, TomlText& toml) {
  auto [draw, own, collectives, own_gpus] = TrafficDraws(shape.seed, shape.dense);
  const Hosts all{0, shape.endpoints};
  write_settings(shape, !shape.dense && !own_gpus, toml);
  if (shape.dense) return write_pairs_generator(draw, shape, all, shape.packets, toml);
  if (shape.silent_racks) {
    write_slow_receivers(shape, toml);
    return write_silent_job(shape, shape.packets, toml);
  }
  if (own_gpus) {
    const Hosts free = write_own_jobs(own, shape, shape.packets, toml);
    if (free.count >= 2) write_parts(draw, shape, free, static_cast<u32>(draw.below(3)), shape.packets / 4, toml);
    write_tcp_traffic(shape, free, shape.packets / 4, toml);
    write_requests(shape, free, shape.packets / 4, toml);
    write_telemetry(shape, free, shape.packets / 4, toml);
    return write_slow_receivers(shape, toml);
  }
  const u32 parts = static_cast<u32>(collectives ? draw.below(2) : draw.between(1, 3));
  const u32 packets = shape.packets / (parts + u32{collectives});
  write_parts(draw, shape, all, parts, packets, toml);
  write_tcp_traffic(shape, all, packets / 2, toml);
  write_requests(shape, all, packets / 2, toml);
  write_telemetry(shape, all, packets / 2, toml);
  write_slow_receivers(shape, toml);
  if (collectives) write_jobs(draw, shape, packets, toml);
}

}  // namespace heddle::property
