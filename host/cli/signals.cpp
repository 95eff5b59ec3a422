#include "host/cli/signals.hpp"

#include <unistd.h>

#include <string_view>

#include "io/unfinished.hpp"

namespace heddle {
namespace {

volatile std::sig_atomic_t int_flag = 0, term_flag = 0, usr1_flag = 0, setting_up = 0;

/// Ends the program during set-up: no simulation is lost, and building a large World checks no flags for many seconds.
[[noreturn]] void end_at_once(int number) {
  constexpr std::string_view kText = "\nended while it was set up: nothing was simulated, and nothing is left\n";
  remove_unfinished();
  [[maybe_unused]] const ssize_t put = ::write(STDERR_FILENO, kText.data(), kText.size());
  ::_exit(128 + number);
}

void on_signal(int number) {
  if (number != SIGUSR1 && setting_up != 0) return when_whole(end_at_once, number);
  if (number == SIGINT) int_flag = 1;
  if (number == SIGTERM || number == SIGHUP) term_flag = 1;
  if (number == SIGUSR1) usr1_flag = 1;
}

void take(int number, int flags, struct sigaction& former) {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, &former);
}

}  // namespace

StopSignals::StopSignals(AtFirst at_first) {
  int_flag = 0;
  term_flag = 0;
  usr1_flag = 0;
  setting_up = at_first == AtFirst::end_now ? 1 : 0;
  const int once = static_cast<int>(SA_RESETHAND);  // the second signal has the default action
  take(SIGINT, once, former_int_);
  take(SIGTERM, once, former_term_);
  take(SIGUSR1, SA_RESTART, former_usr1_);
  // a closing terminal sends SIGHUP from the kernel and from the shell: the second one is no request to end at once
  take(SIGHUP, SA_RESTART, former_hup_);
  if (former_hup_.sa_handler == SIG_IGN) sigaction(SIGHUP, &former_hup_, nullptr);  // nohup
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &former_int_, nullptr);
  sigaction(SIGTERM, &former_term_, nullptr);
  sigaction(SIGUSR1, &former_usr1_, nullptr);
  sigaction(SIGHUP, &former_hup_, nullptr);
}

void StopSignals::set_up_is_over() const { setting_up = 0; }

bool StopSignals::interrupted() const { return int_flag != 0; }
bool StopSignals::terminated() const { return term_flag != 0; }
bool StopSignals::asked_to_save() const { return usr1_flag != 0; }

}  // namespace heddle
