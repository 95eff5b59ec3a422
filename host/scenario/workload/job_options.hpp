// Configuration of collectives: [[job]] and [[job.collective]].
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/scenario/workload/trace/options.hpp"
#include "host/scenario/workload/training/options.hpp"
#include "io/formats/plain.hpp"
#include "io/formats/trace.hpp"
#include "kernels/base/parameter.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

inline constexpr std::string_view kOnlyTokens = "kind=dispatch|combine";

/// [[job.collective]]: every size of the list, `repeat` times each, one after the other.
struct CollectiveStepOptions {
  std::string kind = "all_reduce";
  std::vector<u64> sizes_bytes;
  std::string matrix_file = {};
  std::shared_ptr<const PlainByteMatrix> matrix = {};  // the content of its file
  u32 tokens = 4096;
  u64 token_bytes = 0;
  u32 experts = 256;
  u32 top_k = 8;
  u32 top_groups = 4;
  u32 chunk_tokens = 16;
  u64 routing_seed = 1;
  u32 repeat = 1;
  TimePs start_ps = 0;
  TimePs interval_ps = 0;
};

inline const std::array kCollectiveStepParameters = {
    Parameter<CollectiveStepOptions>{.key = "kind",
                                     .field = &CollectiveStepOptions::kind,
                                     .choices = "all_reduce|all_gather|reduce_scatter|broadcast|reduce|all_to_all|"
                                                "all_to_all_v|gather|scatter|send_recv|barrier|dispatch|combine",
                                     .help = "the first five by rings, or job.algorithm; the next five by send/recv "
                                             "(all_to_all_v: what matrix_file says; send_recv: every rank to the next "
                                             "one); barrier: an all_reduce of 4 B; dispatch, combine: tokens to "
                                             "the GPUs of their experts, and back. The v, barrier and these two have "
                                             "no sizes",
                                     .source = "NCCL; DeepEP's normal kernels"},
    Parameter<CollectiveStepOptions>{
        .key = "sizes",
        .field = &CollectiveStepOptions::sizes_bytes,
        .quantity = Quantity::bytes,
        .min = 1,
        .max = 1e14,
        .help = "nccl-tests' size: the whole vector (all_reduce, broadcast, reduce), all ranks' parts (others)",
        .source = "nccl-tests"},
    Parameter<CollectiveStepOptions>{.key = "matrix_file",
                                     .field = &CollectiveStepOptions::matrix_file,
                                     .help =
                                         "what each rank sends to each other one: a line per rank that sends, in "
                                         "it bytes for each rank that receives, as numpy.savetxt(file, m, fmt=\"%d\") "
                                         "writes a matrix",
                                     .source = "none: required",
                                     .only_with = "kind=all_to_all_v"},
    Parameter<CollectiveStepOptions>{.key = "tokens",
                                     .field = &CollectiveStepOptions::tokens,
                                     .min = 1,
                                     .max = 1'000'000,
                                     .help = "tokens of each rank",
                                     .source = "DeepEP's benchmark",
                                     .only_with = kOnlyTokens},
    Parameter<CollectiveStepOptions>{.key = "token_size",
                                     .field = &CollectiveStepOptions::token_bytes,
                                     .quantity = Quantity::bytes,
                                     .max = 1e9,
                                     .help = "bytes of a token on its way; 0 = those of 7168 elements: dispatch 7392 B "
                                             "(FP8, and a scale of 4 B for each 128), combine 14336 B (BF16)",
                                     .source = "DeepEP's benchmark",
                                     .only_with = kOnlyTokens},
    Parameter<CollectiveStepOptions>{.key = "experts",
                                     .field = &CollectiveStepOptions::experts,
                                     .min = 1,
                                     .max = 65'536,
                                     .help = "experts of all ranks, equally many of each, in order",
                                     .source = "DeepEP's benchmark",
                                     .only_with = kOnlyTokens},
    Parameter<CollectiveStepOptions>{.key = "top_k",
                                     .field = &CollectiveStepOptions::top_k,
                                     .min = 1,
                                     .max = 65'536,
                                     .help = "experts that a token takes: those of the highest scores, drawn at random",
                                     .source = "DeepEP's benchmark",
                                     .only_with = kOnlyTokens},
    Parameter<CollectiveStepOptions>{
        .key = "top_groups",
        .field = &CollectiveStepOptions::top_groups,
        .min = 1,
        .max = 65'536,
        .help = "servers that a token may go to, its own among them or not: those of the highest "
                "scores; more than there are: all",
        .source = "DeepEP's benchmark: group-limited gating",
        .only_with = kOnlyTokens},
    Parameter<CollectiveStepOptions>{.key = "chunk_tokens",
                                     .field = &CollectiveStepOptions::chunk_tokens,
                                     .min = 1,
                                     .max = 1'000'000,
                                     .help = "tokens that a channel passes on together, where all go to a server",
                                     .source = "DeepEP's benchmark: an RDMA chunk; it tries 4 to 32",
                                     .only_with = kOnlyTokens},
    Parameter<CollectiveStepOptions>{.key = "routing_seed",
                                     .field = &CollectiveStepOptions::routing_seed,
                                     .help = "another one draws other scores; simulation.seed draws none",
                                     .source = "engineering judgement",
                                     .only_with = kOnlyTokens},
    Parameter<CollectiveStepOptions>{.key = "repeat",
                                     .field = &CollectiveStepOptions::repeat,
                                     .min = 1,
                                     .max = 100'000,
                                     .help = "times each size is run",
                                     .source = "engineering judgement"},
    Parameter<CollectiveStepOptions>{.key = "start",
                                     .field = &CollectiveStepOptions::start_ps,
                                     .quantity = Quantity::time_ps,
                                     .max = 4e18,
                                     .help = "no rank enters any of these before",
                                     .source = "0"},
    Parameter<CollectiveStepOptions>{.key = "interval",
                                     .field = &CollectiveStepOptions::interval_ps,
                                     .quantity = Quantity::time_ps,
                                     .max = 4e18,
                                     .help = "no rank enters the next size or repeat before so much later; long "
                                             "enough, each runs alone. 0: a rank that is done enters the next at once",
                                     .source = "NCCL: a stream's order alone"},
};

