// Ranks of one node exchange through memory that they share; between two nodes goes one message per exchange and
// direction.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "partition/halo/board.hpp"
#include "partition/halo/messages.hpp"
#include "partition/halo/mpi_exchange.hpp"
#include "partition/halo/node_least.hpp"
#include "partition/halo/nodes.hpp"

namespace heddle {

/// Words always lie in memory of the host (`reaches_device_memory` stays false): a GPU's are collected into pinned
/// memory. README.md says who waits for whom, and why nothing is overwritten before it was read.
class NodeExchange final : public MpiExchange {
 public:
  /// All ranks make one. Throws std::runtime_error, on all ranks and with the same words, when some ranks of a machine
  /// cannot open each other's memory.
  explicit NodeExchange(PretendedNodes pretended = {});
  ~NodeExchange() override;

  const Nodes& nodes() const { return nodes_; }
  void begin(std::span<const u32> neighbours, std::span<const WordBuffer> out, std::span<WordBuffer> in) override;
  void end() override;
  void begin_least(std::span<const i64> words) override;
  std::vector<i64> end_least() override;

 private:
  /// What goes between this node and another, when this rank carries it. All for even and odd exchanges.
  struct Carried {
    u32 node;
    u32 peer;  // the rank that carries it there
    std::unique_ptr<SharedBuffer> bags[2];
    SharedBuffer inboxes[2];
  };
  /// What this rank has for one node in this exchange.
  struct Share {
    u64 pairs = 0, words = 0;
    u64* entry = nullptr;  // of the next pair
    u64* next = nullptr;   // where its words go
  };

  /// What went wrong here; "": nothing, but where the first place of the node has failed there is no board either.
  std::string open_board();
  void make_carried();
  void lay_down(std::span<const WordBuffer> out);
  u64 claim_room();
  void begin_share(u32 node, u64* outbox);
  void wait_for_begun();
  void begin_message(Carried& carried);
  void enlarge(Carried& carried, u64 words);
  std::span<const u64> words_from(u32 rank);
  std::span<const u64> words_in_bundle(u32 rank);

  Nodes nodes_;
  Messages messages_;
  u64 exchange_ = 0;           // the current one; the first is 1
  SharedBuffer board_memory_;  // of the first place
  OpenedWords opened_board_;   // of the others
  std::optional<Board> board_;
  std::optional<NodeLeast> least_;
  bool least_by_all_ = false;  // more words than the board has room for: MPI alone finds their least
  SharedBuffer outboxes_[2];
  std::vector<std::unique_ptr<Carried>> carried_;
  std::vector<OpenedWords> opened_outboxes_, opened_bags_, opened_inboxes_;  // [2][places], [2][nodes], [2][nodes]
  std::vector<u32> neighbours_;
  std::span<WordBuffer> in_;
  std::vector<Share> shares_;  // by node
};

}  // namespace heddle
