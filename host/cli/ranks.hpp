// The processes that simulate one world together, when mpirun or srun has started several.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "kernels/engine/engine.hpp"
#include "partition/exchange/exchange.hpp"

namespace heddle {

/// Another rank says what is wrong and gives the exit code. This one ends silently and with 0: launchers kill the
/// others when one ends with anything else, and the one that speaks has to finish.
struct SaidElsewhere : std::exception {
  const char* what() const noexcept override { return "another rank has failed and said why"; }
};

/// For a process that is to simulate on its own although a launcher has started this one: takes what launchers say out
/// of the environment.
void forget_launcher();

/// MPI for as long as it lives; one per process. Without a launcher there is one rank, and MPI is left alone.
class Ranks {
 public:
  /// Throws ConfigError when Slurm has started several tasks that MPI does not join.
  Ranks();
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  /// The rank of this process when a launcher has started several with one and the same command line: nothing has to be
  /// asked of the others. (MPI can be joined only once by each process that mpirun starts, also where that is a
  /// script.)
  static std::optional<u32> among_alike();
  /// Whether a launcher has started several processes, which may have been told to do different things: then each has
  /// to join, or those that do would wait for it.
  static bool are_several();

  /// Every rank calls it first, with its command. Throws, as together(), when another rank's arguments are wrong, or
  /// its command is another one.
  void agree_on(const std::string& command) const;

  u32 rank() const { return exchange_ ? exchange_->rank() : 0; }
  u32 ranks() const { return exchange_ ? exchange_->ranks() : 1; }
  bool first() const { return rank() == 0; }
  /// Ranks on this machine, this one too: they share its memory.
  u32 ranks_here() const { return here_.count; }
  const LocalProcesses& here() const { return here_; }
  /// Null when there is one rank.
  Exchange* exchange() const { return exchange_.get(); }

  /// Does `prepare`, which must not exchange anything, on every rank. When it throws on some, the lowest of those
  /// throws that here, and every other rank SaidElsewhere: what all ranks find wrong is said once, and nobody waits for
  /// one that is gone.
  void together(const std::function<void()>& prepare) const;
  /// Ends all ranks now. For what went wrong on this one while others wait for it.
  [[noreturn]] void abort(int exit_code) const;

 private:
  std::unique_ptr<Exchange> exchange_;
  bool started_ = false;
  LocalProcesses here_;
};

}  // namespace heddle
