#include "io/formats/simai.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "io/formats/text.hpp"
#include "io/printable.hpp"

namespace heddle {
namespace {

constexpr u64 kMaxBytes = u64{1} << 46;
constexpr u64 kMaxNs = 17'000'000'000;
constexpr u64 kMaxLayers = 10'000'000;

/// Which ranks do a collective.
enum class Scope : u8 { all, tensor, data, expert, expert_data };
constexpr u32 kScopes = 5;

struct Call {
  CollectiveKind kind = CollectiveKind::all_reduce;
  Scope scope = Scope::all;
  u64 bytes = 0;
};

/// A pass through a layer: computing, then perhaps a collective.
struct Pass {
  TimePs compute_ps = 0;
  std::optional<Call> call;
};

struct Layer {
  Pass forward, input_gradient, weight_gradient;
  TimePs update_ps = 0;  // behind each of its collectives
};

struct Header {
  bool micro = false;  // a benchmark of one collective of all ranks
  u32 tensors = 1, experts = 1;
};

/// Updates have processors of their own: SimAI computes them beside the layers. Those of weights are awaited at the end
/// alone, and so keep up none of the others.
constexpr u32 kLayers = 0, kUpdates = 1, kWeightUpdates = 2;

/// What all ranks do, while it is written.
class OpList {
 public:
  u32 compute(TimePs ps, u32 processor, std::vector<u32> after) {
    TraceOp op;
    op.computes = true;
    op.compute_ps = ps;
    op.processor = processor;
    return add(std::move(op), std::move(after));
  }
  u32 call(const Call& call, u32 communicator, u32 after) {
    TraceOp op;
    op.kind = call.kind;
    op.bytes = call.bytes;
    op.communicator = communicator;
    return add(std::move(op), {after});
  }
  std::vector<TraceOp> take() { return std::move(ops_); }

 private:
  u32 add(TraceOp op, std::vector<u32> after) {
    op.after = std::move(after);
    ops_.push_back(std::move(op));
    return static_cast<u32>(ops_.size() - 1);
  }
  std::vector<TraceOp> ops_;
};

class SimaiReader {
 public:
  SimaiReader(const std::string& path, u32 gpus) : file_(path), gpus_(gpus) {}

  Trace read() {
    read_header();
    const TextLine& count = file_.take("the number of layers");
    file_.expect_fields(count, "the number of layers", 1);
    const u64 layers = file_.number(count.fields[0], "number of layers", 1, kMaxLayers);
    while (!file_.at_end()) {
      if (header_.micro && !layers_.empty()) {
        file_.fail(file_.peek().number, 1,
                   "a second line of a MICRO workload, of which SimAI runs the first alone; keep that one, or make a "
                   "file of each");
      }
      layers_.push_back(read_layer(file_.take("")));
    }
    if (layers_.size() != layers) {
      file_.fail(count.fields[0], fmt::format("{} layers are announced, but {} lines follow", layers, layers_.size()));
    }
    Trace trace;
    trace.file = file_.path();
    add_communicators(trace);
    trace.programs.push_back(operations());
    note_calls_of_one(trace);
    return trace;
  }

 private:
  /// KIND, then "key: value" pairs.
  void read_header() {
    const TextLine& line = file_.take("MICRO or HYBRID_TRANSFORMER_FWD_IN_BCKWD");
    const std::string_view kind = line.fields[0].text;
    header_.micro = kind == "MICRO";
    if (!header_.micro && kind != "HYBRID_TRANSFORMER_FWD_IN_BCKWD" && kind != "HYBRID_TRANSFORMER") {
      file_.fail(line.fields[0], fmt::format("'{}' is not supported; MICRO, HYBRID_TRANSFORMER and "
                                             "HYBRID_TRANSFORMER_FWD_IN_BCKWD are",
                                             excerpt(kind)));
    }
    std::set<std::string_view> given;
    for (size_t i = 1; i < line.fields.size(); i += 2) {
      const Field& key = line.fields[i];
      if (i + 1 == line.fields.size())
        file_.fail(key, "expected pairs 'key: value' behind the kind; this is half of one");
      if (!given.insert(key.text).second)
        file_.fail(key, fmt::format("'{}' is given twice, of which SimAI takes the last; keep one", excerpt(key.text)));
      read_setting(key, line.fields[i + 1]);
    }
    if (gpus_ % header_.tensors != 0 || gpus_ / header_.tensors % header_.experts != 0) {
      file_.fail(line.number, 1,
                 fmt::format("the job has {} GPUs, and groups of {} (model_parallel_NPU_group) x {} (ep) do "
                             "not divide them",
                             gpus_, header_.tensors, header_.experts));
    }
  }

