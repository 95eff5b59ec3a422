#include "io/formats/chakra.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <tuple>
#include <unordered_map>

#include "io/error.hpp"
#include "io/formats/chakra_file.hpp"
#include "io/formats/chakra_groups.hpp"
#include "io/formats/schedule.hpp"
#include "io/printable.hpp"

namespace heddle {
namespace {

constexpr u64 kMaxRanks = 1 << 20;
constexpr u64 kMaxBytes = u64{1} << 46;
constexpr u64 kMaxPriority = ~u32{0};
constexpr u64 kMaxMicros = 17'000'000;
constexpr u64 kMaxOps = ~u64{0} >> 1;  // and bytes that they work on
constexpr u64 kBarrierBytes = 4;       // the library's barrier is an all-reduce of one number
constexpr u32 kGpu = 0, kCpu = 1, kNoTime = 2;

/// Numbers of et_def.proto.
enum class NodeType : i32 {
  invalid,
  metadata,
  mem_load,
  mem_store,
  comp,
  comm_send,
  comm_recv,
  comm_coll,
  storage,
  batch,
  checkpoint
};
constexpr std::array kTypeNames = {"INVALID",   "METADATA",  "MEM_LOAD", "MEM_STORE", "COMP",      "COMM_SEND",
                                   "COMM_RECV", "COMM_COLL", "STORAGE",  "BATCH",     "CHECKPOINT"};

/// Chakra's CollectiveCommType, and what its size counts: what a rank puts in.
struct CollectiveType {
  CollectiveKind kind;
  bool parts;  // every rank puts in a part of the whole, and nccl-tests' size is the whole
};
constexpr std::array<CollectiveType, 10> kCollectives = {{{CollectiveKind::all_reduce, false},
                                                          {CollectiveKind::reduce, false},
                                                          {CollectiveKind::all_gather, true},
                                                          {CollectiveKind::gather, true},
                                                          {CollectiveKind::scatter, false},
                                                          {CollectiveKind::broadcast, false},
                                                          {CollectiveKind::all_to_all, false},
                                                          {CollectiveKind::reduce_scatter, false},
                                                          {CollectiveKind::reduce_scatter, false},
                                                          {CollectiveKind::barrier, false}}};

class ChakraReader {
 public:
  ChakraReader(const std::string& prefix, const std::string& groups_file, const ChakraGpu& gpu)
      : prefix_(prefix), gpu_(gpu), files_(chakra_files(prefix)) {
    if (files_.empty()) {
      throw InputError(
          fmt::format("cannot read '{}.0.et': there is no such file; the name is what comes before the rank, as "
                      "of ASTRA-sim's --workload-configuration",
                      prefix));
    }
    check_gap();
    common_groups_ = read_groups_file(groups_file, ranks());
  }

  Trace read() {
    for (u32 rank = 0; rank < files_.size(); ++rank) read_rank(rank);
    Trace trace;
    trace.file = prefix_;
    add_communicators(trace);
    trace.programs = std::move(ops_);
    // As in ASTRA-sim, a COMM_SEND is done when its data is there, whether or not anybody receives it yet.
    const SendRules rules{SendMatching::by_size, true};
    schedule(trace, rules,
             [&](u32 rank, u32 op) { return place_of_node(files_[rank], read_chakra_nodes(files_[rank])[op]); });
    return trace;
  }

 private:
  u32 ranks() const { return static_cast<u32>(files_.size()); }

  /// A process group, its name and ranks; of sends: no name, and source, destination, tag.
  using CommunicatorKey = std::tuple<Group, std::string, std::vector<u32>>;

  /// A file of a rank behind one that has none.
  void check_gap() const {
    const std::filesystem::path prefix(prefix_);
    const std::string stem = prefix.filename().string() + ".";
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(
             prefix.has_parent_path() ? prefix.parent_path() : std::filesystem::path("."), ignored)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(stem) || !name.ends_with(".et") || name.size() <= stem.size() + 3) continue;
      u64 rank = 0;
      const char* end = name.data() + name.size() - 3;
      const auto [stop, error] = std::from_chars(name.data() + stem.size(), end, rank);
      if (stop != end || error != std::errc{} || rank < files_.size()) continue;
      throw InputError(
          fmt::format("cannot read '{}.{}.et': there is no such file, but one of rank {}; ranks are numbered "
                      "from 0 without gaps",
                      prefix_, files_.size(), rank));
    }
  }

