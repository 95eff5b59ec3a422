#include "host/cli/ranks.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "host/error.hpp"
#include "partition/halo/mpi_exchange.hpp"

namespace heddle {
namespace {

/// Of Open MPI's mpirun, and of srun with PMIx or PMI.
constexpr std::array kSigns = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
constexpr const char* kSlurmTasks = "SLURM_STEP_NUM_TASKS";

/// A launcher of MPI programs has started this process.
bool launched() {
  return std::any_of(kSigns.begin(), kSigns.end(), [](const char* name) { return std::getenv(name) != nullptr; });
}

/// Tasks of this job step, 0 outside of srun.
long slurm_tasks() {
  const char* text = std::getenv(kSlurmTasks);
  return text == nullptr ? 0 : std::strtol(text, nullptr, 10);
}

void check_slurm(long ranks) {
  const long tasks = slurm_tasks();
  if (tasks <= 1 || tasks <= ranks) return;  // mpirun within a job is started as one task per node
  throw ConfigError(fmt::format(
      "srun has started {} tasks, but MPI joins {} of them, so each would simulate the whole world on its own; "
      "start it with srun --mpi=pmix (srun --mpi=list shows what this Slurm has), or with mpirun",
      tasks, ranks));
}

LocalProcesses processes_here() {
  MPI_Comm here;
  int number = 0, count = 1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  MPI_Comm_rank(here, &number);
  MPI_Comm_size(here, &count);
  MPI_Comm_free(&here);
  return {static_cast<u32>(number), static_cast<u32>(count)};
}

}  // namespace

void forget_launcher() {
  for (const char* name : kSigns) ::unsetenv(name);
  ::unsetenv(kSlurmTasks);
}

Ranks::Ranks() {
  if (!launched()) {
    check_slurm(1);
    return;
  }
  int provided = 0, ranks = 1;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  started_ = true;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  try {
    check_slurm(ranks);
  } catch (...) {
    MPI_Finalize();
    throw;
  }
  here_ = processes_here();
  if (ranks > 1) exchange_ = std::make_unique<MpiExchange>();
}

Ranks::~Ranks() {
  exchange_.reset();
  if (started_) MPI_Finalize();
}

void Ranks::together(const std::function<void()>& prepare) const {
  if (!exchange_) {
    prepare();
    return;
  }
  std::exception_ptr error;
  try {
    prepare();
  } catch (...) {
    error = std::current_exception();
  }
  const i64 mine = error ? rank() : kNever;
  const i64 lowest = exchange_->least({&mine, 1})[0];
  if (lowest == kNever) return;
  if (lowest == mine) std::rethrow_exception(error);
  throw SaidElsewhere();
}

void Ranks::abort(int exit_code) const {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::abort();  // MPI_Abort does not return, but is not declared so
}

}  // namespace heddle
