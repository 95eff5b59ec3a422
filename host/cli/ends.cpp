#include "host/cli/ends.hpp"

#include "host/cli/exit_codes.hpp"
#include "io/results/writer.hpp"

namespace heddle {

std::string status_of(const SimulationResult& result) {
  if (result.interrupted) return "interrupted";
  return result.output_full ? "output_full" : std::string(status_name(result.outcome.reason));
}

int exit_code_of(std::string_view status) {
  if (status == "complete" || status == "horizon") return kExitComplete;
  return is_final(status) || status == "interrupted" || status == "output_full" ? kExitNotComplete : kExitInternalError;
}

bool is_final(std::string_view status) {
  for (const EndReason reason :
       {EndReason::complete, EndReason::horizon, EndReason::stalled, EndReason::deadlock, EndReason::qp_failed}) {
    if (status == status_name(reason)) return true;
  }
  return false;
}

}  // namespace heddle
