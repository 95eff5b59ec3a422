#include "host/base/stage.hpp"

#include <atomic>

namespace heddle {
namespace {

std::atomic<const char*> stage = nullptr;

}  // namespace

void begin_stage(const char* what) { stage = what; }

const char* present_stage() { return stage; }

}  // namespace heddle
