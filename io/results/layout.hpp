// What is where in a result file: groups, columns, units, meanings. io/RESULT_FILE.md documents the same for readers.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "io/results/table.hpp"
#include "kernels/outcome/event.hpp"
#include "kernels/world/world.hpp"

namespace heddle::layout {

inline constexpr std::string_view kFormat = "heddle-results";
/// Raised when a reader of the version before would misread the file. Added columns do not raise it.
inline constexpr u32 kFormatVersion = 1;

/// Rows per chunk. A killed run loses the rows of its last, unfinished chunk, so what is written while the run goes on
/// has small chunks, and what is written at once has chunks of about a MiB.
inline constexpr u64 kBulkChunkRows = 131072;
inline constexpr u64 kEventChunkRows = 4096;
inline constexpr u64 kTierChunkRows = 64;
/// A link series has chunks of about this size.
inline constexpr u64 kLinkChunkBytes = 1 << 20;
u64 link_chunk_rows(u64 links);

/// Groups that only hold other groups, parents first.
inline constexpr std::array<std::string_view, 7> kParentGroups = {"/topology", "/job",  "/series", "/histogram",
                                                                  "/event",    "/perf", "/summary"};
inline constexpr std::string_view kConventions = "CF-1.10";

/// An explanation is cut to this.
inline constexpr u32 kExplanationBytes = 512;

/// Names in the order of the codes.
inline constexpr std::string_view kNodeKinds = "endpoint switch";
inline constexpr std::string_view kEventKinds =
    "depart mark pause resume drop cnp retransmit timeout message_received message_acked rank_entered rank_finished "
    "failure iteration_ended cts_wait gpu_time tcp_window";
/// Kinds in /event/gpu_time: kComputed, else 1 + the group that was waited for.
inline constexpr std::string_view kGpuActivities =
    "compute wait_all wait_tensor wait_context wait_pipeline wait_data wait_expert wait_stage "
    "wait_storage";
inline constexpr u32 kComputed = 0;
inline constexpr std::string_view kDropCauses =
    "class_limit headroom_overrun pool_overflow watchdog link_down corrupted no_route";
inline constexpr std::string_view kCollectiveKinds =
    "all_reduce all_gather reduce_scatter all_to_all gather broadcast reduce scatter send barrier send_recv "
    "all_to_all_v dispatch combine";
inline constexpr std::string_view kAlgorithms = "ring p2p tree hierarchical halving_doubling nvls";
inline constexpr std::string_view kProtocols = "simple ll ll128";
inline constexpr std::string_view kClasses = "control lossless best_effort detour";
inline constexpr std::string_view kPurposes = "own checkpoint data question report route";  // MessagePurpose
inline constexpr std::string_view kGroupNames = "all tensor context pipeline data expert stage storage";

/// States of a run: in progress or killed, ended by itself (EndReason), failed, ended by a signal or output.max_bytes.
inline constexpr std::string_view kStatuses =
    "partial complete horizon stalled deadlock qp_failed error interrupted output_full";
inline constexpr std::string_view kPartial = "partial";

/// The i-th word of such a list.
std::string_view word(std::string_view words, u32 i);

/// Codes that occur: bit i for i.
constexpr u32 code_bit(u32 code) { return 1u << code; }

TableSpec parameters(u32 key_bytes, u32 text_bytes);
/// `tier_names`: Fabric::tiers in their order, of which `tiers` occur; they must outlive the spec. A reader needs
/// neither.
TableSpec nodes(u32 name_bytes, std::string_view tier_names = "endpoint", u32 tiers = ~0u);
TableSpec links();
TableSpec collectives(u32 kinds = ~0u, u32 algorithms = ~0u, u32 protocols = ~0u, u32 groups = ~0u);
TableSpec job_ranks(u32 name_bytes);
TableSpec communicators(u32 groups = ~0u);
TableSpec iterations();
/// `fabric_names`: of the World (message_kinds.hpp); they must outlive the spec. A reader needs none.
TableSpec messages(std::string_view fabric_names = "gpus");
TableSpec training_checkpoints(std::string_view fabric_names = "gpus");
TableSpec requests();
TableSpec plans();
TableSpec message_summaries();
TableSpec message_kind_summaries(std::string_view fabric_names = "gpus");
TableSpec request_summaries();
TableSpec iteration_summaries();
TableSpec collective_summaries(u32 kinds = ~0u, u32 algorithms = ~0u, u32 protocols = ~0u, u32 groups = ~0u);
TableSpec link_outcomes();
TableSpec pfc_events();
TableSpec drop_events();
TableSpec failure_events();
TableSpec completion_events();
TableSpec gpu_time_events();
TableSpec tcp_window_events();
TableSpec phases();
TableSpec checkpoints();

/// The quantities of a series, in the order of LinkCounters.
inline constexpr std::array<ColumnSpec, 5> kSeriesQuantities = {{
    {"queue_bytes", Element::uint64, "B", "frame bytes waiting at the egress at that instant"},
    {"sent_bytes", Element::uint64, "B", "wire bytes that have left, since the start of the run"},
    {"paused_ps", Element::uint64, "ps", "time paused, summed over the lossless classes, since the start of the run"},
    {"ecn_marks", Element::uint64, "1", "packets ECN-marked, since the start of the run"},
    {"drops", Element::uint64, "1", "packets dropped by its source or lost on it, since the start of the run"},
}};

/// The column of labels of kinds of links, as wide as the longest.
ColumnSpec tier_labels(std::span<const std::string> labels);

inline constexpr ColumnSpec kTime = {"time_ps", Element::int64, "ps", "simulated time"};

}  // namespace heddle::layout
