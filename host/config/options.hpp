// Options that belong to the run itself rather than to a part of the model.
#pragma once

#include <array>
#include <string>

#include "io/formats/formats.hpp"
#include "kernels/base/parameter.hpp"

namespace heddle {

/// [workload], the part that names files; relative paths start at the configuration's directory.
struct WorkloadFileOptions {
  std::string flow_file;
  std::string flow_format = "hpcc";
  std::string start_unit = "ps";
  u32 first_flows = 0;
};

inline const std::string kFlowFormats = format_words("workload.flow_format");
inline const std::string kFlowFormatHelp = format_helps("workload.flow_format");

inline const std::array kWorkloadFileParameters = {
    Parameter<WorkloadFileOptions>{.key = "flow_file",
                                   .field = &WorkloadFileOptions::flow_file,
                                   .help = "file of flows: one more message for each; empty = none",
                                   .source = "engineering judgement"},
    Parameter<WorkloadFileOptions>{.key = "flow_format",
                                   .field = &WorkloadFileOptions::flow_format,
                                   .choices = kFlowFormats,
                                   .help = kFlowFormatHelp,
                                   .source = "HPCC ns-3, csg-htsim"},
    Parameter<WorkloadFileOptions>{.key = "start_unit",
                                   .field = &WorkloadFileOptions::start_unit,
                                   .choices = "ps|us",
                                   .help = "htsim: what the matrix gives start times in",
                                   .source = "csg-htsim, spcl/HTSIM: ps; uet-htsim (htsim_uec): us",
                                   .only_with = "flow_format=htsim"},
    Parameter<WorkloadFileOptions>{.key = "first_flows",
                                   .field = &WorkloadFileOptions::first_flows,
                                   .max = 4e9,
                                   .help =
                                       "keep so many flows of flow_file, the first ones; 0 = all, and its first line "
                                       "must declare them",
                                   .source = "HPCC ns-3 reads what the first line declares"},
};

/// [checkpoint]
struct CheckpointOptions {
  TimePs every_ps = 0, every_wall_ps = 0;
};

inline const std::array kCheckpointParameters = {
    Parameter<CheckpointOptions>{
        .key = "every",
        .field = &CheckpointOptions::every_ps,
        .quantity = Quantity::time_ps,
        .max = 9e18,
        .help = "simulated time between two checkpoints, at least simulation.epoch; 0 = none by simulated time",
        .source = "engineering judgement"},
    Parameter<CheckpointOptions>{
        .key = "every_wall",
        .field = &CheckpointOptions::every_wall_ps,
        .quantity = Quantity::time_ps,
        .max = 9e18,
        .help = "wall time between two checkpoints; 0 = none by wall time. SIGUSR1 writes one in any case",
        .source = "engineering judgement"},
};

/// [output]
struct OutputOptions {
  std::string title;
  std::string file;
  TimePs series_interval_ps = 10'000'000;
  bool link_series = false;
  bool pfc_events = true;
  bool drop_events = true;
  bool cts_waits = false;
  bool gpu_time = false;
  bool tcp_windows = false;
  u64 max_bytes = 4'000'000'000;
  std::string fct_file;
  std::string pfc_file;
  std::string relative_to = "working_folder";
};

inline const std::array kOutputParameters = {
    Parameter<OutputOptions>{.key = "title",
                             .field = &OutputOptions::title,
                             .help = "one line about this run, kept in the result file",
                             .source = "engineering judgement"},
    Parameter<OutputOptions>{
        .key = "file",
        .field = &OutputOptions::file,
        .help = "result file (HDF5) when -o is not given; empty = the configuration's name with .h5",
        .source = "engineering judgement"},
    Parameter<OutputOptions>{.key = "series_interval",
                             .field = &OutputOptions::series_interval_ps,
                             .quantity = Quantity::time_ps,
                             .max = 1e15,
                             .help = "simulated time between two rows of /series; 0 = none",
                             .source = "engineering judgement"},
    Parameter<OutputOptions>{.key = "link_series",
                             .field = &OutputOptions::link_series,
                             .help = "/series/link: every link, not only sums per tier",
                             .source = "engineering judgement"},
    Parameter<OutputOptions>{.key = "pfc_events",
                             .field = &OutputOptions::pfc_events,
                             .help = "/event/pfc: every pause and resume",
                             .source = "engineering judgement"},
    Parameter<OutputOptions>{.key = "drop_events",
                             .field = &OutputOptions::drop_events,
                             .help = "/event/drop: every dropped packet",
                             .source = "engineering judgement"},
    Parameter<OutputOptions>{.key = "cts_waits",
                             .field = &OutputOptions::cts_waits,
                             .help = "/histogram/cts_wait: how long slices waited for the CTS that admits them",
                             .source = "engineering judgement: every slice is an event then"},
    Parameter<OutputOptions>{.key = "gpu_time",
                             .field = &OutputOptions::gpu_time,
                             .help = "/event/gpu_time: when each GPU of training jobs computes and stands still, and "
                                     "its ranks' completions, for heddle trace",
                             .source = "engineering judgement: check says how large it is"},
    Parameter<OutputOptions>{.key = "tcp_windows",
                             .field = &OutputOptions::tcp_windows,
                             .help = "/event/tcp_window: every change of a TCP connection's congestion window",
                             .source = "engineering judgement: in fast recovery every answer changes it"},
    Parameter<OutputOptions>{
        .key = "max_bytes",
        .field = &OutputOptions::max_bytes,
        .quantity = Quantity::bytes,
        .min = 1'000'000,
        .max = 1e15,
        .help = "budget of the result file: refused before the run where it can be foreseen, else the run ends "
                "there, with exit code 3",
        .source = "engineering judgement"},
    Parameter<OutputOptions>{.key = "fct_file",
                             .field = &OutputOptions::fct_file,
                             .help = "also write HPCC's fct.txt here; empty = no",
                             .source = "HPCC"},
    Parameter<OutputOptions>{.key = "pfc_file",
                             .field = &OutputOptions::pfc_file,
                             .help = "also write HPCC's pfc.txt here; empty = no",
                             .source = "HPCC"},
    Parameter<OutputOptions>{.key = "relative_to",
                             .field = &OutputOptions::relative_to,
                             .choices = "working_folder|configuration_folder",
                             .help = "where relative names of output files (file and its default, fct_file, pfc_file) "
                                     "begin; a sweep says configuration_folder, so that its folder can be moved",
                             .source = "engineering judgement"},
};

}  // namespace heddle
