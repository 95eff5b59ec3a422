// What this process is building before it simulates, for whoever watches it.
#pragma once

namespace heddle {

/// Says that the next stage of setting up begins: "the topology". `what` must live for ever. Costs nothing.
void begin_stage(const char* what);

/// The last that was begun; null: none.
const char* present_stage();

}  // namespace heddle
