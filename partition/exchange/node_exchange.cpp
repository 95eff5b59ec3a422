#include "partition/exchange/node_exchange.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>

#include "partition/exchange/waiting.hpp"

namespace heddle {
namespace {

/// A message begins with the offsets of its sub-messages, by the writer's place; 0: that rank sends none.
constexpr u64 kNoSubMessage = 0;

/// A table entry of a sub-message: the reader's place and the number of its words.
constexpr u32 kCountBits = 40;
constexpr u64 pair_entry(u32 place, u64 words) { return u64{place} << kCountBits | words; }
constexpr u64 place_in(u64 entry) { return entry >> kCountBits; }
constexpr u64 words_in(u64 entry) { return entry & ((u64{1} << kCountBits) - 1); }

/// Throws the error of the lowest failed rank on all ranks; "": no error.
void fail_together(MPI_Comm comm, u32 rank, u32 ranks, std::string error) {
  const u32 mine = error.empty() ? ranks : rank;
  u32 lowest = ranks;
  MPI_Allreduce(&mine, &lowest, 1, MPI_UINT32_T, MPI_MIN, comm);
  if (lowest == ranks) return;
  int length = mpi_count(error.size());
  MPI_Bcast(&length, 1, MPI_INT, static_cast<int>(lowest), comm);
  error.resize(static_cast<std::size_t>(length));
  MPI_Bcast(error.data(), length, MPI_CHAR, static_cast<int>(lowest), comm);
  throw std::runtime_error("rank " + std::to_string(lowest) + ": " + error);
}

}  // namespace

NodeExchange::NodeExchange(PretendedNodes pretended)
    : nodes_(comm(), pretended),
      messages_(comm()),
      opened_send_buffers_(2 * nodes_.places()),
      opened_messages_(2 * nodes_.count()),
      opened_receive_buffers_(2 * nodes_.count()),
      shares_(nodes_.count()) {
  std::string error = open_counters();
  if (counters_) {
    try {
      make_relayed();
    } catch (const std::runtime_error& e) {
      error = e.what();
    }
  }
  fail_together(comm(), rank(), ranks(), std::move(error));
}

/// Keeps the memory until all ranks have opened it. An exception does not wait: the other ranks, which wait for this
/// one elsewhere, have to be ended.
NodeExchange::~NodeExchange() {
  if (std::uncaught_exceptions() == 0) MPI_Barrier(nodes_.comm());
}

/// Where ranks of a machine do not see each other's processes, the name of the counters may be another process's file:
/// so the first place also sends by MPI a mark that must be found there.
std::string NodeExchange::open_counters() {
  const u64 words = SharedCounters::words(nodes_.places(), nodes_.count());
  std::array<u64, 4> said = {};  // name and mark
  std::string error;
  u64* memory = nullptr;
  try {
    if (nodes_.place() == 0) {
      counters_memory_.words.make_room(words + 8);
      memory = counters_memory_.words.data();
      const SharedName& name = counters_memory_.memory.name();
      memory[0] = static_cast<u64>(std::chrono::steady_clock::now().time_since_epoch().count());
      said = {name.process, name.file, name.words, memory[0]};
    }
  } catch (const std::runtime_error& e) {
    error = e.what();
  }
  MPI_Bcast(said.data(), said.size(), MPI_UINT64_T, 0, nodes_.comm());
  if (said[2] == 0) return error;
  try {
    if (nodes_.place() != 0) memory = opened_counters_.open({said[0], said[1], said[2]});
    if (memory[0] != said[3]) return "shared memory of ranks: they do not see each other's processes";
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  counters_.emplace(memory + 8, nodes_.places(), nodes_.count());
  minimum_.emplace(comm(), nodes_, *counters_);
  return "";
}

void NodeExchange::make_relayed() {
  for (u32 node = 0; node < nodes_.count(); ++node) {
    if (node == nodes_.own() || nodes_.relay(nodes_.own(), node) != rank()) continue;
    Relayed& relayed = *relayed_.emplace_back(std::make_unique<Relayed>());
    relayed.node = node;
    relayed.peer = nodes_.relay(node, nodes_.own());
    for (const u64 parity : {0, 1}) {
      relayed.messages[parity] = std::make_unique<SharedBuffer>();
      relayed.messages[parity]->words.make_room(FirstMessage().max_words() + nodes_.places());
      counters_->message(parity, node) = relayed.messages[parity]->memory.name();
      counters_->claimed(parity, node) = nodes_.places();
    }
  }
}

void NodeExchange::begin(std::span<const u32> neighbours, std::span<const WordBuffer> out, std::span<WordBuffer> in) {
  ++exchange_;
  neighbours_.assign(neighbours.begin(), neighbours.end());
  in_ = in;
  write_out(out);
  counters_->begun(nodes_.place()).store(exchange_, std::memory_order_release);
  if (relayed_.empty()) return;
  wait_for_begun();
  for (const auto& relayed : relayed_) begin_message(*relayed);
}

/// Writes messages for ranks of this node into the send buffer, and others into the nodes' messages.
void NodeExchange::write_out(std::span<const WordBuffer> out) {
  std::ranges::fill(shares_, Share{});
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    Share& share = shares_[nodes_.node_of(neighbours_[n])];
    ++share.pairs;
    share.words += out[n].words().size();
  }
  SharedBuffer& send_buffer = send_buffers_[exchange_ % 2];
  send_buffer.words.make_room(claim_room());
  counters_->send_buffer(exchange_, nodes_.place()) = send_buffer.memory.name();
  u64* const inside = send_buffer.words.data();
  shares_[nodes_.own()].next = inside;
  for (u32 node = 0; node < nodes_.count(); ++node) {
    if (node != nodes_.own() && shares_[node].pairs > 0) begin_share(node, inside);
  }
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    const std::span<const u64> words = out[n].words();
    const u32 node = nodes_.node_of(neighbours_[n]), place = nodes_.place_of(neighbours_[n]);
    Share& share = shares_[node];
    if (node == nodes_.own()) {
      counters_->local_message(exchange_, nodes_.place(), place) = {static_cast<u64>(share.next - inside),
                                                                    words.size()};
    } else {
      *share.entry++ = pair_entry(place, words.size());
    }
    share.next = std::ranges::copy(words, share.next).out;
  }
}

