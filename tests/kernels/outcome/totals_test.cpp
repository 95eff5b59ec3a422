// The list of sums names every member of Totals, once.
#include "kernels/outcome/totals.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace heddle {
namespace {

TEST(Totals, EveryMemberIsNamedOnce) {
  const Totals totals;
  std::set<const u64*> members;
  std::set<std::string> names;
  for_each_total(totals, [&](const char* name, const u64& sum) {
    names.insert(name);
    members.insert(&sum);
  });
  EXPECT_EQ(members.size(), sizeof(Totals) / sizeof(u64)) << "a sum that is not listed is neither stored nor shown";
  EXPECT_EQ(names.size(), members.size());
}

}  // namespace
}  // namespace heddle