  void read_rank(u32 rank) {
    const std::vector<chakra::Node> nodes = read_chakra_nodes(files_[rank]);
    std::unordered_map<u64, u32> index_of;
    ProcessGroups groups = common_groups_;
    for (const chakra::Node& node : nodes) {
      if (!index_of.try_emplace(node.id(), static_cast<u32>(index_of.size())).second)
        fail_at_node(files_[rank], node, "another node above has this id; ids are given once in a file");
      if (static_cast<NodeType>(node.type()) == NodeType::metadata)
        add_described_groups(files_[rank], node, ranks(), groups);
    }
    std::vector<TraceOp>& ops = ops_.emplace_back();
    for (const chakra::Node& node : nodes) {
      TraceOp op = operation(rank, node, groups);
      for (const auto* deps : {&node.data_deps(), &node.ctrl_deps()}) {
        for (const u64 before : *deps) {
          const auto found = index_of.find(before);
          if (found == index_of.end())
            fail_at_node(files_[rank], node, fmt::format("waits for node {}, which is not in this file", before));
          op.after.push_back(found->second);
        }
      }
      std::ranges::sort(op.after);
      op.after.erase(std::unique(op.after.begin(), op.after.end()), op.after.end());
      ops.push_back(std::move(op));
    }
  }

  TraceOp operation(u32 rank, const chakra::Node& node, const ProcessGroups& groups) {
    const auto type = static_cast<NodeType>(node.type());
    const NodeAttributes attributes(files_[rank], node);
    switch (type) {
      case NodeType::metadata:
        return computation(0, kNoTime);
      case NodeType::comp:
        return computation(rank, node, attributes);
      case NodeType::comm_send:
      case NodeType::comm_recv:
        check_communication(rank, node, attributes);
        return send(rank, node, attributes, type == NodeType::comm_send);
      case NodeType::comm_coll:
        check_communication(rank, node, attributes);
        return collective(rank, node, attributes, groups);
      default:
        break;
    }
    const bool known = node.type() >= 0 && node.type() < static_cast<i32>(kTypeNames.size());
    fail_at_node(
        files_[rank], node,
        fmt::format("is a {} node (type {}), which is not supported; COMP, COMM_SEND, COMM_RECV, COMM_COLL and "
                    "METADATA are",
                    known ? kTypeNames[static_cast<size_t>(node.type())] : "unknown", node.type()));
  }

  static TraceOp computation(u64 micros, u32 processor) {
    TraceOp op;
    op.computes = true;
    op.compute_ps = static_cast<TimePs>(micros) * 1'000'000;
    op.processor = processor;
    return op;
  }

  TraceOp computation(u32 rank, const chakra::Node& node, const NodeAttributes& attributes) const {
    const u64 micros = node.duration_micros();
    TraceOp op = computation(micros, attributes.flag("is_cpu_op") ? kCpu : kGpu);
    double takes_us = static_cast<double>(micros);
    if (micros == 0 && attributes.number("num_ops", kMaxOps).value_or(0) != 0) {
      takes_us = roofline_ps(rank, node, attributes) / 1e6;
      op.compute_ps = takes_us > kMaxMicros ? 0 : std::llround(takes_us * 1e6);
    }
    if (takes_us > kMaxMicros) {
      fail_at_node(files_[rank], node,
                   fmt::format("takes {:.0f} us, and a computation can take {} us at most", takes_us, kMaxMicros));
    }
    return op;
  }

  /// ASTRA-sim's roofline: operations at the peak, or as fast as memory brings what they work on (tensor_size).
  double roofline_ps(u32 rank, const chakra::Node& node, const NodeAttributes& attributes) const {
    if (gpu_.peak_tflops == 0) {
      fail_at_node(files_[rank], node,
                   "says how many operations it has (num_ops), but not how long they take (duration_micros); give "
                   "trace.peak_tflops for ASTRA-sim's roofline model, and trace.memory_rate if memory may limit it");
    }
    const double ops_ps = static_cast<double>(*attributes.number("num_ops", kMaxOps)) / gpu_.peak_tflops;
    if (gpu_.memory_bytes_per_s == 0) return ops_ps;
    const auto bytes = static_cast<double>(attributes.needed_number("tensor_size", kMaxOps));
    return std::max(ops_ps, bytes * 1e12 / static_cast<double>(gpu_.memory_bytes_per_s));
  }

  void check_communication(u32 rank, const chakra::Node& node, const NodeAttributes& attributes) const {
    if (attributes.flag("is_cpu_op"))
      fail_at_node(files_[rank], node, "communicates from the CPU (is_cpu_op), which is not supported; GPUs do");
    if (const u64 priority = attributes.number("comm_priority", kMaxPriority).value_or(0); priority != 0) {
      fail_at_node(
          files_[rank], node,
          fmt::format("has comm_priority {}, and communication has no priorities here: what is ready first goes "
                      "first; set it to 0, or leave it out",
                      priority));
    }
  }

  TraceOp send(u32 rank, const chakra::Node& node, const NodeAttributes& attributes, bool sends) {
    const u64 last = files_.size() - 1;
    const auto end = [&](const char* name, bool own) {
      const auto other = static_cast<u32>(own && !attributes.has(name) ? rank : attributes.needed_number(name, last));
      if (own && other != rank)
        fail_at_node(files_[rank], node, fmt::format("{} is {}, but this is the file of rank {}", name, other, rank));
      return other;
    };
    const u32 source = end("comm_src", sends), destination = end("comm_dst", !sends);
    if (source == destination) fail_at_node(files_[rank], node, "a rank cannot send to itself");
    const auto tag = static_cast<u32>(attributes.number("comm_tag", ~u32{0}).value_or(0));
    TraceOp op;
    op.communicator = number_of({Group::all, "", {source, destination, tag}});
    op.kind = CollectiveKind::send;
    op.bytes = attributes.needed_number("comm_size", kMaxBytes);
    return op;
  }

