// Messages by a rule. A new generator is one function of this shape and one line in generators.cpp.
#pragma once

#include "host/scenario/workload/size_cdf.hpp"
#include "host/scenario/workload/traffic_builder.hpp"

namespace heddle {

/// The inputs and the output of a generator.
struct GeneratorInput {
  const GeneratorOptions& options;
  const SizeCdf& sizes;  // empty: all messages have options.bytes
  const World& world;
  u32 index = 0;         // index in the configuration: part of every hash
  EndpointId first = 0;  // the hosts that take part are [first, first + hosts); with servers: see request_ends()
  u32 hosts = 0;
  u8 traffic_class = 1;
  TrafficBuilder& traffic;
};

/// What a draw of a generator decides; part of its hash.
enum class GeneratorDraw : u64 { order = 0, gap = 1, destination = 2, size = 3, server = 4, phase = 5 };

/// 64 random bits of draw `number`, others for everything that they decide.
u64 chance(const GeneratorInput& input, u64 number, GeneratorDraw decides);
/// The number of a draw for the k-th message or request of a host.
constexpr u64 draw_number(u32 host, u64 k) { return (u64{host} << 40) | k; }
/// The size that this draw gives a message, or the answers to a request: from `size_cdf`, or `bytes`.
u64 drawn_bytes(const GeneratorInput& input, u64 number);

/// Runs generator `index`. Throws ConfigError.
void generate(const GeneratorOptions& options, const SizeCdf& sizes, u32 index, const World& world,
              TrafficBuilder& traffic);

void generate_permutation(const GeneratorInput& input);
void generate_incast(const GeneratorInput& input);
void generate_all_to_all(const GeneratorInput& input);
void generate_poisson(const GeneratorInput& input);
void generate_requests(const GeneratorInput& input);
void generate_telemetry(const GeneratorInput& input);

/// The most reports that a host sends by such options: it sends so many, or one less. 0: the interval is not given.
u64 max_telemetry_reports(const GeneratorOptions& options);

}  // namespace heddle