  void read_setting(const Field& key, const Field& value) {
    const u64 number = file_.number(value, excerpt(key.text), 0, kMaxBytes);
    const auto only = [&](u64 supported, const char* why) {
      if (number > supported) file_.fail(value, fmt::format("{} {} is not supported: {}", key.text, number, why));
    };
    if (key.text == "model_parallel_NPU_group:") {
      header_.tensors = group_of(key, value);
    } else if (key.text == "ep:") {
      header_.experts = group_of(key, value);
    } else if (key.text == "all_gpus:") {
      if (number != gpus_) {
        file_.fail(value, fmt::format("the workload is for {} GPUs, and the job has {}; set its gpus to {}", number,
                                      gpus_, number));
      }
    } else if (key.text == "pp:") {
      group_of(key, value);
      only(
          1,
          "SimAI itself simulates no pipeline: it makes groups as if pp were 1, and adds the bubble and pp_comm to its "
          "report by a formula; and no line says of which micro-batch or stage it is, so that no schedule follows from "
          "the file. [job.training] has pipelines (pipeline_parallel, micro_batches); with pp: 1, pp_comm: 0 and "
          "all_gpus divided by pp the file is what one stage does");
    } else if (key.text == "pp_comm:" || key.text == "pp_comm") {
      only(0,
           "SimAI does not simulate what the stages of a pipeline send each other, but adds it to its report by a "
           "formula; [job.training] does (pipeline_parallel); AICB writes 0 with pp: 1");
    } else if (key.text == "checkpoints:" || key.text == "checkpoint_initiates:") {
      only(0, "layers are not computed again in the backward pass");
    } else if (key.text == "expert_parallel_npu_group:") {
      only(1, "SimAI does not read it, and takes the experts' groups from ep:; write that");
    } else if (key.text != "vpp:" && key.text != "ga:" && key.text != "mode:") {
      file_.fail(key, fmt::format("'{}' is unknown", excerpt(key.text)));
    }  // vpp and ga: the file lists the layers of all of them; SimAI does not read the mode of an inference
  }

  u32 group_of(const Field& key, const Field& value) const {
    const u64 ranks = file_.number(value, key.text, 0, 1 << 30);
    if (ranks == 0) {
      file_.fail(value, fmt::format("{} 0 is no size of a group; write 1 where there is none, as AICB does",
                                    excerpt(key.text)));
    }
    return static_cast<u32>(ranks);
  }

  /// name, dependence, then compute time, kind and size of three passes, and the time of an update.
  Layer read_layer(const TextLine& line) {
    constexpr std::string_view kColumns =
        "name dependence forward-ns kind bytes input-gradient-ns kind bytes weight-gradient-ns kind bytes update";
    file_.expect_fields(line, kColumns, 12);
    Layer layer;
    check_dependence(line.fields[1]);
    const bool of_optimizer = line.fields[0].text.starts_with("grad_");
    layer.forward = read_pass(line, 2, of_optimizer ? Scope::data : Scope::tensor);
    layer.input_gradient = read_pass(line, 5, Scope::tensor);
    layer.weight_gradient = read_pass(line, 8, Scope::data);
    if (header_.micro) keep_what_micro_runs(line, layer);
    layer.update_ps = static_cast<TimePs>(file_.number(line.fields[11], "update time", 0, kMaxNs, "ns")) * 1000;
    return layer;
  }