/// [[job]]: a group of GPUs and how its collectives use the network.
struct JobOptions {
  u32 gpus = 0;
  std::string placement = "contiguous";
  u32 first_gpu = 0;
  bool share_gpus = false;
  u32 gpus_per_server = 8;
  std::string algorithm = "auto";
  std::string protocol = "auto";
  std::string nccl = "v2.26";
  std::string gpu = "hopper";
  std::string cpu = "intel";
  bool nvls = true;
  u32 pieces = 1;
  u32 channels = 0;
  u64 min_channel_bytes = 0;
  u32 nics_per_server = 0;
  std::string cross_nic = "auto";
  u32 slots = 0;
  u64 slice_bytes = 1 << 20;
  u32 slices_per_chunk = 2;
  u64 min_slice_bytes = 32 << 10;
  u32 p2p_channels = 2;
  u64 p2p_slice_bytes = 128 << 10;
  u32 p2p_window_peers = 16;
  bool pxn = false;
  u32 sms = 24;
  u32 root = 0;
  u32 qps_per_connection = 1;
  std::string qp_scaling = "round_robin";
  u32 slices_per_cts = 1;
  u64 eager_bytes = 0;
  std::vector<CollectiveStepOptions> collectives;  // [[job.collective]]
  TrainingOptions training;                        // [job.training]
  TraceOptions trace;                              // [job.trace]
  std::shared_ptr<const Trace> replayed;           // the content of its file
};

/// The kinds of rings, and those of send/recv: keys of one kind would be ignored for the other.
inline constexpr std::string_view kOnlyRings =
    "collective.kind=all_reduce|all_gather|reduce_scatter|broadcast|reduce|barrier";
inline constexpr std::string_view kOnlyChunks = "collective.kind=all_reduce|all_gather|reduce_scatter|barrier";
inline constexpr std::string_view kOnlySendRecv =
    "collective.kind=all_to_all|all_to_all_v|gather|scatter|send_recv|send|dispatch|combine";
