#include "partition/halo/node_exchange.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>

#include "partition/halo/waiting.hpp"

namespace heddle {
namespace {

/// A bag begins with the place in it of every bundle, by the place of its writer; 0: it has none.
constexpr u64 kNoBundle = 0;

/// Of a pair, before the words of a bundle: the reader's place and their number.
constexpr u32 kCountBits = 40;
constexpr u64 pair_entry(u32 place, u64 words) { return u64{place} << kCountBits | words; }
constexpr u64 place_in(u64 entry) { return entry >> kCountBits; }
constexpr u64 words_in(u64 entry) { return entry & ((u64{1} << kCountBits) - 1); }

/// Throws on all ranks what went wrong on the lowest; "": nothing.
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
      opened_outboxes_(2 * nodes_.places()),
      opened_bags_(2 * nodes_.count()),
      opened_inboxes_(2 * nodes_.count()),
      shares_(nodes_.count()) {
  std::string error = open_board();
  if (board_) {
    try {
      make_carried();
    } catch (const std::runtime_error& e) {
      error = e.what();
    }
  }
  fail_together(comm(), rank(), ranks(), std::move(error));
}

/// Nobody's memory goes while another has still to open it. But an exception comes out at once: the others, who wait
/// for this rank elsewhere, have to be ended.
NodeExchange::~NodeExchange() {
  if (std::uncaught_exceptions() == 0) MPI_Barrier(nodes_.comm());
}

/// Where ranks of a machine do not see each other's processes, the name of the board may be another one's file: so the
/// first place also says by MPI what must be written there.
std::string NodeExchange::open_board() {
  const u64 words = Board::words(nodes_.places(), nodes_.count());
  std::array<u64, 4> said = {};  // name and mark
  std::string error;
  u64* memory = nullptr;
  try {
    if (nodes_.place() == 0) {
      board_memory_.words.make_room(words + 8);
      memory = board_memory_.words.data();
      const SharedName& name = board_memory_.memory.name();
      memory[0] = static_cast<u64>(std::chrono::steady_clock::now().time_since_epoch().count());
      said = {name.process, name.file, name.words, memory[0]};
    }
  } catch (const std::runtime_error& e) {
    error = e.what();
  }
  MPI_Bcast(said.data(), said.size(), MPI_UINT64_T, 0, nodes_.comm());
  if (said[2] == 0) return error;
  try {
    if (nodes_.place() != 0) memory = opened_board_.open({said[0], said[1], said[2]});
    if (memory[0] != said[3]) return "shared memory of ranks: they do not see each other's processes";
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  board_.emplace(memory + 8, nodes_.places(), nodes_.count());
  least_.emplace(comm(), nodes_, *board_);
  return "";
}

void NodeExchange::make_carried() {
  for (u32 node = 0; node < nodes_.count(); ++node) {
    if (node == nodes_.own() || nodes_.carrier(nodes_.own(), node) != rank()) continue;
    Carried& carried = *carried_.emplace_back(std::make_unique<Carried>());
    carried.node = node;
    carried.peer = nodes_.carrier(node, nodes_.own());
    for (const u64 parity : {0, 1}) {
      carried.bags[parity] = std::make_unique<SharedBuffer>();
      carried.bags[parity]->words.make_room(FirstMessage().most_words() + nodes_.places());
      board_->bag(parity, node) = carried.bags[parity]->memory.name();
      board_->claimed(parity, node) = nodes_.places();
    }
  }
}

void NodeExchange::begin(std::span<const u32> neighbours, std::span<const WordBuffer> out, std::span<WordBuffer> in) {
  ++exchange_;
  neighbours_.assign(neighbours.begin(), neighbours.end());
  in_ = in;
  lay_down(out);
  board_->begun(nodes_.place()).store(exchange_, std::memory_order_release);
  if (carried_.empty()) return;
  wait_for_begun();
  for (const auto& carried : carried_) begin_message(*carried);
}

/// Words for ranks of this node into the outbox, those for others into the bags.
void NodeExchange::lay_down(std::span<const WordBuffer> out) {
  std::ranges::fill(shares_, Share{});
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    Share& share = shares_[nodes_.node_of(neighbours_[n])];
    ++share.pairs;
    share.words += out[n].words().size();
  }
  SharedBuffer& outbox = outboxes_[exchange_ % 2];
  outbox.words.make_room(claim_room());
  board_->outbox(exchange_, nodes_.place()) = outbox.memory.name();
  u64* const inside = outbox.words.data();
  shares_[nodes_.own()].next = inside;
  for (u32 node = 0; node < nodes_.count(); ++node) {
    if (node != nodes_.own() && shares_[node].pairs > 0) begin_share(node, inside);
  }
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    const std::span<const u64> words = out[n].words();
    const u32 node = nodes_.node_of(neighbours_[n]), place = nodes_.place_of(neighbours_[n]);
    Share& share = shares_[node];
    if (node == nodes_.own()) {
      board_->letter(exchange_, nodes_.place(), place) = {static_cast<u64>(share.next - inside), words.size()};
    } else {
      *share.entry++ = pair_entry(place, words.size());
    }
    share.next = std::ranges::copy(words, share.next).out;
  }
}

/// In the bags; what finds none goes into the outbox. Returns how many words the outbox gets.
u64 NodeExchange::claim_room() {
  u64 outbox_words = shares_[nodes_.own()].words;
  for (u32 node = 0; node < nodes_.count(); ++node) {
    const Share& share = shares_[node];
    if (node == nodes_.own() || share.pairs == 0) continue;
    const u64 words = 1 + share.pairs + share.words;
    const u64 at = board_->claimed(exchange_, node).fetch_add(words, std::memory_order_relaxed);
    const bool fits = at + words <= board_->bag(exchange_, node).words;
    board_->bundle(exchange_, node, nodes_.place()) = {exchange_, at, words, fits ? 0 : 1 + outbox_words};
    if (!fits) outbox_words += words;
  }
  return outbox_words;
}

/// The head of a bundle.
void NodeExchange::begin_share(u32 node, u64* outbox) {
  const Bundle& bundle = board_->bundle(exchange_, node, nodes_.place());
  Share& share = shares_[node];
  u64* bundle_words = outbox;
  if (bundle.spilled == 0) {
    OpenedWords& bag = opened_bags_[exchange_ % 2 * nodes_.count() + node];
    bundle_words = bag.open(board_->bag(exchange_, node)) + bundle.at;
  } else {
    bundle_words += bundle.spilled - 1;
  }
  *bundle_words = share.pairs;
  share.entry = bundle_words + 1;
  share.next = share.entry + share.pairs;
}

/// Until every rank of the node has laid down its words.
void NodeExchange::wait_for_begun() {
  for (u32 place = 0; place < nodes_.places(); ++place) {
    wait_until(comm(), [&] { return board_->begun(place).load(std::memory_order_acquire) >= exchange_; });
  }
}

/// Nothing goes where no rank has a neighbour, and nothing comes from there: neighbours are so to each other.
void NodeExchange::begin_message(Carried& carried) {
  const u64 words = board_->claimed(exchange_, carried.node).exchange(nodes_.places(), std::memory_order_relaxed);
  if (words == nodes_.places()) return;
  auto& bag = carried.bags[exchange_ % 2];
  if (words > bag->words.capacity()) enlarge(carried, words);
  for (u32 place = 0; place < nodes_.places(); ++place) {
    const Bundle& bundle = board_->bundle(exchange_, carried.node, place);
    bag->words.data()[place] = bundle.exchange == exchange_ ? bundle.at : kNoBundle;
  }
  bag->words.resize(words);
  messages_.begin_receive(carried.peer, carried.inboxes[exchange_ % 2].words);
  messages_.begin_send(carried.peer, bag->words.words());
}

/// A bag with room for all that was claimed: what lies in the one so far, and what was spilled.
void NodeExchange::enlarge(Carried& carried, u64 words) {
  auto& bag = carried.bags[exchange_ % 2];
  auto larger = std::make_unique<SharedBuffer>();
  larger->words.make_room(words);
  u64* const to = larger->words.data();
  std::copy_n(bag->words.data(), bag->words.capacity(), to);
  for (u32 place = 0; place < nodes_.places(); ++place) {
    const Bundle& bundle = board_->bundle(exchange_, carried.node, place);
    if (bundle.exchange != exchange_ || bundle.spilled == 0) continue;
    OpenedWords& outbox = opened_outboxes_[exchange_ % 2 * nodes_.places() + place];
    std::copy_n(outbox.open(board_->outbox(exchange_, place)) + bundle.spilled - 1, bundle.words, to + bundle.at);
  }
  bag = std::move(larger);
  board_->bag(exchange_, carried.node) = bag->memory.name();
}

/// First what others wait for.
void NodeExchange::end() {
  messages_.end();
  if (!carried_.empty()) {
    for (const auto& carried : carried_) {
      board_->inbox(exchange_, carried->node) = carried->inboxes[exchange_ % 2].memory.name();
    }
    board_->carried(nodes_.place()).store(exchange_, std::memory_order_release);
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
  if (nodes_.node_of(rank) != nodes_.own()) return words_in_bundle(rank);
  const u32 place = nodes_.place_of(rank);
  const Letter& letter = board_->letter(exchange_, place, nodes_.place());
  OpenedWords& outbox = opened_outboxes_[exchange_ % 2 * nodes_.places() + place];
  if (letter.words == 0) return {};
  return {outbox.open(board_->outbox(exchange_, place)) + letter.at, letter.words};
}

std::span<const u64> NodeExchange::words_in_bundle(u32 rank) {
  const u32 node = nodes_.node_of(rank), carrier = nodes_.place_of(nodes_.carrier(nodes_.own(), node));
  wait_until(comm(), [&] { return board_->carried(carrier).load(std::memory_order_acquire) >= exchange_; });
  OpenedWords& inbox = opened_inboxes_[exchange_ % 2 * nodes_.count() + node];
  const u64* const message = inbox.open(board_->inbox(exchange_, node));
  const u64* const bundle = message + message[nodes_.place_of(rank)];
  const std::span<const u64> entries(bundle + 1, bundle == message ? 0 : bundle[0]);
  const u64* words = entries.data() + entries.size();
  for (const u64 entry : entries) {
    if (place_in(entry) == nodes_.place()) return {words, words_in(entry)};
    words += words_in(entry);
  }
  throw std::logic_error("ranks: nothing came from rank " + std::to_string(rank) + ", which is no neighbour there");
}

void NodeExchange::begin_least(std::span<const i64> words) {
  least_by_all_ = words.size() > Offer::kMost;
  least_by_all_ ? MpiExchange::begin_least(words) : least_->begin(words);
}

std::vector<i64> NodeExchange::end_least() { return least_by_all_ ? MpiExchange::end_least() : least_->end(); }

}  // namespace heddle
