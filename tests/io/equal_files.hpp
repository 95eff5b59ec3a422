// Whether two result files hold the same.
#pragma once

#include <string>

namespace heddle::test {

/// The first object, type, shape, value or attribute in which one file differs from the other, as text; "" when they
/// are equal. Left out: /perf, and the root attributes that say where and how it ran (date, command_line, hosts,
/// slurm_job_id, ranks, threads, devices). Opened in SWMR mode where need be.
std::string first_difference(const std::string& path, const std::string& other_path);

}  // namespace heddle::test
