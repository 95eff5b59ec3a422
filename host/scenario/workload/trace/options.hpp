// Configuration of a job that replays a trace: [job.trace].
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/formats/formats.hpp"
#include "io/formats/goal.hpp"
#include "io/nearest.hpp"
#include "kernels/base/parameter.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// [job.trace]: the operations of every rank, from a file of another project.
struct TraceOptions {
  std::string format = "none";
  std::string file;
  std::string groups_file;
  u64 eager_limit_bytes = kLogGOPSimEagerBytes;
  double peak_tflops = 0;
  u64 memory_bytes_per_s = 0;
  u32 iterations = 1;
  TimePs start_ps = 0;
  double compute_scale = 1;

  bool present() const { return format != "none"; }
};

/// Facts that other keys may depend on.
inline std::vector<std::pair<std::string_view, std::string>> facts_of(const TraceOptions& o) {
  return {{"peak_tflops", o.peak_tflops == 0 ? "0" : "given"}};
}

/// Kinds of collective that a trace may use; keys of the job may depend on them.
inline std::vector<std::string_view> kinds_of(const TraceOptions& o) {
  const Format* format = find_format("job.trace.format", o.format);
  return words_in(format == nullptr ? "" : format->collectives);
}

inline const std::string kTraceFormats = "none|" + format_words("job.trace.format");
inline const std::string kTraceFormatHelp = "none: the job has no trace; " + format_helps("job.trace.format");
inline const std::string kOnlyTrace = "format=" + format_words("job.trace.format");

inline const std::array kTraceParameters = {
    Parameter<TraceOptions>{.key = "format",
                            .field = &TraceOptions::format,
                            .choices = kTraceFormats,
                            .help = kTraceFormatHelp,
                            .source = "none"},
    Parameter<TraceOptions>{.key = "file",
                            .field = &TraceOptions::file,
                            .help =
                                "the trace, from the folder of this configuration; chakra: what comes before the rank, "
                                "PREFIX of PREFIX.0.et, PREFIX.1.et, ...",
                            .source = "none",
                            .only_with = kOnlyTrace},
    Parameter<TraceOptions>{.key = "groups_file",
                            .field = &TraceOptions::groups_file,
                            .help =
                                "chakra: ranks of process groups, a JSON object such as {\"1\": [0, 1]}; without it "
                                "only groups that a trace describes itself",
                            .source = "ASTRA-sim: --comm-group-configuration",
                            .only_with = "format=chakra"},
    Parameter<TraceOptions>{.key = "eager_limit",
                            .field = &TraceOptions::eager_limit_bytes,
                            .quantity = Quantity::bytes,
                            .max = 7e13,
                            .help =
                                "goal: a send of at most so many bytes is done as soon as it is handed over, whether "
                                "or not anybody receives yet; a larger one waits for its recv",
                            .source = "LogGOPSim: 65,535 B, its S (--LogGOPS_S)",
                            .only_with = "format=goal"},
    Parameter<TraceOptions>{.key = "peak_tflops",
                            .field = &TraceOptions::peak_tflops,
                            .quantity = Quantity::ratio,
                            .max = 1e9,
                            .help = "chakra: of a GPU, 10^12 operations per second, for computations that give num_ops "
                                    "and no duration (ASTRA-sim's roofline); 0: such are refused",
                            .source = "0; ASTRA-sim: peak-perf",
                            .only_with = "format=chakra"},
    Parameter<TraceOptions>{.key = "memory_rate",
                            .field = &TraceOptions::memory_bytes_per_s,
                            .quantity = Quantity::bytes_per_s,
                            .max = 1e18,
                            .help =
                                "chakra: such a computation takes at least as long as memory brings its tensor_size; "
                                "0: memory limits nothing",
                            .source = "0; ASTRA-sim: local-mem-bw",
                            .only_with = "peak_tflops=given"},
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
