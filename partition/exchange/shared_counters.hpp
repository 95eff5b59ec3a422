// Counters and tables in shared memory of one node: the positions of each rank's messages, and its progress.
#pragma once

#include <atomic>

#include "kernels/base/types.hpp"
#include "partition/exchange/shared_words.hpp"

namespace heddle {

/// A message from one rank to another of its node.
struct LocalMessage {
  u64 at, words;  // position in the writer's send buffer
};

/// All words of one rank for another node, as a part of the node's message to it:
/// [pairs] [reader's place and number of words, `pairs` times] [words...]
struct SubMessage {
  u64 exchange;  // the exchange to which it belongs
  u64 at;        // position in the message
  u64 words;
  u64 spilled;  // 1 + its offset in the writer's send buffer, as the message had no room; 0: it is in the message
};

/// Words whose minimum is computed: those of one rank, or the minimum of all.
struct MinimumOf {
  static constexpr u64 kMaxWords = 8;
  i64 words[kMaxWords];
};

/// Tables in shared memory. All but the counters and `claimed` are plain words: each has one writer at a time, and its
/// readers have seen a counter that the writer raised afterwards. There are two tables of each kind, for even and odd
/// exchanges.
class SharedCounters {
 public:
  /// For a node with `places` ranks, one of `nodes` nodes.
  SharedCounters(u64* memory, u32 places, u32 nodes) : places_(places), nodes_(nodes), next_(memory) {
    begun_ = take<u64>(places);
    relayed_ = take<u64>(places);
    contributed_ = take<u64>(places);
    published_ = take<u64>(1);
    claimed_ = take<u64>(2 * nodes);
    send_buffer_ = take<SharedName>(2 * places);
    message_ = take<SharedName>(2 * nodes);
    receive_buffer_ = take<SharedName>(2 * nodes);
    local_message_ = take<LocalMessage>(2 * places * places);
    sub_message_ = take<SubMessage>(2 * nodes * places);
    input_ = take<MinimumOf>(2 * places);
    minimum_ = take<MinimumOf>(1);
  }
  static u64 words(u32 places, u32 nodes) { return SharedCounters(nullptr, places, nodes).words_; }

  /// The last exchange for which this place has written its messages.
  std::atomic_ref<u64> begun(u32 place) const { return std::atomic_ref(begun_[place]); }
  /// The last exchange in which this place has received the messages of the nodes that it relays.
  std::atomic_ref<u64> relayed(u32 place) const { return std::atomic_ref(relayed_[place]); }
  /// The last minimum to which this place has contributed.
  std::atomic_ref<u64> contributed(u32 place) const { return std::atomic_ref(contributed_[place]); }
  /// The last minimum whose result is published.
  std::atomic_ref<u64> published() const { return std::atomic_ref(*published_); }
  /// Words of the message for `node` that ranks have claimed.
  std::atomic_ref<u64> claimed(u64 exchange, u32 node) const { return std::atomic_ref(claimed_[of(exchange, node)]); }

  SharedName& send_buffer(u64 exchange, u32 place) const { return send_buffer_[exchange % 2 * places_ + place]; }
  SharedName& message(u64 exchange, u32 node) const { return message_[of(exchange, node)]; }
  SharedName& receive_buffer(u64 exchange, u32 node) const { return receive_buffer_[of(exchange, node)]; }
  LocalMessage& local_message(u64 exchange, u32 from, u32 to) const {
    return local_message_[(exchange % 2 * places_ + to) * places_ + from];
  }
  SubMessage& sub_message(u64 exchange, u32 node, u32 from) const {
    return sub_message_[of(exchange, node) * places_ + from];
  }
  MinimumOf& input(u64 search, u32 place) const { return input_[search % 2 * places_ + place]; }
  MinimumOf& minimum() const { return *minimum_; }

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
  u64 *begun_, *relayed_, *contributed_, *published_, *claimed_;
  SharedName *send_buffer_, *message_, *receive_buffer_;
  LocalMessage* local_message_;
  SubMessage* sub_message_;
  MinimumOf *input_, *minimum_;
};

}  // namespace heddle