  /// SimAI does the weight gradient's collective of a MICRO workload at once, and nothing else.
  void keep_what_micro_runs(const TextLine& line, Layer& layer) const {
    for (const auto& [pass, column] : {std::pair{&layer.forward, 3}, {&layer.input_gradient, 6}}) {
      if (!pass->call) continue;
      file_.fail(line.fields[static_cast<size_t>(column)],
                 "SimAI does the last of the three collectives of a MICRO workload alone, that of the weight gradient; "
                 "write this one there, and NONE here");
    }
    for (Pass* pass : {&layer.forward, &layer.input_gradient, &layer.weight_gradient}) pass->compute_ps = 0;
  }

  /// SimAI reads a whole number here, and does nothing with it.
  void check_dependence(Field field) const {
    const Field given = field;
    if (field.text.starts_with("-")) field.text.remove_prefix(1);
    if (field.text.empty() || field.text.find_first_not_of("0123456789") != field.text.npos) {
      file_.fail(given, fmt::format("dependence is '{}', not a whole number; AICB writes -1, and SimAI cannot read on "
                                    "behind anything else",
                                    excerpt(given.text)));
    }
  }

  /// Collectives that send nothing, as their groups are of one GPU.
  void note_calls_of_one(Trace& trace) const {
    constexpr const char* kWords[kScopes] = {"", "tensor-parallel", "data-parallel", "expert-parallel",
                                             "expert-data-parallel"};
    u64 all = 0;
    std::string groups;
    for (u32 s = 0; s < kScopes; ++s) {
      if (calls_of_one_[s] == 0) continue;
      all += calls_of_one_[s];
      groups += fmt::format("{}{} {}", groups.empty() ? "" : ", ", calls_of_one_[s], kWords[s]);
    }
    if (all == 0) return;
    trace.notes.push_back(fmt::format(
        "{}: {} of {} collectives are of groups of one GPU and send nothing, as in SimAI ({}): with {} GPUs, "
        "model_parallel_NPU_group: {} and ep: {}, collectives of forward and input-gradient columns are of {} GPU{}, "
        "those of weight-gradient columns of {}",
        file_.path(), all, calls_, groups, gpus_, header_.tensors, header_.experts, ranks_of(Scope::tensor),
        ranks_of(Scope::tensor) == 1 ? "" : "s", ranks_of(Scope::data)));
  }

  /// As in SimAI, a size beside NONE is nothing, and neither is a collective of 0 bytes.
  Pass read_pass(const TextLine& line, size_t column, Scope scope) {
    Pass pass;
    pass.compute_ps = static_cast<TimePs>(file_.number(line.fields[column], "compute time", 0, kMaxNs, "ns")) * 1000;
    const u64 bytes = file_.number(line.fields[column + 2], "size", 0, kMaxBytes, "bytes");
    Field kind = line.fields[column + 1];
    if (kind.text == "NONE") return pass;
    Call call{CollectiveKind::all_reduce, header_.micro ? Scope::all : scope, bytes};
    for (const auto& [suffix, of] :
         {std::pair{std::string_view("_DP_EP"), Scope::expert_data}, {"_EP", Scope::expert}}) {
      if (!kind.text.ends_with(suffix)) continue;
      kind.text.remove_suffix(suffix.size());
      call.scope = of;
    }
    call.kind = kind_of(kind);
    if (bytes == 0) return pass;
    ++calls_;
    if (ranks_of(call.scope) > 1) {
      pass.call = call;
    } else {
      ++calls_of_one_[static_cast<u32>(call.scope)];
    }
    return pass;
  }

  CollectiveKind kind_of(const Field& field) const {
    constexpr std::array<std::pair<std::string_view, CollectiveKind>, 5> kKinds = {
        {{"ALLREDUCE", CollectiveKind::all_reduce},
         {"ALLGATHER", CollectiveKind::all_gather},
         {"REDUCESCATTER", CollectiveKind::reduce_scatter},
         {"ALLTOALL", CollectiveKind::all_to_all},
         {"BROADCAST", CollectiveKind::broadcast}}};
    const auto found = std::ranges::find(kKinds, field.text, &std::pair<std::string_view, CollectiveKind>::first);
    if (found == kKinds.end()) {
      file_.fail(field,
                 fmt::format("'{}' is no collective that is supported; ALLREDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL "
                             "and BROADCAST are, with _EP or _DP_EP behind them",
                             excerpt(field.text)));
    }
    return found->second;
  }

