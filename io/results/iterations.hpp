// Iterations of training jobs, as reports show them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "io/results/input_file.hpp"
#include "kernels/outcome/collective.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

struct Outcome;

/// The name of a group in files and reports: "tensor", "data".
std::string_view group_name(Group group);

/// The groups whose communication may be exposed; Group::all is that of a trace without groups.
inline constexpr std::array kParallelGroups = {Group::all,  Group::tensor, Group::context, Group::pipeline,
                                               Group::data, Group::expert, Group::storage};

/// A row of /iteration: means over the GPUs that have ended the iteration, and the largest value of any GPU.
struct IterationRow {
  u32 job = 0, iteration = 0, gpus = 0, gpus_ended = 0;
  TimePs begin_ps = -1, first_end_ps = -1, end_ps = -1;  // end: all GPUs have ended it, else -1
  TimePs time_ps = -1;  // from the end of the iteration before (the first: from its begin); -1: not ended
  double compute_ps = 0;
  TimePs max_compute_ps = 0;
  std::array<double, kGroups> exposed_ps{};  // by Group
  std::array<TimePs, kGroups> max_exposed_ps{};
  IterationOutcome outcome;  // of a run, not read from a file

  bool ended() const { return end_ps >= 0; }
};

/// Returns every iteration of the World's training jobs, by task.
std::vector<IterationRow> iteration_rows(const World& world, const Outcome& outcome);

/// Returns every row of the file; empty when nothing was trained.
std::vector<IterationRow> read_iterations(const InputFile& file);

/// The groups of which some communication was exposed.
std::vector<Group> exposed_groups(const std::vector<IterationRow>& rows);

/// Means over all iterations of a job that ended; NaN: none did.
struct MeanIteration {
  u32 job = 0, ended = 0, iterations = 0;
  double time_ps = 0, compute_ps = 0;
  std::array<double, kGroups> exposed_ps{};
};
std::vector<MeanIteration> mean_iterations(const std::vector<IterationRow>& rows);

/// Returns a table of at most `max_rows` iterations for a terminal; empty when there is none.
std::string iteration_table(const std::vector<IterationRow>& rows, size_t max_rows);

}  // namespace heddle