/// Claims room in the nodes' messages; sub-messages that do not fit go into the send buffer. Returns the words of the
/// send buffer.
u64 NodeExchange::claim_room() {
  u64 buffer_words = shares_[nodes_.own()].words;
  for (u32 node = 0; node < nodes_.count(); ++node) {
    const Share& share = shares_[node];
    if (node == nodes_.own() || share.pairs == 0) continue;
    const u64 words = 1 + share.pairs + share.words;
    const u64 at = counters_->claimed(exchange_, node).fetch_add(words, std::memory_order_relaxed);
    const bool fits = at + words <= counters_->message(exchange_, node).words;
    counters_->sub_message(exchange_, node, nodes_.place()) = {exchange_, at, words, fits ? 0 : 1 + buffer_words};
    if (!fits) buffer_words += words;
  }
  return buffer_words;
}

/// Writes the head of a sub-message.
void NodeExchange::begin_share(u32 node, u64* send_buffer) {
  const SubMessage& sub_message = counters_->sub_message(exchange_, node, nodes_.place());
  Share& share = shares_[node];
  u64* sub_message_words = send_buffer;
  if (sub_message.spilled == 0) {
    OpenedWords& message = opened_messages_[exchange_ % 2 * nodes_.count() + node];
    sub_message_words = message.open(counters_->message(exchange_, node)) + sub_message.at;
  } else {
    sub_message_words += sub_message.spilled - 1;
  }
  *sub_message_words = share.pairs;
  share.entry = sub_message_words + 1;
  share.next = share.entry + share.pairs;
}

/// Waits until every rank of the node has written its messages.
void NodeExchange::wait_for_begun() {
  for (u32 place = 0; place < nodes_.places(); ++place) {
    wait_until(comm(), [&] { return counters_->begun(place).load(std::memory_order_acquire) >= exchange_; });
  }
}

