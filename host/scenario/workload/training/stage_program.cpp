#include "host/scenario/workload/training/stage_program.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "host/base/error.hpp"
#include "host/scenario/workload/training/loads.hpp"
#include "host/scenario/workload/training/schedule.hpp"

namespace heddle {
namespace {

/// Bytes and times of one micro-batch, equal in every layer.
struct LayerWork {
  u64 activation_bytes, kv_bytes, routed_bytes;
  TimePs attention_ps, ffn_ps, head_ps;  // forward pass

  explicit LayerWork(const TrainingPlan& p) {
    const TrainingOptions& o = p.options;
    const u64 tensors = p.division.tensors, sequences = o.micro_batch_size;
    const u64 part = divided_up(o.sequence_length, p.division.contexts), tokens = sequences * part;
    activation_bytes = tokens * p.model.hidden * o.parameter_bytes;
    kv_bytes = divided_up(2 * sequences * o.sequence_length * p.model.kv_hidden() * o.parameter_bytes, tensors);
    routed_bytes = divided_up(activation_bytes * p.model.experts_per_token, tensors);
    const auto count = static_cast<double>(tokens);
    const double attention = p.model.attention_flops(count, o.sequence_length), ffn = p.model.ffn_flops(count);
    const double ps_per_flop = o.forward_ps != 0 ? static_cast<double>(o.forward_ps) / (attention + ffn)
                                                 : 1 / (o.peak_tflops * o.efficiency * static_cast<double>(tensors));
    attention_ps = time_ps(p, attention * ps_per_flop);
    ffn_ps = time_ps(p, ffn * ps_per_flop);
    head_ps = time_ps(p, p.model.head_flops(count) * ps_per_flop);
  }

 private:
  static TimePs time_ps(const TrainingPlan& p, double ps) {
    if (2 * ps < static_cast<double>(kMaxComputePs)) return std::llround(ps);
    throw ConfigError(
        fmt::format("job[{}].training: a layer's pass of a micro-batch takes {:.1f} s, and a single computation can "
                    "take {:.1f} s at most; give a smaller micro_batch_size or sequence_length, or more peak_tflops",
                    p.job, 2 * ps / 1e12, static_cast<double>(kMaxComputePs) / 1e12));
  }
};

/// Parameters that are gathered, and whose gradients are reduced, together: a layer, the embedding, the head.
struct Unit {
  u64 parameters = 0, expert_parameters = 0;  // per GPU of a tensor-parallel group
  bool is_vocabulary = false;
  u64 all_parameters() const { return parameters + expert_parameters; }
};

class StageWriter {
 public:
  StageWriter(const TrainingPlan& plan, u32 stage)
      : p_(plan),
        stage_(stage),
        with_(communicators_of_stage(plan, stage)),
        work_(plan),
        out_(with_.groups, with_.timed),
        passes_(one_forward_one_backward(stage, plan.division.stages, plan.options.virtual_stages,
                                         plan.options.micro_batches)) {
    for (u32 c = 0; c < p_.options.virtual_stages; ++c) {
      first_unit_.push_back(static_cast<u32>(units_.size()));
      if (has_embedding(c)) units_.push_back(vocabulary());
      units_.insert(units_.end(), layers(c), layer());
      if (has_head(c)) units_.push_back(vocabulary());
    }
    gathered_.resize(units_.size());
    received_.resize(passes_.size());
  }

  StreamWriter write(bool loads) {
    if (loads) {
      const auto [operations, until_there] = load_operations(p_.options.data);
      out_.load(operations, until_there);
    }
    for (u32 i = 0; i < passes_.size(); ++i) {
      if (i == 0) receive(0, {});
      if (i + 1 < passes_.size()) receive(i + 1, out_.computed());
      if (received_[i]) out_.await(*received_[i]);
      passes_[i].forward ? forward(passes_[i]) : backward(passes_[i]);
    }
    for (const auto& [stream, last] : reduced_) out_.await(last);
    for (const auto& [stream, last] : sent_) out_.await(last);
    return std::move(out_);
  }

 private:
  u32 pipeline_chunk(u32 chunk) const { return chunk * p_.division.stages + stage_; }
  u32 layers(u32 chunk) const { return p_.layers[pipeline_chunk(chunk)]; }
  bool has_embedding(u32 chunk) const { return pipeline_chunk(chunk) == 0; }
  bool has_head(u32 chunk) const { return pipeline_chunk(chunk) + 1 == p_.layers.size(); }
  bool is_first(const Pass& pass) const { return pass.micro_batch == 0; }
  bool is_last(const Pass& pass) const { return pass.micro_batch + 1 == p_.options.micro_batches; }

