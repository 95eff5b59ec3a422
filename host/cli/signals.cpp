#include "host/cli/signals.hpp"

namespace heddle {
namespace {

volatile std::sig_atomic_t stop_flag = 0;

void on_signal(int) { stop_flag = 1; }

}  // namespace

StopSignals::StopSignals() {
  stop_flag = 0;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one takes the default action
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &former_int_);
  sigaction(SIGTERM, &action, &former_term_);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &former_int_, nullptr);
  sigaction(SIGTERM, &former_term_, nullptr);
}

bool StopSignals::stop_requested() const { return stop_flag != 0; }

}  // namespace heddle
