#include "kernels/restart/save.hpp"

#include "kernels/restart/archive.hpp"
#include "kernels/restart/node_fields.hpp"

namespace heddle {
namespace {

/// Appends a record whose words `write(saver)` writes.
template <class Write>
void append_record(RecordBlocks& records, StateRecord kind, u64 id, const Write& write) {
  std::vector<u64>& words = records.words();
  words.push_back(state_record_head(kind, id));
  words.push_back(0);
  const std::size_t first = words.size();
  Saver saver(words);
  write(saver);
  words[first - 1] = words.size() - first;
  records.end_record();
}

/// Saves the wires that end at a node; leaves out empty ones.
void save_wires(const Model& model, u32 node, u32 parity, RecordBlocks& records) {
  const View& v = model.view;
  for (u32 own = v.first_link[node]; own < v.first_link[node + 1]; ++own) {
    const u32 l = v.egress[own].reverse;
    bool any = false;
    for (u32 c = 0; c < v.settings.classes; ++c) {
      const u32 q = l * v.settings.classes + c;
      any = any || v.queue[q].sent != v.head[parity][q];
    }
    if (!any) continue;
    append_record(records, StateRecord::wire, model.global_link[l],
                  [&](Saver& saver) { link_fields(saver, v, l, parity); });
  }
}

}  // namespace

void save_state(const Model& model, const Tick& tick, RecordBlocks& records) {
  for (NodeId id = 0; id < model.local_node.size(); ++id) {
    const u32 node = model.local_node[id];
    if (node >= model.view.nodes) continue;  // a node of another part
    append_record(records, StateRecord::node, id,
                  [&](Saver& saver) { node_fields(saver, model.view, node, tick.parity); });
    save_wires(model, node, tick.parity, records);
  }
}

void save_sums(const Model& model, const Tally& tally, RecordBlocks& records) {
  append_record(records, StateRecord::sums, 0, [&](Saver& saver) {
    Tally sums = tally;
    sum_fields(saver, model, sums);
  });
}

void save_warnings(std::span<const u32> links, std::span<const std::string> warnings, RecordBlocks& records) {
  if (links.empty()) return;
  append_record(records, StateRecord::warned, 0, [&](Saver& saver) {
    saver(links.size());
    for (u32 link : links) saver(link);
    for (const std::string& warning : warnings) append_text(records.words(), warning);
  });
}

}  // namespace heddle
