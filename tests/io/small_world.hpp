// A star of four endpoints, with messages and a collective, and an outcome as an engine could have left it.
#pragma once

#include <string>
#include <vector>

#include "io/results/writer.hpp"
#include "kernels/outcome/outcome.hpp"
#include "tests/scratch.hpp"
#include "tests/thrown.hpp"

namespace heddle::test {

/// 4 endpoints on one switch, 400 Gb/s, 1 us cables; messages 0 -> 1 (4096 B) and 2 -> 1 (10,000 B); one ring
/// all-reduce.
World small_world();
/// Both messages finished, the all-reduce took 10 us.
Outcome small_outcome();
/// One pause, one resume, one drop, two completions, and a mark that has no place in the file.
std::vector<Event> small_events();
/// Counters of every link that tell links and instants apart.
std::vector<LinkCounters> small_counters(const World& world, u64 instant);
ResultSettings small_settings();
/// With the time of GPUs and a series of every link.
ResultSettings settings_with_links();

/// Writes the file. Returns its path.
std::string write_text(const std::string& path, const std::string& text);

/// Expects that `text` has `part` in it.
void expect_contains(const std::string& text, const std::string& part);

}  // namespace heddle::test
