// What a configuration can say about a job that replays a trace: [job.trace].
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/base/parameter.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// [job.trace]: what every rank does, from a file of another project.
struct TraceOptions {
  std::string format = "none";
  std::string file;
  u32 iterations = 1;
  TimePs start_ps = 0;
  double compute_scale = 1;

  bool present() const { return format != "none"; }
};

/// Kinds of collective that a job may use for it, as keys of the job may depend on them.
inline std::vector<std::string_view> kinds_of(const TraceOptions& o) {
  if (!o.present()) return {};
  if (o.format == "goal") return {"send"};
  return {"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast"};
}

inline constexpr std::string_view kOnlyTrace = "format=goal|simai";

inline const std::array kTraceParameters = {
    Parameter<TraceOptions>{.key = "format",
                            .field = &TraceOptions::format,
                            .choices = "none|goal|simai",
                            .help =
                                "goal: LogGOPSim's schedules of sends, receives and computations; simai: workloads of "
                                "SimAI and AICB; none: the job has no trace",
                            .source = "none"},
    Parameter<TraceOptions>{.key = "file",
                            .field = &TraceOptions::file,
                            .help = "the trace, from the folder of this configuration",
                            .source = "none",
                            .only_with = kOnlyTrace},
    Parameter<TraceOptions>{.key = "iterations",
                            .field = &TraceOptions::iterations,
                            .min = 1,
                            .max = 100'000,
                            .help = "how often it is done",
                            .source = "1",
                            .only_with = kOnlyTrace},
    Parameter<TraceOptions>{.key = "start",
                            .field = &TraceOptions::start_ps,
                            .quantity = Quantity::time_ps,
                            .max = 4e18,
                            .help = "when the first time begins",
                            .source = "0",
                            .only_with = kOnlyTrace},
    Parameter<TraceOptions>{.key = "compute_scale",
                            .field = &TraceOptions::compute_scale,
                            .quantity = Quantity::ratio,
                            .max = 1000,
                            .help = "times of computations are multiplied by it: another GPU than the trace's",
                            .source = "1",
                            .only_with = kOnlyTrace},
};

}  // namespace heddle