/// The same without those whose channels are pairs of SMs.
inline constexpr std::string_view kOnlyPeerChannels =
    "collective.kind=all_to_all|all_to_all_v|gather|scatter|send_recv|send";

inline const std::array kJobParameters = {
    Parameter<JobOptions>{.key = "gpus",
                          .field = &JobOptions::gpus,
                          .max = 1048576,
                          .help = "ranks; 0 = every free GPU of the fabric, or as many as a trace or matrix_file has",
                          .source = "engineering judgement"},
    Parameter<JobOptions>{.key = "placement",
                          .field = &JobOptions::placement,
                          .choices = "contiguous|random|fragmented|min_cut",
                          .help =
                              "whole servers: in order; drawn at random; half the servers of each rack; so that few "
                              "of the job's bytes cross zones, and of the others few racks",
                          .source = "Meta SIGCOMM'24: half-used racks"},
    Parameter<JobOptions>{.key = "first_gpu",
                          .field = &JobOptions::first_gpu,
                          .max = 1048575,
                          .help = "only this GPU and later ones are used; the first of a server",
                          .source = "engineering judgement"},
    Parameter<JobOptions>{.key = "share_gpus",
                          .field = &JobOptions::share_gpus,
                          .help = "this job may use, and leaves free, GPUs of other jobs",
                          .source = "overlapping collectives of one training job"},
    Parameter<JobOptions>{.key = "gpus_per_server",
                          .field = &JobOptions::gpus_per_server,
                          .min = 1,
                          .max = 4096,
                          .help = "GPUs that NVLink joins; 1 = no NVLink",
                          .source = "Meta SIGCOMM'24: 8 H100"},
    Parameter<JobOptions>{
        .key = "algorithm",
        .field = &JobOptions::algorithm,
        .choices = "auto|ring|tree|nvls|hierarchical|halving_doubling",
        .help =
            "auto: ring, tree or nvls, by size and ranks, from a table of latencies and bandwidths; `check` prints it. "
            "nvls: "
            "all_reduce that the NVSwitches of servers reduce and multicast, with trees between servers. hierarchical: "
            "in servers by NVLink, between them rail by rail, also all_to_all. halving_doubling: with one rank in each "
            "round, twice as far each time. Of other collectives by send/recv there is only one",
        .source = "NCCL_ALGO; its tuner"},
    Parameter<JobOptions>{.key = "protocol",
                          .field = &JobOptions::protocol,
                          .choices = "auto|simple|ll|ll128",
                          .help = "simple: data, then a flag behind a fence; ll, ll128: flags in the data. auto: as "
                                  "algorithm; send/recv of up to 16 KiB a peer takes ll, else simple, also for ll128",
                          .source = "NCCL_PROTO; its tuner"},
    Parameter<JobOptions>{.key = "nccl",
                          .field = &JobOptions::nccl,
                          .choices = "v2.19|v2.26|v2.30",
                          .help = "the version whose tuner, chunks and numbers of channels are taken",
                          .source = "NCCL, src/graph/tuning.cc of 2.19.4, of 2.28.3 (as runs of 2.26 report) and 2.30",
                          .only_with = kOnlyRings},
    Parameter<JobOptions>{
        .key = "gpu",
        .field = &JobOptions::gpu,
        .choices = "hopper|ampere",
        .help = "the GPUs whose constants the tuner reads, and whose number of channels is NCCL's; nvls needs hopper",
        .source = "Meta SIGCOMM'24: H100",
        .only_with = kOnlyRings},
    Parameter<JobOptions>{
        .key = "cpu",
        .field = &JobOptions::cpu,
        .choices = "intel|amd",
        .help = "the tuner: how fast LL is beyond one server, and what a hop of a ring costs the proxy",
        .source = "NVIDIA DGX H100: Xeon",
        .only_with = kOnlyRings},
    Parameter<JobOptions>{.key = "nvls",
                          .field = &JobOptions::nvls,
                          .help = "auto may choose nvls: on Hopper, for all_reduce of 3 to 256 GPUs in each server",
                          .source = "NCCL_NVLS_ENABLE: where NVSwitches reduce",
                          .only_with = "collective.kind=all_reduce"},
    Parameter<JobOptions>{.key = "pieces",
                          .field = &JobOptions::pieces,
                          .min = 1,
                          .max = 1024,
                          .help = "hierarchical, halving_doubling: a collective passes its stages in so many pieces, "
                                  "one behind the other",
                          .source = "engineering judgement: one launch a stage",
                          .only_with = "algorithm=hierarchical|halving_doubling"},
    Parameter<JobOptions>{.key = "channels",
                          .field = &JobOptions::channels,
                          .max = 1024,
                          .help = "thread blocks of a GPU for a collective: rings, trees, channels of nvls. 0 = NCCL's "
                                  "number, which `check` prints: in one server 24, nvls 16; across servers 2 for each "
                                  "NIC, or 4 where they are few or faster than 400G",
                          .source = "NCCL, src/graph/connect.cc, search.cc; nvls.cc",
                          .only_with = kOnlyRings},
    Parameter<JobOptions>{.key = "min_channel_bytes",
                          .field = &JobOptions::min_channel_bytes,
                          .quantity = Quantity::bytes,
                          .max = 1e14,
                          .help =
                              "a collective takes another channel for each so many of its bytes, in powers of two; "
                              "nvls always takes all. 0 = NCCL's number: LL 4 KiB (rings: times ranks), LL128 5 KiB, "
                              "simple 32 KiB; from 2.30 on LL128 of an all-reduce 16 KiB, of others 32",
                          .source = "NCCL, src/enqueue.cc",
                          .only_with = kOnlyRings},
    Parameter<JobOptions>{.key = "nics_per_server",
                          .field = &JobOptions::nics_per_server,
                          .max = 4096,
                          .help = "NICs that rings, trees and nvls use, evenly over the GPUs of a server; 0 = "
                                  "gpus_per_server",
                          .source = "Meta SIGCOMM'24: a NIC for each GPU",
                          .only_with = kOnlyRings},
    Parameter<JobOptions>{
        .key = "cross_nic",
        .field = &JobOptions::cross_nic,
        .choices = "auto|yes|no",
        .help =
            "no: what a ring's last GPU of a server sends goes by NVLink to the GPU at which the ring came in, whose "
            "NIC sends it, and a tree's server has both children at its first GPU: every channel stays on its rail. "
            "yes: the last GPU's own NIC sends it, and the second GPU has the second child. auto: no where servers "
            "have rails (rail_optimised, rail_only), else yes",
        .source = "NCCL_CROSS_NIC: NCCL prefers no (search.cc, ncclTopoCompute; trees on Hopper), on any fabric; yes "
                  "without rails, as [collective] was fitted with it",
        .only_with = kOnlyRings},
    Parameter<JobOptions>{.key = "slots",
                          .field = &JobOptions::slots,
                          .max = 8,
                          .help =
                              "simple protocol: slices in flight on a connection, on rings at least slices_per_chunk "
                              "(inside one server: one more); 0 = 4 on rings, 8 on send/recv. Trees, broadcast and "
                              "reduce have twice as many, half as large; ll and ll128 always 8",
                          .source = "NCCL: 8 steps, a ring slice takes 2"},
    Parameter<JobOptions>{.key = "slice",
                          .field = &JobOptions::slice_bytes,
                          .quantity = Quantity::bytes,
                          .min = 16,
                          .max = 1 << 30,
                          .help = "ring slice = network message; a multiple of 16 B",
                          .source = "NCCL: 2 steps of 512 KiB",
                          .only_with = kOnlyRings},
    Parameter<JobOptions>{.key = "slices_per_chunk",
                          .field = &JobOptions::slices_per_chunk,
                          .min = 1,
                          .max = 2,
                          .help = "slices of a ring chunk (simple protocol)",
                          .source = "NCCL: 2",
                          .only_with = kOnlyChunks},
    Parameter<JobOptions>{.key = "min_slice",
                          .field = &JobOptions::min_slice_bytes,
                          .quantity = Quantity::bytes,
                          .max = 1 << 30,
                          .help =
                              "a short last ring chunk is cut into slices of at least this, the last ones shorter or "
                              "empty; at most slice",
                          .source = "NCCL genericOp: 1/32 of a slice",
                          .only_with = kOnlyChunks},
    Parameter<JobOptions>{.key = "p2p_channels",
                          .field = &JobOptions::p2p_channels,
                          .min = 1,
                          .max = 64,
                          .help = "channels of each peer in send/recv",
                          .source = "NCCL: about 2 per peer",
                          .only_with = kOnlyPeerChannels},
    Parameter<JobOptions>{.key = "p2p_slice",
                          .field = &JobOptions::p2p_slice_bytes,
                          .quantity = Quantity::bytes,
                          .min = 16,
                          .max = 1 << 30,
                          .help = "send/recv slice; a multiple of 16 B",
                          .source = "NCCL: 128 KiB over the network",
                          .only_with = kOnlySendRecv},
    Parameter<JobOptions>{.key = "p2p_window",
                          .field = &JobOptions::p2p_window_peers,
                          .max = 1048576,
                          .help =
                              "peers that a GPU sends to, and receives from, at once; 0 = all. What job.eager admits "
                              "ahead comes on top",
                          .source = "NCCL: 32 channels, 2 per peer",
                          .only_with = kOnlySendRecv},
    Parameter<JobOptions>{
        .key = "pxn",
        .field = &JobOptions::pxn,
        .help = "all_to_all: what goes to another server's n-th GPU goes by NVLink to the n-th of its own, "
                "whose NIC sends it, so that each NIC sends on its rail; true takes tables of all connections",
        .source =
            "NCCL does it since 2.12 (NCCL_PXN_DISABLE); off here, as it matters on rails alone, and takes tables",
        .only_with = "collective.kind=all_to_all"},
    Parameter<JobOptions>{.key = "sms",
                          .field = &JobOptions::sms,
                          .min = 2,
                          .max = 256,
                          .help = "SMs of dispatch and combine, two to a channel, which has its share of the tokens",
                          .source = "DeepEP's benchmark",
                          .only_with = "collective.kind=dispatch|combine"},
    Parameter<JobOptions>{.key = "root",
                          .field = &JobOptions::root,
                          .max = 1048575,
                          .help = "broadcast, reduce, gather, scatter: the rank that all data comes from or goes to",
                          .source = "nccl-tests: 0",
                          .only_with = "collective.kind=broadcast|reduce|gather|scatter"},
    Parameter<JobOptions>{.key = "qps_per_connection",
                          .field = &JobOptions::qps_per_connection,
                          .min = 1,
                          .max = 128,
                          .help = "QP scaling over this many",
                          .source = "NCCL: 1; Meta SIGCOMM'24: 4 or 16"},
    Parameter<JobOptions>{.key = "qp_scaling",
                          .field = &JobOptions::qp_scaling,
                          .choices = "round_robin|split",
                          .help = "round_robin: a slice per QP in turn; split: every slice over all QPs",
                          .source = "Meta SIGCOMM'24: round robin per message; NCCL_IB_SPLIT_DATA_ON_QPS"},
    Parameter<JobOptions>{.key = "slices_per_cts",
                          .field = &JobOptions::slices_per_cts,
                          .min = 1,
                          .max = 8,
                          .help = "slices that one CTS admits, when all of them have slots: 1, 2, 4 or 8; a connection "
                                  "must have a multiple of it in every collective (2: rings by the simple protocol, "
                                  "whose chunks have two)",
                          .source = "NCCL: a CTS for each slice"},
    Parameter<JobOptions>{
        .key = "eager",
        .field = &JobOptions::eager_bytes,
        .quantity = Quantity::bytes,
        .max = 1e14,
        .help = "collectives of up to this size (no all_to_all_v) are admitted ahead: a receiver sends "
                "the CTS for a slot as soon as it is free, before it has entered the collective that "
                "will use it, which has to follow one of the same algorithm, protocol and channels; p2p_window "
                "does not hold these back",
        .source = "0: NCCL asks for data when the receiving kernel runs"},
};

}  // namespace heddle