/// Sends a message to a node in which some rank has a neighbour; else none arrives either: neighbours are mutual.
void NodeExchange::begin_message(Relayed& relayed) {
  const u64 words = counters_->claimed(exchange_, relayed.node).exchange(nodes_.places(), std::memory_order_relaxed);
  if (words == nodes_.places()) return;
  auto& message = relayed.messages[exchange_ % 2];
  if (words > message->words.capacity()) enlarge(relayed, words);
  for (u32 place = 0; place < nodes_.places(); ++place) {
    const SubMessage& sub_message = counters_->sub_message(exchange_, relayed.node, place);
    message->words.data()[place] = sub_message.exchange == exchange_ ? sub_message.at : kNoSubMessage;
  }
  message->words.resize(words);
  messages_.begin_receive(relayed.peer, relayed.receive_buffers[exchange_ % 2].words);
  messages_.begin_send(relayed.peer, message->words.words());
}

/// Replaces a message by one with room for all claimed words, and copies spilled sub-messages into it.
void NodeExchange::enlarge(Relayed& relayed, u64 words) {
  auto& message = relayed.messages[exchange_ % 2];
  auto larger = std::make_unique<SharedBuffer>();
  larger->words.make_room(words);
  u64* const to = larger->words.data();
  std::copy_n(message->words.data(), message->words.capacity(), to);
  for (u32 place = 0; place < nodes_.places(); ++place) {
    const SubMessage& sub_message = counters_->sub_message(exchange_, relayed.node, place);
    if (sub_message.exchange != exchange_ || sub_message.spilled == 0) continue;
    OpenedWords& send_buffer = opened_send_buffers_[exchange_ % 2 * nodes_.places() + place];
    std::copy_n(send_buffer.open(counters_->send_buffer(exchange_, place)) + sub_message.spilled - 1, sub_message.words,
                to + sub_message.at);
  }
  message = std::move(larger);
  counters_->message(exchange_, relayed.node) = message->memory.name();
}

/// Finishes first what other ranks wait for.
void NodeExchange::end() {
  messages_.end();
  if (!relayed_.empty()) {
    for (const auto& relayed : relayed_) {
      counters_->receive_buffer(exchange_, relayed->node) = relayed->receive_buffers[exchange_ % 2].memory.name();
    }
    counters_->relayed(nodes_.place()).store(exchange_, std::memory_order_release);
  }
  wait_for_begun();
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    const std::span<const u64> words = words_from(neighbours_[n]);
    in_[n].make_room(words.size());
    in_[n].resize(words.size());
    std::ranges::copy(words, in_[n].data());
  }
}

std::span<const u64> NodeExchange::words_from(u32 rank) {
  if (nodes_.node_of(rank) != nodes_.own()) return words_in_sub_message(rank);
  const u32 place = nodes_.place_of(rank);
  const LocalMessage& local_message = counters_->local_message(exchange_, place, nodes_.place());
  OpenedWords& send_buffer = opened_send_buffers_[exchange_ % 2 * nodes_.places() + place];
  if (local_message.words == 0) return {};
  return {send_buffer.open(counters_->send_buffer(exchange_, place)) + local_message.at, local_message.words};
}

std::span<const u64> NodeExchange::words_in_sub_message(u32 rank) {
  const u32 node = nodes_.node_of(rank), relay = nodes_.place_of(nodes_.relay(nodes_.own(), node));
  wait_until(comm(), [&] { return counters_->relayed(relay).load(std::memory_order_acquire) >= exchange_; });
  OpenedWords& receive_buffer = opened_receive_buffers_[exchange_ % 2 * nodes_.count() + node];
  const u64* const message = receive_buffer.open(counters_->receive_buffer(exchange_, node));
  const u64* const sub_message = message + message[nodes_.place_of(rank)];
  const std::span<const u64> entries(sub_message + 1, sub_message == message ? 0 : sub_message[0]);
  const u64* words = entries.data() + entries.size();
  for (const u64 entry : entries) {
    if (place_in(entry) == nodes_.place()) return {words, words_in(entry)};
    words += words_in(entry);
  }
  throw std::logic_error("ranks: nothing came from rank " + std::to_string(rank) + ", which is no neighbour there");
}

void NodeExchange::begin_min(std::span<const i64> words) {
  min_by_mpi_ = words.size() > MinimumOf::kMaxWords;
  min_by_mpi_ ? MpiExchange::begin_min(words) : minimum_->begin(words);
}

std::vector<i64> NodeExchange::end_min() { return min_by_mpi_ ? MpiExchange::end_min() : minimum_->end(); }

}  // namespace heddle