  Unit vocabulary() const { return {divided_up(p_.model.vocabulary_parameters(), p_.division.tensors), 0, true}; }
  Unit layer() const {
    const u64 all_experts = p_.model.experts * p_.model.expert_parameters();
    const bool divided = p_.division.experts > 1;
    return {divided_up(p_.model.attention_parameters() + (divided ? 0 : all_experts), p_.division.tensors),
            divided ? divided_up(all_experts, u64{p_.division.experts} * p_.division.tensors) : 0};
  }

  /// Receives the input of a pass from another stage; posted when `after` is reached: during the previous pass.
  void receive(u32 pass, Mark after) {
    const auto [forward, micro_batch, chunk] = passes_[pass];
    if (forward ? has_embedding(chunk) : has_head(chunk)) return;
    const u32 communicator = forward ? *with_.forward_in : *with_.backward_in;
    received_[pass] = out_.launch(communicator, {CollectiveKind::send, stage_bytes()}, after);
  }

  void send(std::optional<u32> communicator) {
    const Mark done = out_.launch(*communicator, {CollectiveKind::send, stage_bytes()}, out_.computed());
    sent_[done.stream] = done;
  }
  u64 stage_bytes() const { return divided_up(work_.activation_bytes, p_.division.tensors); }

  void forward(const Pass& pass) {
    u32 unit = first_unit_[pass.chunk];
    if (has_embedding(pass.chunk)) use(pass, unit++);
    for (u32 l = 0; l < layers(pass.chunk); ++l) {
      use(pass, unit++);
      if (with_.context) out_.call(*with_.context, {CollectiveKind::all_gather, work_.kv_bytes});
      divided_compute(work_.attention_ps, work_.activation_bytes);
      feed_forward(work_.ffn_ps);
    }
    if (has_head(pass.chunk)) {
      use(pass, unit++);
      out_.compute(work_.head_ps);
    } else {
      send(with_.forward_out);
    }
  }

  /// Twice the operations of the forward pass: gradients of the inputs, and of the parameters.
  void backward(const Pass& pass) {
    u32 unit = first_unit_[pass.chunk] + units_of(pass.chunk);
    if (has_head(pass.chunk)) {
      out_.compute(2 * work_.head_ps);
      reduce(pass, --unit);
    }
    for (u32 l = 0; l < layers(pass.chunk); ++l) {
      feed_forward(2 * work_.ffn_ps);
      divided_compute(2 * work_.attention_ps, work_.activation_bytes);
      if (with_.context) out_.call(*with_.context, {CollectiveKind::reduce_scatter, work_.kv_bytes});
      reduce(pass, --unit);
    }
    if (has_embedding(pass.chunk)) {
      reduce(pass, --unit);
    } else {
      send(with_.backward_out);
    }
  }

  u32 units_of(u32 chunk) const { return layers(chunk) + has_embedding(chunk) + has_head(chunk); }

  /// Sequence parallelism: tokens are gathered before, and scattered after, what tensor parallelism divides.
  void divided_compute(TimePs ps, u64 bytes) {
    if (with_.tensor) out_.call(*with_.tensor, {CollectiveKind::all_gather, bytes});
    out_.compute(ps);
    if (with_.tensor) out_.call(*with_.tensor, {CollectiveKind::reduce_scatter, bytes});
  }

  /// Tokens are sent to their experts and back: one copy for each expert of a token.
  void feed_forward(TimePs ps) {
    if (with_.expert) out_.call(*with_.expert, {CollectiveKind::all_to_all, work_.routed_bytes});
    divided_compute(ps, with_.expert ? work_.routed_bytes * p_.division.tensors : work_.activation_bytes);
    if (with_.expert) out_.call(*with_.expert, {CollectiveKind::all_to_all, work_.routed_bytes});
  }

  /// FSDP: the parameters of a unit are gathered before its first use; those of the next ones are requested.
  void use(const Pass& pass, u32 unit) {
    if (p_.options.data_parallel != "fsdp" || !is_first(pass)) return;
    const Mark now = unit == 0 ? Mark{} : out_.computed();
    for (; asked_ < units_.size() && asked_ <= u64{unit} + p_.options.prefetch_layers; ++asked_)
      gathered_[asked_] = exchange(CollectiveKind::all_gather, units_[asked_], p_.options.parameter_bytes, now);
    for (const Mark& done : gathered_[unit]) out_.await(done);
  }

