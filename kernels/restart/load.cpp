#include "kernels/restart/load.hpp"

#include <algorithm>

#include "kernels/instantiate/instantiate.hpp"
#include "kernels/restart/archive.hpp"
#include "kernels/restart/node_fields.hpp"
#include "kernels/restart/records.hpp"

namespace heddle {
namespace {

[[noreturn]] void misfit(const std::string& what) {
  throw CheckpointMisfit(what + "; its content does not fit this configuration, so the run cannot resume from it");
}

/// Reads all of a record's words.
template <class Read>
void read_record(std::span<const u64> words, const std::string& what, const Read& read) {
  Loader loader(words);
  try {
    read(loader);
  } catch (const std::out_of_range&) {
    misfit(what + " has too few words");
  }
  if (!loader.done()) misfit(what + " has words left over");
}

/// Publishes the state under both parities, as after a tick in which nothing happened.
void publish(const Model& model) {
  const View& v = model.view;
  for (u64 q = 0; q < u64{model.all_links()} * v.settings.classes; ++q) {
    for (u32 p = 0; p < 2; ++p) v.published[p][q] = {v.queue[q].ring, v.queue[q].sent};
  }
}

/// Makes every node and every port due at `now_ps`.
void wake_all(const View& v, TimePs now_ps) {
  std::fill(v.next_ps, v.next_ps + v.nodes, now_ps);
  std::fill(v.port_next_ps, v.port_next_ps + v.first_link[v.switches], now_ps);
  for (u32 n = 0; n < v.switches; ++n) {
    for (u32 port = 0; port < v.first_link[n + 1] - v.first_link[n]; ++port)
      v.port_active[v.first_port_word[n] + port / 64] |= u64{1} << (port % 64);
  }
}

}  // namespace

bool concerns(const Model& model, bool first, u64 record_head) {
  const u64 id = id_of(record_head);
  switch (kind_of(record_head)) {
    case StateRecord::node:
      return id >= model.local_node.size() || model.local_node[id] < model.view.nodes;
    case StateRecord::wire:
      return id >= model.local_link.size() || model.local_link[id] != kNone;
    case StateRecord::sums:
    case StateRecord::warned:
      return first;
    default:
      return true;
  }
}

void StateLoader::take(std::span<const u64> records) {
  while (!records.empty()) {
    if (whole_records(records) == 0) misfit("a record is cut off");
    const u64 head = records[0];
    const std::span<const u64> words = records.subspan(kStateRecordHead, records[1]);
    switch (kind_of(head)) {
      case StateRecord::node:
        load_node(id_of(head), words);
        break;
      case StateRecord::wire:
        load_wire(id_of(head), words);
        break;
      case StateRecord::sums:
        load_sums(words);
        break;
      case StateRecord::warned:
        load_warnings(words);
        break;
      default:
        misfit("a record is of unknown kind");
    }
    records = records.subspan(kStateRecordHead + words.size());
  }
}

void StateLoader::load_node(u64 id, std::span<const u64> words) {
  if (id >= model_.local_node.size()) misfit("there is no node " + std::to_string(id));
  const u32 node = model_.local_node[id];
  const View& v = model_.view;
  if (node >= v.nodes) return;
  ++nodes_;
  read_record(words, "node " + std::to_string(id), [&](Loader& loader) { node_fields(loader, v, node, 0); });
}

/// A cut link's packets are loaded at both of its ends.
void StateLoader::load_wire(u64 id, std::span<const u64> words) {
  if (id >= model_.local_link.size()) misfit("there is no link " + std::to_string(id));
  const u32 l = model_.local_link[id];
  const View& v = model_.view;
  if (l == kNone) return;
  read_record(words, "link " + std::to_string(id), [&](Loader& loader) { link_fields(loader, v, l, 0); });
}

void StateLoader::load_sums(std::span<const u64> words) {
  if (!first_) return;
  read_record(words, "the sums", [&](Loader& loader) {
    Tally part;
    fields(loader, part);
    add_tally(sums_, part);
    for (u32 i = 0; i < model_.collectives; ++i) {
      CollectiveOutcome log;
      fields(loader, log);
      join(model_.view.collective.log[i], log);
    }
    for (u32 i = 0; i < model_.iterations; ++i) {
      IterationOutcome log;
      fields(loader, log);
      join(model_.view.collective.programs.log[i], log);
    }
  });
}

void StateLoader::load_warnings(std::span<const u64> words) {
  if (!first_) return;
  WordSource source(words);
  try {
    const std::span<const u64> links = source.words(source.word());
    warned_links_.insert(warned_links_.end(), links.begin(), links.end());
    while (!source.empty()) warnings_.push_back(source.text());
  } catch (const std::out_of_range&) {
    misfit("the warnings are cut off");
  }
}

Tick StateLoader::finish(TimePs now_ps) {
  const View& v = model_.view;
  if (nodes_ != v.nodes)
    misfit("it holds " + std::to_string(nodes_) + " of the " + std::to_string(v.nodes) + " nodes that are needed");
  if (*v.pool.exhausted != 0) {
    throw CapacityError(
        "checkpoint: the memory for queued packets does not suffice for those that it holds; give more (heddle run "
        "--memory SIZE)");
  }
  resume_failures(model_, now_ps);
  publish(model_);
  for (u32 e = 0; v.settings.any_batches && e < v.endpoints; ++e) find_batch_due(v, e);
  wake_all(v, now_ps);
  return {now_ps, now_ps, 0};
}

}  // namespace heddle
