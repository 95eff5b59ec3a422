// What the ranks of one node tell each other about words: where they lie, and how far everybody is.
#pragma once

#include <atomic>
#include <cstddef>

#include "kernels/base/types.hpp"
#include "partition/halo/shared_words.hpp"

namespace heddle {

/// Words of one rank for another of its node.
struct Letter {
  u64 at, words;  // in the writer's outbox
};

/// Words of one rank for all ranks of another node, in the bag that goes there:
/// [pairs] [reader's place and number of words, `pairs` times] [words...]
struct Bundle {
  u64 exchange;  // to which it belongs
  u64 at;        // in the bag
  u64 words;
  u64 spilled;  // 1 + where it lies in the writer's outbox, as the bag had no room; 0: it lies in the bag
};

/// What one rank, or all, have for the least of words.
struct Offer {
  static constexpr u64 kMost = 8;
  i64 words[kMost];
};

/// Tables in shared memory. All but the counters and `claimed` are plain words: each has one writer at a time, and who
/// reads it has seen a counter that the writer raised afterwards. What belongs to an exchange is there twice, for even
/// and odd ones.
class Board {
 public:
  /// Of a node with so many places among so many nodes.
  Board(u64* memory, u32 places, u32 nodes) : places_(places), nodes_(nodes), next_(memory) {
    begun_ = take<u64>(places);
    carried_ = take<u64>(places);
    offered_ = take<u64>(places);
    told_ = take<u64>(1);
    claimed_ = take<u64>(2 * nodes);
    outbox_ = take<SharedName>(2 * places);
    bag_ = take<SharedName>(2 * nodes);
    inbox_ = take<SharedName>(2 * nodes);
    letter_ = take<Letter>(2 * places * places);
    bundle_ = take<Bundle>(2 * nodes * places);
    offer_ = take<Offer>(2 * places);
    least_ = take<Offer>(1);
  }
  static u64 words(u32 places, u32 nodes) { return Board(nullptr, places, nodes).words_; }

  /// The last exchange whose words this place has laid down.
  std::atomic_ref<u64> begun(u32 place) const { return std::atomic_ref(begun_[place]); }
  /// The last exchange in which this place has received what it carries from other nodes.
  std::atomic_ref<u64> carried(u32 place) const { return std::atomic_ref(carried_[place]); }
  /// The last search for the least of words to which this place has added its own.
  std::atomic_ref<u64> offered(u32 place) const { return std::atomic_ref(offered_[place]); }
  /// The last one whose result is there.
  std::atomic_ref<u64> told() const { return std::atomic_ref(*told_); }
  /// Words of the bag for `node` that somebody fills.
  std::atomic_ref<u64> claimed(u64 exchange, u32 node) const { return std::atomic_ref(claimed_[of(exchange, node)]); }

  SharedName& outbox(u64 exchange, u32 place) const { return outbox_[exchange % 2 * places_ + place]; }
  SharedName& bag(u64 exchange, u32 node) const { return bag_[of(exchange, node)]; }
  SharedName& inbox(u64 exchange, u32 node) const { return inbox_[of(exchange, node)]; }
  Letter& letter(u64 exchange, u32 from, u32 to) const {
    return letter_[(exchange % 2 * places_ + to) * places_ + from];
  }
  Bundle& bundle(u64 exchange, u32 node, u32 from) const { return bundle_[of(exchange, node) * places_ + from]; }
  Offer& offer(u64 search, u32 place) const { return offer_[search % 2 * places_ + place]; }
  Offer& least() const { return *least_; }

 private:
  u64 of(u64 exchange, u32 node) const { return exchange % 2 * nodes_ + node; }

  /// The next table, on cache lines of its own.
  template <class T>
  T* take(u64 count) {
    static_assert(sizeof(T) % sizeof(u64) == 0);
    const u64 words = (count * sizeof(T) / sizeof(u64) + 7) / 8 * 8;
    words_ += words;
    if (next_ == nullptr) return nullptr;
    T* table = reinterpret_cast<T*>(next_);
    next_ += words;
    return table;
  }

  static_assert(std::atomic_ref<u64>::is_always_lock_free, "a lock would be one of this process only");

  u64 places_, nodes_;
  u64* next_;
  u64 words_ = 0;
  u64 *begun_, *carried_, *offered_, *told_, *claimed_;
  SharedName *outbox_, *bag_, *inbox_;
  Letter* letter_;
  Bundle* bundle_;
  Offer *offer_, *least_;
};

}  // namespace heddle
