// Ranks of one node exchange through shared memory; between two nodes one message travels per exchange and direction.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "partition/exchange/messages.hpp"
#include "partition/exchange/mpi_exchange.hpp"
#include "partition/exchange/node_minimum.hpp"
#include "partition/exchange/nodes.hpp"
#include "partition/exchange/shared_counters.hpp"

namespace heddle {

/// Words are always in host memory (`reaches_device_memory` stays false): a GPU's are collected into pinned memory.
/// README.md says which rank waits for which, and why nothing is overwritten before it was read.
class NodeExchange final : public MpiExchange {
 public:
  /// To be constructed by all ranks. Throws std::runtime_error, on all ranks and with the same text, when some ranks of
  /// a machine cannot open each other's memory.
  explicit NodeExchange(PretendedNodes pretended = {});
  ~NodeExchange() override;

  const Nodes& nodes() const { return nodes_; }
  void begin(std::span<const u32> neighbours, std::span<const WordBuffer> out, std::span<WordBuffer> in) override;
  void end() override;
  void begin_min(std::span<const i64> words) override;
  std::vector<i64> end_min() override;

 private:
  /// Messages between this node and another that this rank relays, twice: for even and odd exchanges.
  struct Relayed {
    u32 node;
    u32 peer;  // the rank of the other node that relays to this one
    std::unique_ptr<SharedBuffer> messages[2];
    SharedBuffer receive_buffers[2];
  };
  /// The words of this rank for one node in this exchange.
  struct Share {
    u64 pairs = 0, words = 0;
    u64* entry = nullptr;  // entry of the next pair
    u64* next = nullptr;   // position of its words
  };

  /// Returns the error, or "". The counters may be missing without an error when the first place of the node failed.
  std::string open_counters();
  void make_relayed();
  void write_out(std::span<const WordBuffer> out);
  u64 claim_room();
  void begin_share(u32 node, u64* send_buffer);
  void wait_for_begun();
  void begin_message(Relayed& relayed);
  void enlarge(Relayed& relayed, u64 words);
  std::span<const u64> words_from(u32 rank);
  std::span<const u64> words_in_sub_message(u32 rank);

  Nodes nodes_;
  Messages messages_;
  u64 exchange_ = 0;              // the current exchange; the first is 1
  SharedBuffer counters_memory_;  // owned by the first place
  OpenedWords opened_counters_;   // used by the other places
  std::optional<SharedCounters> counters_;
  std::optional<NodeMinimum> minimum_;
  bool min_by_mpi_ = false;  // more words than MinimumOf holds: MPI alone computes their minimum
  SharedBuffer send_buffers_[2];
  std::vector<std::unique_ptr<Relayed>> relayed_;
  std::vector<OpenedWords> opened_send_buffers_, opened_messages_,
      opened_receive_buffers_;  // [2][places], [2][nodes], [2][nodes]
  std::vector<u32> neighbours_;
  std::span<WordBuffer> in_;
  std::vector<Share> shares_;  // by node
};

}  // namespace heddle
