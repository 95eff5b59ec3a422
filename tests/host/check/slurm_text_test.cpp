// What `heddle check` says a job of Slurm should ask for.
#include "host/check/slurm_text.hpp"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(SlurmText, LeavesRoomForWhatEstimatesMiss) {
  const u64 gib = u64{1} << 30;
  EXPECT_EQ(slurm_text(1, gib, 3600).find("slurm      #SBATCH --ntasks=1 --mem-per-cpu=2G --time=02:01:00 "), 0U);
  EXPECT_EQ(slurm_text(8, 100 * gib, 0.5).find("slurm      #SBATCH --ntasks=8 --mem-per-cpu=188G --time=00:02:00 "),
            0U);
  EXPECT_EQ(slurm_text(1, 1, 36 * 3600.).find("slurm      #SBATCH --ntasks=1 --mem-per-cpu=1G --time=3-00:01:00 "), 0U);
}

TEST(SlurmText, ProposesNoLimitForATimeThatNobodyKnows) {
  EXPECT_EQ(slurm_text(1, 1, 0).find("--time"), std::string::npos);
}

}  // namespace
}  // namespace heddle
