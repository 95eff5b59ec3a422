#include "host/cli/ranks.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "host/base/error.hpp"
#include "io/results/hdf5.hpp"
#include "io/results/trial_reading.hpp"
#include "partition/exchange/rank_exchange.hpp"

namespace heddle {
namespace {

/// Environment variables of Open MPI's mpirun, and of srun with PMIx or PMI.
constexpr std::array kSigns = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
constexpr const char* kSlurmTasks = "SLURM_STEP_NUM_TASKS";

/// Whether a launcher of MPI programs has started this process.
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
  h5::silence();  // before MPI: else HDF5 cleans up in MPI_Finalize, and crashes there when a disk was full (HDF5 1.10)
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
  if (ranks == 1) return;
  forbid_trial_readings();
  exchange_ = std::make_unique<RankExchange>();
}

Ranks::~Ranks() {
  exchange_.reset();
  if (started_) MPI_Finalize();
}

std::optional<u32> Ranks::among_alike() {
  const char *contexts = std::getenv("OMPI_NUM_APP_CTX"), *rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (contexts == nullptr || rank == nullptr || std::string_view(contexts) != "1") return std::nullopt;
  return static_cast<u32>(std::strtoul(rank, nullptr, 10));
}

bool Ranks::are_several() {
  if (!launched()) return false;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    if (const char* text = std::getenv(name)) return std::strtol(text, nullptr, 10) > 1;
  }
  return true;  // the number of processes is unknown
}

void Ranks::agree_on(const std::string& command) const {
  if (!exchange_) return;
  together([] {});
  u64 word = 0;  // commands have at most 8 letters
  command.copy(reinterpret_cast<char*>(&word), sizeof(word));
  const std::vector<std::vector<u64>> words = exchange_->gather({&word, 1});
  const auto other = std::ranges::find_if(words, [&](const auto& its) { return its != words[0]; });
  if (other == words.end()) return;
  if (!first()) throw SaidElsewhere();
  const std::string its(reinterpret_cast<const char*>(other->data()), sizeof(word));
  throw ConfigError(fmt::format(
      "rank 0 was told to {}, rank {} to {}: processes that one mpirun or srun has started do one thing together; give "
      "all of them the same command",
      command, other - words.begin(), its.c_str()));
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
  const i64 lowest = exchange_->min({&mine, 1})[0];
  if (lowest == kNever) return;
  if (lowest == mine) std::rethrow_exception(error);
  throw SaidElsewhere();
}

void Ranks::abort(int exit_code) const {
  MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::abort();  // MPI_Abort does not return, but is not declared so
}

}  // namespace heddle
