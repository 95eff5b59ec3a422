// GOAL schedules: refused with a message, or a star replays them, or they are refused with a message.
#include "io/formats/goal.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const heddle::u8* data, std::size_t size) {
  using namespace heddle;
  const fuzz::MemoryFile file(fuzz::text_of(data, size));
  Trace trace;
  if (!fuzz::accepts([&] { trace = read_goal(file.path()); })) return 0;
  fuzz::require_order(trace);
  if (trace.ranks.size() < 2 || trace.ranks.size() > 64) return 0;
  fuzz::replay("goal", file.path(), static_cast<u32>(trace.ranks.size()));
  return 0;
}
