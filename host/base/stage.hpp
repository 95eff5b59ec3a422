// The set-up stage that this process is in before it simulates, for progress reports.
#pragma once

namespace heddle {

/// Announces the next stage of the set-up, such as "the topology". `what` must live for ever. Costs nothing.
void begin_stage(const char* what);

/// The stage announced last; null: none.
const char* present_stage();

}  // namespace heddle
