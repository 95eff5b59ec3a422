#include "partition/halo/node_least.hpp"

#include <algorithm>

#include "partition/halo/waiting.hpp"

namespace heddle {

void NodeLeast::begin(std::span<const i64> words) {
  ++search_;
  words_ = words.size();
  std::ranges::copy(words, board_.offer(search_, nodes_.place()).words);
  board_.offered(nodes_.place()).store(search_, std::memory_order_release);
  if (nodes_.count() == 1 || nodes_.place() != 0) return;
  mine_ = of_node();
  MPI_Iallreduce(mine_.words, least_.words, static_cast<int>(words_), MPI_INT64_T, MPI_MIN, nodes_.firsts(), &request_);
}

std::vector<i64> NodeLeast::end() {
  if (nodes_.count() == 1) {
    least_ = of_node();
  } else if (nodes_.place() == 0) {
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
    board_.least() = least_;
    board_.told().store(search_, std::memory_order_release);
  } else {
    wait_until(comm_, [&] { return board_.told().load(std::memory_order_acquire) >= search_; });
    least_ = board_.least();
  }
  return {least_.words, least_.words + words_};
}

/// Waits for all of its ranks.
Offer NodeLeast::of_node() const {
  Offer least{};
  for (u32 place = 0; place < nodes_.places(); ++place) {
    wait_until(comm_, [&] { return board_.offered(place).load(std::memory_order_acquire) >= search_; });
    const Offer& offer = board_.offer(search_, place);
    for (u64 i = 0; i < words_; ++i) {
      least.words[i] = place == 0 ? offer.words[i] : std::min(least.words[i], offer.words[i]);
    }
  }
  return least;
}

}  // namespace heddle
