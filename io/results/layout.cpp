#include "io/results/layout.hpp"

#include <algorithm>

#include "io/results/declared.hpp"
#include "kernels/outcome/outcome.hpp"

namespace heddle::layout {

std::string_view word(std::string_view words, u32 i) {
  for (; i > 0; --i) {
    const size_t space = words.find(' ');
    if (space == std::string_view::npos) return {};
    words.remove_prefix(space + 1);
  }
  return words.substr(0, words.find(' '));
}

u64 link_chunk_rows(u64 links) {
  return std::clamp<u64>(kLinkChunkBytes / (8 * std::max<u64>(links, 1)), 1, kTierChunkRows);
}

TableSpec parameters(u32 key_bytes, u32 text_bytes) {
  return {"/parameter",
          "the resolved configuration, one value each",
          {
              {"key", Element::text, "1", "section and key, as --set has them", {}, key_bytes},
              {"element", Element::uint32, "1", "which of a list, from 0"},
              {"text", Element::text, "1", "value as the configuration has it", {}, text_bytes},
              {"number", Element::real64, "1", "value in the unit of the column unit, NaN where it is no number"},
              {"unit", Element::text, "1", "unit of number, empty where it is none", {}, 8},
          }};
}

TableSpec nodes(u32 name_bytes, std::string_view tier_names, u32 tiers) {
  return {"/topology/node",
          "nodes; endpoints (a NIC with its GPU) come first",
          {
              {"node", Element::uint32, "1", "node id"},
              {"name", Element::text, "1", "name", {}, name_bytes},
              {"kind", Element::uint8, "1", "endpoint or switch", kNodeKinds},
              {"tier", Element::uint8, "1", "where the node stands", tier_names, 0, tiers},
              {"zone", Element::uint32, "1", "AI Zone or pod"},
              {"first_link", Element::uint32, "1", "port p of the node is link first_link + p"},
              {"ports", Element::uint32, "1", "number of ports"},
          }};
}

TableSpec links() {
  return {"/topology/link",
          "directed links: an egress port of src and an ingress port of dst",
          {
              {"link", Element::uint32, "1", "link id"},
              {"src", Element::uint32, "1", "node that sends"},
              {"dst", Element::uint32, "1", "node that receives"},
              {"src_port", Element::uint32, "1", "egress port of src"},
              {"dst_port", Element::uint32, "1", "ingress port of dst"},
              {"reverse", Element::uint32, "1", "link id of the other direction of the cable"},
              {"bits_per_s", Element::uint64, "bit/s", "line rate"},
              {"prop_ps", Element::int64, "ps", "propagation time of the cable"},
              {"lambda_ps", Element::int64, "ps", "end of transmission at src to arrival at dst: pipelines and cable"},
              {"phi_ps", Element::int64, "ps", "latency of pause frames that travel on this link"},
          }};
}

TableSpec messages(std::string_view fabric_names) {
  return {"/message", "explicit messages",
          with_declared<MessageOutcome>({
              {"id", Element::uint32, "1", "message id"},
              {"purpose", Element::uint8, "1", "what it is for", kPurposes},
              {"job", Element::int32, "1", "job whose checkpoint or data it is a part of, -1: of none"},
              {"checkpoint", Element::int32, "1", "which checkpoint of that job, -1: of none"},
              {"qp", Element::uint32, "1", "queue pair that carried it"},
              {"fabric", Element::uint8, "1", "fabric that carries it", fabric_names},
              {"class", Element::uint8, "1", "traffic class of its data", kClasses},
              {"src", Element::uint32, "1", "endpoint that sent"},
              {"dst", Element::uint32, "1", "endpoint that received"},
              {"bytes", Element::uint64, "B", "payload"},
              {"received_bytes"},
              {"posted_ps"},
              {"start_ps"},
              {"received_ps"},
              {"acked_ps"},
              {"finish_ps", Element::int64, "ps", "completion as the sender knows it (= acked_ps), -1 never"},
              {"ideal_ps", Element::int64, "ps", "posted to finish on an otherwise idle fabric, -1 unknown"},
          })};
}

TableSpec job_ranks(u32 name_bytes) {
  return {"/job/rank",
          "which rank of which job is which GPU",
          {
              {"job", Element::uint32, "1", "job"},
              {"rank", Element::uint32, "1", "rank in the job"},
              {"node", Element::uint32, "1", "node id of its GPU, an endpoint"},
              {"name", Element::text, "1", "name of that node", {}, name_bytes},
          }};
}

TableSpec communicators(u32 groups) {
  return {"/job/communicator",
          "which rank of which communicator is which GPU",
          {
              {"communicator", Element::uint32, "1", "number of the communicator, over all jobs"},
              {"job", Element::uint32, "1", "job"},
              {"group", Element::uint8, "1", "which ranks of the job it joins: all, or a parallel group", kGroupNames,
               0, groups},
              {"rank", Element::uint32, "1", "rank in the communicator"},
              {"node", Element::uint32, "1", "node id of its GPU, an endpoint"},
          }};
}

TableSpec iterations() {
  return {"/iteration", "iterations of training jobs; means are over the GPUs that have ended it",
          with_declared<IterationOutcome>({
              {"job", Element::uint32, "1", "job"},
              {"iteration", Element::uint32, "1", "iteration, from 0"},
              {"gpus", Element::uint32, "1", "GPUs of the job"},
              {"gpus_ended"},
              {"begin_ps"},
              {"last_begin_ps"},
              {"first_end_ps"},
              {"end_ps", Element::int64, "ps", "last GPU ends, -1 not all did"},
              {"time_ps", Element::int64, "ps",
               "end_ps less that of the iteration before, of the first less begin_ps; -1 not ended"},
              {"compute_ps", Element::real64, "ps", "time of computations, mean"},
              {"most_compute_ps"},
              {"exposed_all_ps", Element::real64, "ps", "exposed communication of collectives of no group, mean"},
              {"exposed_tensor_ps", Element::real64, "ps", "for tensor-parallel ones"},
              {"exposed_context_ps", Element::real64, "ps", "for context-parallel ones"},
              {"exposed_pipeline_ps", Element::real64, "ps", "for other pipeline stages: bubble and transfer"},
              {"exposed_data_ps", Element::real64, "ps", "for data-parallel collectives"},
              {"exposed_expert_ps", Element::real64, "ps", "for expert-parallel ones"},
              {"exposed_storage_ps", Element::real64, "ps",
               "for a checkpoint to be copied or written, or for data to be read"},
              {"most_exposed_all_ps", Element::int64, "ps", "the most of any GPU, of no group"},
              {"most_exposed_tensor_ps", Element::int64, "ps", "tensor-parallel"},
              {"most_exposed_context_ps", Element::int64, "ps", "context-parallel"},
              {"most_exposed_pipeline_ps", Element::int64, "ps", "pipeline"},
              {"most_exposed_data_ps", Element::int64, "ps", "data-parallel"},
              {"most_exposed_expert_ps", Element::int64, "ps", "expert-parallel"},
              {"most_exposed_storage_ps", Element::int64, "ps", "checkpoints and data"},
          })};
}

TableSpec training_checkpoints(std::string_view fabric_names) {
  return {"/training_checkpoint",
          "checkpoints that training jobs write to storage servers",
          {
              {"job", Element::uint32, "1", "job"},
              {"checkpoint", Element::uint32, "1", "checkpoint of the job, from 0"},
              {"gpus", Element::uint32, "1", "GPUs that write it"},
              {"messages", Element::uint64, "1", "messages to storage servers"},
              {"bytes", Element::uint64, "B", "their payload, with redundancy"},
              {"begin_ps", Element::int64, "ps", "first message posted, -1: none is"},
              {"end_ps", Element::int64, "ps", "last one acknowledged, -1: not all are"},
              {"servers", Element::uint32, "1", "storage servers to which they go"},
              {"fabric", Element::uint8, "1", "fabric that carries them", fabric_names},
              {"class", Element::uint8, "1", "their traffic class", kClasses},
              {"iteration", Element::uint32, "1", "iteration at whose end it is written"},
              {"exposed_ps", Element::real64, "ps", "exposed_storage_ps of that iteration"},
              {"step_ps", Element::int64, "ps", "time_ps of that iteration"},
              {"next_step_ps", Element::int64, "ps", "time_ps of the next one, -1: there is none, or not ended"},
              {"undisturbed_step_ps", Element::real64, "ps",
               "mean time_ps of the job's iterations that no checkpoint overlaps; NaN: there is none"},
          }};
}

TableSpec requests() {
  return {"/request",
          "requests of clients to servers",
          {
              {"generator", Element::int32, "1", "generator of the configuration, from 0; -1: a job's"},
              {"job", Element::int32, "1", "training job that asks for its data, -1: a generator's"},
              {"client", Element::uint32, "1", "endpoint that asks"},
              {"servers", Element::uint32, "1", "servers that it asks at once"},
              {"bytes", Element::uint64, "B", "payload of their answers"},
              {"begin_ps", Element::int64, "ps", "first question posted, -1 never"},
              {"end_ps", Element::int64, "ps", "last answer received by the client, -1: not all are"},
          }};
}

TableSpec plans() {
  return {
      "/plan",
      "plans of a controller whose reports and routes travel over a network",
      {
          {"measured_ps", Element::int64, "ps", "the servers' reports for it were posted"},
          {"from_ps", Element::int64, "ps", "it came into force; -1: never, as a later one did or the run was over"},
      }};
}

TableSpec collectives(u32 kinds, u32 algorithms, u32 protocols, u32 groups) {
  return {
      "/collective", "collective operations, one row each",
      with_declared<CollectiveOutcome>({
          {"id", Element::uint32, "1", "collective id"},
          {"job", Element::uint32, "1", "job"},
          {"kind", Element::uint8, "1", "operation", kCollectiveKinds, 0, kinds},
          {"algorithm", Element::uint8, "1", "algorithm", kAlgorithms, 0, algorithms},
          {"protocol", Element::uint8, "1", "protocol", layout::kProtocols, 0, protocols},
          {"ranks", Element::uint32, "1", "GPUs that took part"},
          {"bytes", Element::uint64, "B", "size as nccl-tests counts it"},
          {"start_ps"},
          {"last_enter_ps"},
          {"finish_ps", Element::int64, "ps", "last rank finishes, -1 never"},
          {"algbw_GBps", Element::real64, "GB/s", "bytes / (finish - start)"},
          {"busbw_GBps", Element::real64, "GB/s", "algbw times the nccl-tests factor of the operation"},
          {"transfer_busbw_GBps", Element::real64, "GB/s", "the same over finish - last_enter: of the transfer alone"},
          {"first_rank_ps"},
          {"last_rank_ps", Element::int64, "ps", "last rank finishes (= finish_ps), -1 never"},
          {"ranks_finished"},
          {"communicator", Element::uint32, "1", "whose it is, see /job/communicator"},
          {"group", Element::uint8, "1", "of a training job: its parallel group; else all", kGroupNames, 0, groups},
      })};
}

TableSpec message_summaries() {
  return {
      "/summary/message",
      "times of the explicit messages that were posted, a percentile each",
      {
          {"percent", Element::real64, "1", "so many per cent of them took no longer (nearest rank)"},
          {"completion_ps", Element::int64, "ps", "posted to acknowledged; of one that had not finished, to the end"},
          {"completion_at_least", Element::uint8, "1", "1: unfinished messages can raise it, so it is a lower bound"},
          {"times_the_ideal", Element::real64, "1", "completion / ideal, where that is known; NaN: of none"},
          {"ideal_at_least", Element::uint8, "1", "1: unfinished messages can raise times_the_ideal"},
          {"posted", Element::uint64, "1", "messages that were posted before the end"},
          {"finished", Element::uint64, "1", "of these, those that finished"},
      }};
}

TableSpec message_kind_summaries(std::string_view fabric_names) {
  TableSpec table = {"/summary/message_kind",
                     "/summary/message of each kind of messages apart, with their goodput",
                     {
                         {"purpose", Element::uint8, "1", "what they are for", kPurposes},
                         {"job", Element::int32, "1", "job whose checkpoints or data they are; -1: of none"},
                         {"fabric", Element::uint8, "1", "fabric that carries them", fabric_names},
                         {"class", Element::uint8, "1", "their traffic class", kClasses},
                         {"messages", Element::uint64, "1", "how many there are"},
                         {"received_bytes", Element::uint64, "B", "payload that was received, also of unfinished ones"},
                         {"goodput_bits_per_s", Element::real64, "bit/s",
                          "the same per second, from the first posting to the last completion; NaN: unknown"},
                     }};
  const std::vector<ColumnSpec> percentiles = message_summaries().columns;
  table.columns.insert(table.columns.end(), percentiles.begin(), percentiles.end());
  return table;
}

TableSpec request_summaries() {
  return {
      "/summary/request",
      "requests of each generator and of each job's data, a percentile each",
      {
          {"generator", Element::int32, "1", "as in /request"},
          {"job", Element::int32, "1", "as in /request"},
          {"requests", Element::uint64, "1", "how many there are"},
          {"begun", Element::uint64, "1", "of these, those that were begun before the end"},
          {"ended", Element::uint64, "1", "of these, those of which all answers were received"},
          {"received_bytes", Element::uint64, "B", "payload of answers that was received"},
          {"bits_per_s", Element::real64, "bit/s",
           "the same per second, from the first begin to the last end; NaN: unknown"},
          {"requests_per_s", Element::real64, "1/s", "requests that ended, likewise"},
          {"percent", Element::real64, "1", "so many per cent of those begun took no longer (nearest rank)"},
          {"time_ps", Element::int64, "ps", "begin to end; of one that had not ended, to the end of the run; -1: none"},
          {"time_at_least", Element::uint8, "1", "1: unfinished requests can raise it, so it is a lower bound"},
      }};
}

TableSpec iteration_summaries() {
  return {"/summary/iteration",
          "training jobs: means over all iterations that ended, the first among them",
          {
              {"job", Element::uint32, "1", "job"},
              {"iterations", Element::uint64, "1", "iterations that were asked for"},
              {"ended", Element::uint64, "1", "those that all GPUs ended"},
              {"time_ps", Element::real64, "ps", "mean of /iteration/time_ps, NaN: none ended"},
              {"compute_ps", Element::real64, "ps", "mean of compute_ps"},
              {"exposed_all_ps", Element::real64, "ps", "mean of exposed_all_ps"},
              {"exposed_tensor_ps", Element::real64, "ps", "mean of exposed_tensor_ps"},
              {"exposed_context_ps", Element::real64, "ps", "mean of exposed_context_ps"},
              {"exposed_pipeline_ps", Element::real64, "ps", "mean of exposed_pipeline_ps"},
              {"exposed_data_ps", Element::real64, "ps", "mean of exposed_data_ps"},
              {"exposed_expert_ps", Element::real64, "ps", "mean of exposed_expert_ps"},
              {"exposed_storage_ps", Element::real64, "ps", "mean of exposed_storage_ps"},
          }};
}

TableSpec collective_summaries(u32 kinds, u32 algorithms, u32 protocols, u32 groups) {
  return {
      "/summary/collective",
      "collectives that are alike: means over those that finished, bandwidths of the mean times; NaN: none finished",
      {
          {"job", Element::uint32, "1", "job"},
          {"group", Element::uint8, "1", "of a training job: its parallel group; else all", kGroupNames, 0, groups},
          {"kind", Element::uint8, "1", "operation", kCollectiveKinds, 0, kinds},
          {"algorithm", Element::uint8, "1", "algorithm", kAlgorithms, 0, algorithms},
          {"protocol", Element::uint8, "1", "protocol", kProtocols, 0, protocols},
          {"ranks", Element::uint32, "1", "GPUs that take part"},
          {"bytes", Element::uint64, "B", "size as nccl-tests counts it"},
          {"driven", Element::uint8, "1", "1: a program lets ranks enter, so transfer_busbw_GBps is what counts"},
          {"number", Element::uint64, "1", "how many there are"},
          {"finished", Element::uint64, "1", "of these, those that finished"},
          {"time_ps", Element::real64, "ps", "first rank's entry to last rank's end"},
          {"busbw_GBps", Element::real64, "GB/s", "busbw over time_ps, as nccl-tests has it"},
          {"transfer_ps", Element::real64, "ps", "last rank's entry to last rank's end"},
          {"transfer_busbw_GBps", Element::real64, "GB/s", "busbw over transfer_ps"},
      }};
}

TableSpec link_outcomes() {
  return {"/link", "what each directed link did over the whole run",
          with_declared<LinkOutcome>(
              {
                  {"link", Element::uint32, "1", "link id, see /topology/link"},
              },
              {
                  {"qps", Element::int64, "1", "queue pairs with data whose routes lead over it, -1 not known"},
                  {"messages", Element::int64, "1", "explicit messages of these queue pairs, -1 not known"},
                  {"mean_bits_per_s", Element::uint64, "bit/s", "mean rate until the end while it was up"},
              })};
}

TableSpec pfc_events() {
  return {"/event/pfc",
          "PAUSE and RESUME as switches decided them",
          {
              {"time_ps", Element::int64, "ps", "slot at which the node decided"},
              {"node", Element::uint32, "1", "node that decided"},
              {"port", Element::uint16, "1", "its ingress port; the node at the other end is paused"},
              {"class", Element::uint8, "1", "traffic class"},
              {"kind", Element::uint8, "1", "pause or resume", kEventKinds, 0,
               code_bit(static_cast<u32>(EventKind::pause)) | code_bit(static_cast<u32>(EventKind::resume))},
          }};
}

TableSpec drop_events() {
  return {"/event/drop",
          "packets dropped",
          {
              {"time_ps", Element::int64, "ps", "when: its arrival, or its start, if it got lost on the way"},
              {"node", Element::uint32, "1", "node that dropped it"},
              {"port", Element::uint16, "1",
               "ingress port (headroom_overrun, pool_overflow, no_route) or egress port (other causes)"},
              {"class", Element::uint8, "1", "traffic class"},
              {"cause", Element::uint8, "1", "why", kDropCauses},
              {"packet", Element::uint64, "1", "dst endpoint << 44 | dst QP << 28 | kind << 24 | PSN"},
          }};
}

TableSpec failure_events() {
  return {"/event/failure",
          "links that fail, degrade and come back; a cable has one row for each direction",
          {
              {"time_ps", Element::int64, "ps", "from then on the link is so"},
              {"node", Element::uint32, "1", "node that sends on it"},
              {"port", Element::uint16, "1", "its egress port"},
              {"bits_per_s", Element::uint64, "bit/s", "speed; 0: down"},
              {"byte_loss", Element::real64, "1", "chance that a byte is damaged, and with it its packet"},
          }};
}

TableSpec completion_events() {
  return {"/event/completion",
          "messages and ranks of collectives, as they completed",
          {
              {"time_ps", Element::int64, "ps", "when"},
              {"node", Element::uint32, "1", "endpoint where it happened"},
              {"kind", Element::uint8, "1", "what", kEventKinds, 0,
               code_bit(static_cast<u32>(EventKind::message_received)) |
                   code_bit(static_cast<u32>(EventKind::message_acked)) |
                   code_bit(static_cast<u32>(EventKind::rank_entered)) |
                   code_bit(static_cast<u32>(EventKind::rank_finished))},
              {"id", Element::uint32, "1", "message id, or collective id"},
              {"rank", Element::int32, "1", "rank in its communicator, -1 for messages"},
          }};
}

TableSpec gpu_time_events() {
  return {"/event/gpu_time",
          "computations and exposed waits of the GPUs of training jobs, each at its end",
          {
              {"time_ps", Element::int64, "ps", "when it was over"},
              {"node", Element::uint32, "1", "endpoint of the GPU"},
              {"activity", Element::uint8, "1", "it computed, or waited for which group", kGpuActivities},
              {"took_ps", Element::int64, "ps", "how long it took"},
              {"operation", Element::uint32, "1", "which operation of the jobs' programs"},
          }};
}

TableSpec tcp_window_events() {
  return {"/event/tcp_window",
          "changes of the congestion windows of TCP connections",
          {
              {"time_ps", Element::int64, "ps", "when it changed"},
              {"node", Element::uint32, "1", "endpoint that sends"},
              {"qp", Element::uint32, "1", "queue pair, as in /message"},
              {"cwnd_segments", Element::uint32, "1", "congestion window"},
              {"ssthresh_segments", Element::uint32, "1", "slow start threshold; 2^31: none yet"},
          }};
}

TableSpec checkpoints() {
  return {"/perf/checkpoint",
          "checkpoints that were written",
          {
              {"time_ps", Element::int64, "ps", "simulated time that it holds"},
              {"wall_s", Element::real64, "s", "wall time of writing it; NaN: of the one that the run resumed from"},
          }};
}

TableSpec phases() {
  return {"/perf/phase",
          "wall time of the run's own phases",
          {
              {"phase", Element::text, "1", "phase", {}, 32},
              {"wall_s", Element::real64, "s", "wall time"},
          }};
}

ColumnSpec tier_labels(std::span<const std::string> labels) {
  u32 width_bytes = 24;  // of a fabric alone all fit
  for (const std::string& label : labels) width_bytes = std::max(width_bytes, static_cast<u32>(label.size()));
  return {"tier", Element::text, "1", "tier of the link's source > tier of its destination", {}, width_bytes};
}

}  // namespace heddle::layout