  TraceOp collective(u32 rank, const chakra::Node& node, const NodeAttributes& attributes,
                     const ProcessGroups& groups) {
    const CollectiveType& type = kCollectives[attributes.needed_number("comm_type", kCollectives.size() - 1)];
    if (!attributes.all_set("involved_dim")) {
      fail_at_node(
          files_[rank], node,
          "involved_dim leaves out dimensions of ASTRA-sim's logical topology, which there is none of here; name a "
          "process group (pg_name)");
    }
    const ProcessGroup group = group_of(rank, node, attributes, groups);
    const std::vector<u32>& ranks = group.ranks;
    u64 bytes = kBarrierBytes;
    if (type.kind != CollectiveKind::barrier) {
      bytes = attributes.needed_number("comm_size", kMaxBytes / std::max<u64>(ranks.size(), 1));
      if (bytes == 0) fail_at_node(files_[rank], node, "is a collective of 0 B (comm_size)");
    }
    if (ranks.size() == 1) return computation(0, kNoTime);
    TraceOp op;
    op.kind = type.kind;
    op.bytes = type.parts ? bytes * ranks.size() : bytes;
    op.communicator = number_of({group.group, name_of_group(attributes) + ":", ranks});
    return op;
  }

  /// As ASTRA-sim, all ranks where no group is named, or "0", unless something says which those are.
  ProcessGroup group_of(u32 rank, const chakra::Node& node, const NodeAttributes& attributes,
                        const ProcessGroups& groups) const {
    const std::string name = name_of_group(attributes);
    const auto found = groups.find(name);
    ProcessGroup group;
    if (found != groups.end()) {
      group = found->second;
    } else if (name.empty() || name == "0") {
      for (u32 r = 0; r < files_.size(); ++r) group.ranks.push_back(r);
    } else {
      fail_at_node(
          files_[rank], node,
          fmt::format("is of process group '{}', and nothing says which ranks that has; give trace.groups_file, or a "
                      "METADATA node of process groups",
                      excerpt(name)));
    }
    if (!std::ranges::binary_search(group.ranks, rank)) {
      fail_at_node(files_[rank], node,
                   fmt::format("is of process group '{}', which rank {} does not belong to", excerpt(name), rank));
    }
    return group;
  }

  static std::string name_of_group(const NodeAttributes& attributes) {
    return attributes.text(attributes.has("pg_name") ? "pg_name" : "comm_group");
  }

  /// In order of appearance, until all are known.
  u32 number_of(CommunicatorKey key) {
    return numbers_.try_emplace(std::move(key), static_cast<u32>(numbers_.size())).first->second;
  }

  /// Communicators are numbered by their keys, and those of a rank through.
  void add_communicators(Trace& trace) {
    std::vector<u32> final_number(numbers_.size());
    for (const auto& [key, number] : numbers_) {
      final_number[number] = static_cast<u32>(trace.communicators.size());
      auto [group, name, ranks] = key;
      if (name.empty()) ranks.resize(2);  // a tag follows
      trace.communicators.push_back({group, std::move(ranks)});
    }
    for (u32 rank = 0; rank < files_.size(); ++rank) {
      std::vector<u32> own;
      for (TraceOp& op : ops_[rank]) {
        if (!op.computes) own.push_back(op.communicator = final_number[op.communicator]);
      }
      std::ranges::sort(own);
      own.erase(std::unique(own.begin(), own.end()), own.end());
      for (TraceOp& op : ops_[rank])
        op.communicator = static_cast<u32>(std::ranges::lower_bound(own, op.communicator) - own.begin());
      trace.ranks.push_back({rank, std::move(own)});
    }
  }

  const std::string& prefix_;
  const ChakraGpu& gpu_;
  std::vector<std::string> files_;  // [rank]
  ProcessGroups common_groups_;
  std::vector<std::vector<TraceOp>> ops_;  // [rank] in order of the file
  std::map<CommunicatorKey, u32> numbers_;
};

}  // namespace

std::vector<std::string> chakra_files(const std::string& prefix) {
  std::vector<std::string> files;
  std::error_code ignored;
  for (u64 rank = 0; rank < kMaxRanks; ++rank) {
    std::string path = fmt::format("{}.{}.et", prefix, rank);
    if (!std::filesystem::exists(path, ignored)) break;
    files.push_back(std::move(path));
  }
  return files;
}

Trace read_chakra(const std::string& prefix, const std::string& groups_file, const ChakraGpu& gpu) {
  return ChakraReader(prefix, groups_file, gpu).read();
}

}  // namespace heddle
