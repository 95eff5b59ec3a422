// A program of a tiny World.
#pragma once

#include <vector>

#include "kernels/world/world.hpp"

namespace heddle::oracle {

/// Gives the World one program, of these streams, and a task of so many iterations. Who runs it is left to the caller.
inline void set_program(World& world, const std::vector<std::vector<Op>>& streams, u32 iterations) {
  ProgramPlan& programs = world.programs;
  for (const std::vector<Op>& ops : streams) {
    programs.streams.push_back({static_cast<u32>(programs.ops.size()), static_cast<u32>(ops.size())});
    programs.ops.insert(programs.ops.end(), ops.begin(), ops.end());
  }
  programs.programs = {{0, static_cast<u32>(streams.size())}};
  programs.tasks = {{0, 0, iterations, 0}};
}

}  // namespace heddle::oracle
