#include "partition/exchange/node_minimum.hpp"

#include <algorithm>

#include "partition/exchange/waiting.hpp"

namespace heddle {

void NodeMinimum::begin(std::span<const i64> words) {
  ++search_;
  words_ = words.size();
  std::ranges::copy(words, counters_.input(search_, nodes_.place()).words);
  counters_.contributed(nodes_.place()).store(search_, std::memory_order_release);
  if (nodes_.count() == 1 || nodes_.place() != 0) return;
  mine_ = of_node();
  MPI_Iallreduce(mine_.words, minimum_.words, static_cast<int>(words_), MPI_INT64_T, MPI_MIN, nodes_.firsts(),
                 &request_);
}

std::vector<i64> NodeMinimum::end() {
  if (nodes_.count() == 1) {
    minimum_ = of_node();
  } else if (nodes_.place() == 0) {
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    counters_.minimum() = minimum_;
    counters_.published().store(search_, std::memory_order_release);
  } else {
    wait_until(comm_, [&] { return counters_.published().load(std::memory_order_acquire) >= search_; });
    minimum_ = counters_.minimum();
  }
  return {minimum_.words, minimum_.words + words_};
}

/// The minimum of this node; waits for all of its ranks.
MinimumOf NodeMinimum::of_node() const {
  MinimumOf minimum{};
  for (u32 place = 0; place < nodes_.places(); ++place) {
    wait_until(comm_, [&] { return counters_.contributed(place).load(std::memory_order_acquire) >= search_; });
    const MinimumOf& input = counters_.input(search_, place);
    for (u64 i = 0; i < words_; ++i) {
      minimum.words[i] = place == 0 ? input.words[i] : std::min(minimum.words[i], input.words[i]);
    }
  }
  return minimum;
}

}  // namespace heddle