  u32 ranks_of(Scope scope) const {
    const u32 datas = gpus_ / header_.tensors;
    const u32 ranks[kScopes] = {gpus_, header_.tensors, datas, header_.experts, datas / header_.experts};
    return ranks[static_cast<u32>(scope)];
  }

  /// The first rank of those that do a collective of this scope with `rank`.
  u32 first_of(Scope scope, u32 rank) const {
    const u32 tensor = rank % header_.tensors, data = rank / header_.tensors;
    switch (scope) {
      case Scope::all:
        return 0;
      case Scope::tensor:
        return rank - tensor;
      case Scope::data:
        return tensor;
      case Scope::expert:
        return tensor + header_.tensors * (data - data % header_.experts);
      case Scope::expert_data:
        return tensor + header_.tensors * (data % header_.experts);
    }
    return 0;
  }

  /// Those of a rank come in the order of scopes, as they are numbered.
  void add_communicators(Trace& trace) {
    constexpr Group kGroupsOf[kScopes] = {Group::all, Group::tensor, Group::data, Group::expert, Group::data};
    trace.ranks.resize(gpus_);
    u32 used_scopes = 0;
    for (u32 s = 0; s < kScopes; ++s) {
      const auto scope = static_cast<Scope>(s);
      const auto calls = [&](const Pass& pass) { return pass.call && pass.call->scope == scope; };
      const auto used = [&](const Layer& l) {
        return calls(l.forward) || calls(l.input_gradient) || calls(l.weight_gradient);
      };
      if (std::ranges::none_of(layers_, used)) continue;
      place_of_[s] = used_scopes++;
      std::map<u32, std::vector<u32>> by_first;
      for (u32 rank = 0; rank < gpus_; ++rank) by_first[first_of(scope, rank)].push_back(rank);
      for (auto& [first, ranks] : by_first) {
        for (const u32 rank : ranks)
          trace.ranks[rank].communicators.push_back(static_cast<u32>(trace.communicators.size()));
        trace.communicators.push_back({kGroupsOf[s], std::move(ranks)});
      }
    }
  }

  std::vector<TraceOp> operations() const {
    OpList out;
    std::vector<u32> awaited, at_the_end;  // before the next computation; before the iteration ends
    const auto compute = [&](const Pass& pass) {
      const u32 done = out.compute(pass.compute_ps, kLayers, std::move(awaited));
      awaited.clear();
      return done;
    };
    const auto call = [&](const Layer& layer, const Pass& pass, u32 after, u32 updates, std::vector<u32>& until) {
      if (!pass.call) return;
      until.push_back(out.call(*pass.call, place_of_[static_cast<u32>(pass.call->scope)], after));
      if (layer.update_ps == 0) return;
      const u32 update = out.compute(layer.update_ps, updates, {until.back()});
      if (updates == kUpdates) until.push_back(update);
    };
    for (const Layer& layer : layers_) call(layer, layer.forward, compute(layer.forward), kUpdates, awaited);
    for (size_t i = layers_.size(); i-- > 0;) {
      const Layer& layer = layers_[i];
      call(layer, layer.input_gradient, compute(layer.input_gradient), kUpdates, awaited);
      call(layer, layer.weight_gradient, compute(layer.weight_gradient), kWeightUpdates, at_the_end);
    }
    awaited.insert(awaited.end(), at_the_end.begin(), at_the_end.end());
    out.compute(0, kLayers, std::move(awaited));
    return out.take();
  }

  TextFile file_;
  u32 gpus_;
  Header header_;
  std::vector<Layer> layers_;
  u64 calls_ = 0, calls_of_one_[kScopes] = {};
  u32 place_of_[kScopes] = {};  // which of a rank's communicators
};

}  // namespace

Trace read_simai(const std::string& path, u32 gpus) { return SimaiReader(path, gpus).read(); }

}  // namespace heddle
