#include "host/workload/workload.hpp"

#include "host/error.hpp"
#include "host/workload/counts.hpp"
#include "host/workload/generators.hpp"
#include "host/workload/jobs.hpp"
#include "host/workload/slow_receivers.hpp"

namespace heddle {

void build_workload(const WorkloadInput& input, World& world, const Admission& admit) {
  world.traffic = {};
  const CollectiveSettings settings = world.collectives.settings;
  world.collectives = {};
  world.collectives.settings = settings;
  world.programs = {};
  if (input.settings.qps_per_pair == 0) throw ConfigError("workload.qps_per_pair: must be at least 1");
  const WorkloadCounts counts = count_messages(input, world);
  if (admit) admit(counts);
  TrafficBuilder traffic(input.settings, world);
  for (u32 i = 0; i < input.messages.size(); ++i) {
    const MessageOptions& m = input.messages[i];
    const Origin origin{"message", i};
    traffic.add_message(m.src, m.dst, m.bytes, m.post_ps, traffic.class_number(m.traffic_class, origin), origin);
  }
  for (u32 i = 0; i < input.flows.size(); ++i) {
    const MessageOptions& m = input.flows[i];
    const Origin origin{"message", input.flow_lines[i], input.flow_file};
    traffic.add_message(m.src, m.dst, m.bytes, m.post_ps, traffic.class_number(m.traffic_class, origin), origin);
  }
  const SizeCdf no_sizes;
  for (u32 i = 0; i < input.generators.size(); ++i) {
    const SizeCdf& sizes = i < input.size_cdfs.size() ? input.size_cdfs[i] : no_sizes;
    generate(input.generators[i], sizes, i, world, traffic);
  }
  add_jobs(input.jobs, world, traffic, counts, admit);
  traffic.finish();
  add_slow_receivers(input.slow_receivers, world);
}

}  // namespace heddle