  /// The gradients of a unit are complete after the last micro-batch.
  void reduce(const Pass& pass, u32 unit) {
    if (!is_last(pass)) return;
    const auto kind = p_.options.data_parallel == "fsdp" ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
    for (const Mark& done : exchange(kind, units_[unit], p_.options.gradient_bytes, out_.computed()))
      reduced_[done.stream] = done;
  }

  /// A collective of all data-parallel ranks; returns when it is done.
  std::vector<Mark> exchange(CollectiveKind kind, const Unit& unit, u64 bytes_each, Mark after) {
    if (p_.options.data_is_timed()) return {out_.take(0, timed_ps(kind, unit), after)};
    std::vector<Mark> done;
    if (with_.data) done.push_back(out_.launch(*with_.data, {kind, unit.parameters * bytes_each}, after));
    if (with_.expert_data && unit.expert_parameters != 0)
      done.push_back(out_.launch(*with_.expert_data, {kind, unit.expert_parameters * bytes_each}, after));
    return done;
  }

  /// The configured time of a layer; the vocabulary has one of its own, or takes its share.
  TimePs timed_ps(CollectiveKind kind, const Unit& unit) const {
    const bool gathers = kind == CollectiveKind::all_gather;
    const TimePs of_layer = gathers ? p_.options.gather_ps : p_.options.reduce_ps;
    const TimePs of_vocabulary = gathers ? p_.options.gather_vocabulary_ps : p_.options.reduce_vocabulary_ps;
    if (unit.is_vocabulary && of_vocabulary != 0) return of_vocabulary;
    const double share = static_cast<double>(unit.all_parameters()) / static_cast<double>(layer().all_parameters());
    const double ps = static_cast<double>(of_layer) * share;
    if (ps < static_cast<double>(kMaxComputePs)) return std::llround(ps);
    throw ConfigError(
        fmt::format("job[{0}].training.{1}: the vocabulary's parameters would take {2:.1f} s, in proportion to a "
                    "layer's, and {3:.1f} s are the most; {1} can be {4:.6f} s at most",
                    p_.job, gathers ? "gather" : "reduce", ps / 1e12, static_cast<double>(kMaxComputePs) / 1e12,
                    static_cast<double>(kMaxComputePs) / 1e12 * static_cast<double>(of_layer) / ps));
  }

  const TrainingPlan& p_;
  u32 stage_;
  StageCommunicators with_;
  LayerWork work_;
  StreamWriter out_;
  std::vector<Pass> passes_;
  std::vector<Unit> units_;                    // in the order in which a micro-batch visits them
  std::vector<u32> first_unit_;                // [chunk]
  std::vector<std::vector<Mark>> gathered_;    // [unit]
  u32 asked_ = 0;                              // units whose parameters were requested
  std::map<u16, Mark> reduced_, sent_;         // by stream: the last gradients; the last send to another stage
  std::vector<std::optional<Mark>> received_;  // [pass] input from another stage
};

}  // namespace

StageCommunicators communicators_of_stage(const TrainingPlan& plan, u32 stage) {
  const Division& d = plan.division;
  StageCommunicators with;
  const auto add = [&](std::optional<u32>& which, Group group, bool there) {
    if (!there) return;
    which = static_cast<u32>(with.groups.size());
    with.groups.push_back(group);
  };
  add(with.tensor, Group::tensor, d.tensors > 1);
  add(with.context, Group::context, d.contexts > 1);
  const bool timed = plan.options.data_is_timed();
  add(with.data, Group::data, plan.data_ranks() > 1 && !timed);
  if (timed) with.timed.push_back(Group::data);
  add(with.expert, Group::expert, d.experts > 1);
  add(with.expert_data, Group::data, d.experts > 1 && plan.expert_data_ranks() > 1 && !timed);
  const bool wraps = plan.options.virtual_stages > 1;
  const bool before = d.stages > 1 && (stage > 0 || wraps), behind = d.stages > 1 && (stage + 1 < d.stages || wraps);
  // Seen from the first stage, the connection to the previous one is the last of all.
  const auto add_pair = [&](std::optional<u32>& to_before, std::optional<u32>& to_behind) {
    if (stage == 0) {
      add(to_behind, Group::pipeline, behind);
      add(to_before, Group::pipeline, before);
    } else {
      add(to_before, Group::pipeline, before);
      add(to_behind, Group::pipeline, behind);
    }
  };
  add_pair(with.forward_in, with.forward_out);
  add_pair(with.backward_out, with.backward_in);
  return with;
}

StreamWriter write_stage(const TrainingPlan& plan, u32 stage, bool loads) {
  return StageWriter(plan, stage).write(loads);
}

}  // namespace heddle
