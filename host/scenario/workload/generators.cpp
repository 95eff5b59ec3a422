#include "host/scenario/workload/generators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "host/base/error.hpp"
#include "host/scenario/workload/hosts.hpp"
#include "kernels/base/hash.hpp"

namespace heddle {
namespace {

struct Kind {
  std::string_view name;
  void (*run)(const GeneratorInput&);
  bool is_among_hosts = true;  // at least two take part, each as any other
};

constexpr std::array kKinds = {
    Kind{"permutation", generate_permutation},  Kind{"incast", generate_incast},
    Kind{"all_to_all", generate_all_to_all},    Kind{"poisson", generate_poisson},
    Kind{"requests", generate_requests, false}, Kind{"telemetry", generate_telemetry, false},
};

/// Adds all messages of one pair.
void add_pair(const GeneratorInput& in, EndpointId src, EndpointId dst) {
  for (u32 i = 0; i < in.options.messages; ++i) {
    const TimePs post_ps = in.options.start_ps + in.options.interval_ps * static_cast<TimePs>(i);
    in.traffic.add_message(src, dst, in.options.bytes, post_ps, in.traffic_class, {"generator", in.index});
  }
}

/// Checks that all messages are posted before the end of time, even those of thousands of long intervals.
void check_interval(const GeneratorOptions& options, u32 index) {
  const TimePs last = static_cast<TimePs>(options.messages) - 1;
  if (options.interval_ps == 0 || last <= (kNever - options.start_ps) / options.interval_ps) return;
  throw ConfigError(
      fmt::format("generator[{}].interval: {} messages {} ps apart would last beyond the longest run of {} s; take "
                  "fewer messages or a shorter interval",
                  index, options.messages, options.interval_ps, kNever / 1'000'000'000'000));
}

/// The hosts that take part.
Hosts hosts_of(const GeneratorOptions& options, u32 index, const World& world) {
  const Hosts all = hosts_of_fabric(world.fabric, options.fabric, fmt::format("generator[{}]", index));
  const u32 behind_first = options.first_host < all.count ? all.count - options.first_host : 0;
  const u32 hosts = options.hosts != 0 ? options.hosts : behind_first;
  if (hosts < 2 || hosts > behind_first) {
    throw ConfigError(
        fmt::format("generator[{}]: {} hosts from {} on, but the fabric has endpoints 0 to {}; at least 2 "
                    "must take part",
                    index, hosts, options.first_host, all.count - 1));
  }
  return {all.first + options.first_host, hosts};
}

}  // namespace

void generate(const GeneratorOptions& options, const SizeCdf& sizes, u32 index, const World& world,
              TrafficBuilder& traffic) {
  check_interval(options, index);
  const u8 traffic_class = traffic.class_number(options.traffic_class, {"generator", index});
  for (const Kind& kind : kKinds) {
    if (kind.name != options.kind) continue;
    const Hosts hosts = kind.is_among_hosts ? hosts_of(options, index, world) : Hosts{};
    return kind.run({options, sizes, world, index, hosts.first, hosts.count, traffic_class, traffic});
  }
  throw ConfigError(
      fmt::format("generator[{}].kind: \"{}\" is unknown; choose permutation, incast, all_to_all, poisson, "
                  "requests or telemetry",
                  index, options.kind));
}

u64 chance(const GeneratorInput& in, u64 number, GeneratorDraw decides) {
  return hash64(in.world.seed, Stream::workload, in.index, number, static_cast<u64>(decides));
}

u64 drawn_bytes(const GeneratorInput& in, u64 number) {
  if (in.sizes.empty()) return in.options.bytes;
  return size_at(in.sizes, static_cast<u32>(chance(in, number, GeneratorDraw::size) >> 32));
}

/// One cycle through all hosts in random order: every host sends to one and receives from one, none to itself.
void generate_permutation(const GeneratorInput& in) {
  std::vector<std::pair<u64, u32>> drawn(in.hosts);
  for (u32 i = 0; i < in.hosts; ++i) drawn[i] = {chance(in, i, GeneratorDraw::order), i};
  std::sort(drawn.begin(), drawn.end());
  std::vector<u32> next(in.hosts);
  for (u32 i = 0; i < in.hosts; ++i) next[drawn[i].second] = drawn[(i + 1) % in.hosts].second;
  for (u32 i = 0; i < in.hosts; ++i) add_pair(in, in.first + i, in.first + next[i]);
}

void generate_incast(const GeneratorInput& in) {
  const u32 first = in.options.first_host, hosts = in.hosts;
  if (in.options.target < first || in.options.target - first >= hosts) {
    throw ConfigError(fmt::format("generator[{}].target: endpoint {} does not take part ({} to {} do)", in.index,
                                  in.options.target, first, first + hosts - 1));
  }
  u64 at = in.options.target - first;
  for (u32 i = 0; i < in.options.fan_in; ++i) {
    at = (at + in.options.stride) % hosts;
    if (at == in.options.target - first) {  // no other host repeats before that: steps are equally long
      throw ConfigError(
          fmt::format("generator[{}]: with stride {} among {} hosts sender {} of {} would be the target itself; take a "
                      "smaller fan_in, another stride or more hosts",
                      in.index, in.options.stride, hosts, i + 1, in.options.fan_in));
    }
    add_pair(in, in.first + static_cast<u32>(at), in.first + in.options.target - first);
  }
}

/// In rounds: in round r host i sends to i + r, so that no receiver is the first of all hosts.
void generate_all_to_all(const GeneratorInput& in) {
  for (u32 round = 1; round < in.hosts; ++round) {
    for (u32 i = 0; i < in.hosts; ++i) {
      add_pair(in, in.first + i, in.first + static_cast<u32>((static_cast<u64>(i) + round) % in.hosts));
    }
  }
}

}  // namespace heddle
