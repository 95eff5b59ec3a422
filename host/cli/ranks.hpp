// The processes that simulate one World together, when mpirun or srun has started several.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kernels/engine/engine.hpp"
#include "partition/exchange/exchange.hpp"

namespace heddle {

/// Another rank prints the error and returns the exit code. This rank ends silently and with 0: launchers kill the
/// others when one ends with anything else, and the rank that prints has to finish.
struct SaidElsewhere : std::exception {
  const char* what() const noexcept override { return "another rank has failed and said why"; }
};

/// Removes the launcher's variables from the environment, for a process that is to simulate on its own although a
/// launcher has started this one.
void forget_launcher();

/// MPI while the object lives; one per process. Without a launcher there is one rank, and MPI is not initialised.
class Ranks {
 public:
  /// Throws ConfigError when Slurm has started several tasks that MPI does not join.
  Ranks();
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  /// The rank of this process when a launcher has started several with the same command line, without any exchange with
  /// the others. (Each process that mpirun starts can join MPI only once, even where it is a script.)
  static std::optional<u32> among_alike();
  /// Whether a launcher has started several processes, possibly with different commands: then each has to join MPI, or
  /// those that do would wait for it.
  static bool are_several();

  /// To be called first by every rank, with its command. Throws, as together(), when another rank's arguments are
  /// wrong, or its command differs.
  void agree_on(const std::string& command) const;

  u32 rank() const { return exchange_ ? exchange_->rank() : 0; }
  u32 ranks() const { return exchange_ ? exchange_->ranks() : 1; }
  bool first() const { return rank() == 0; }
  /// The number of ranks on this machine, including this one: they share its memory.
  u32 ranks_here() const { return here_.count; }
  const LocalProcesses& here() const { return here_; }
  /// Null when there is one rank.
  Exchange* exchange() const { return exchange_.get(); }

  /// Calls `prepare`, which must not exchange anything, on every rank. When it throws on some ranks, the lowest of them
  /// rethrows here, and every other rank throws SaidElsewhere: an error of all ranks is printed once, and no rank waits
  /// for one that has ended.
  void together(const std::function<void()>& prepare) const;
  /// Ends all ranks now, for an error on this rank while others wait for it.
  [[noreturn]] void abort(int exit_code) const;

 private:
  std::unique_ptr<Exchange> exchange_;
  bool started_ = false;
  LocalProcesses here_;
};

}  // namespace heddle
