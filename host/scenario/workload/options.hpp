// Configuration of messages: [workload], [[message]], [[generator]] and [[slow_receiver]].
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/base/parameter.hpp"
#include "kernels/base/types.hpp"

namespace heddle {

/// [workload]: how messages become queue pairs. For [[message]] and [[generator]]; collectives have keys of their own.
struct WorkloadOptions {
  u32 qps_per_pair = 1;
  std::string source_port = "pair";
  u32 jitter_packets = 1;
  TimePs handover_ps = 1'000'000;
};

inline const std::array kWorkloadParameters = {
    Parameter<WorkloadOptions>{.key = "qps_per_pair",
                               .field = &WorkloadOptions::qps_per_pair,
                               .min = 1,
                               .max = 4096,
                               .help = "QPs of each (src, dst, class); its messages take them in turn",
                               .source = "NCCL: 1; Meta SIGCOMM'24: 4 for ranking, 16 for LLM jobs"},
    Parameter<WorkloadOptions>{.key = "source_port",
                               .field = &WorkloadOptions::source_port,
                               .choices = "pair|qp",
                               .help = "UDP source port: one per (src, dst), or one per QP; collectives too",
                               .source = "Meta SIGCOMM'24: QPs add no entropy to plain ECMP"},
    Parameter<WorkloadOptions>{.key = "jitter_packets",
                               .field = &WorkloadOptions::jitter_packets,
                               .max = 1'000'000,
                               .help = "each message starts up to this many full packets' wire time later (NIC rate), "
                                       "drawn evenly; 0 = none",
                               .source = "kernels/MODEL.md, 8.8: one MTU time"},
    Parameter<WorkloadOptions>{.key = "handover",
                               .field = &WorkloadOptions::handover_ps,
                               .quantity = Quantity::time_ps,
                               .min = 1000,
                               .max = 1e12,
                               .help = "from a GPU's program to the process that sends its checkpoint, and back",
                               .source = "engineering judgement: as roce.proxy_latency"},
};

/// [[message]]: one explicit message.
struct MessageOptions {
  u32 src = 0, dst = 0;
  u64 bytes = 0;
  TimePs post_ps = 0;
  std::string traffic_class = "lossless";
  std::vector<u64> after_sent = {}, after_received = {};  // numbers of other messages
  u32 after_count = 0;
  u32 connection = 0;       // 0: none that stands
  std::string fabric = {};  // "": the first
};

inline const std::array kMessageParameters = {
    Parameter<MessageOptions>{
        .key = "fabric",
        .field = &MessageOptions::fabric,
        .help = "the [[fabric]] whose hosts src and dst count; none: the first fabric, of the GPUs",
        .source = "the GPUs' fabric"},
    Parameter<MessageOptions>{.key = "src",
                              .field = &MessageOptions::src,
                              .max = 1048575,
                              .help = "sending endpoint",
                              .source = "to be given"},
    Parameter<MessageOptions>{.key = "dst",
                              .field = &MessageOptions::dst,
                              .max = 1048575,
                              .help = "receiving endpoint",
                              .source = "to be given"},
    Parameter<MessageOptions>{.key = "bytes",
                              .field = &MessageOptions::bytes,
                              .quantity = Quantity::bytes,
                              .min = 1,
                              .max = 1e15,
                              .help = "payload",
                              .source = "to be given"},
    Parameter<MessageOptions>{.key = "post",
                              .field = &MessageOptions::post_ps,
                              .quantity = Quantity::time_ps,
                              .max = 4e18,
                              .help = "when the application posts it; with after_sent or after_received, how long "
                                      "after these",
                              .source = "0"},
    Parameter<MessageOptions>{.key = "after_sent",
                              .field = &MessageOptions::after_sent,
                              .max = 4e9,
                              .help = "it waits until these are acknowledged: [[message]]s of the same src, counted "
                                      "from 0 in the order of the file",
                              .source = "none; htsim's send_done_trigger"},
    Parameter<MessageOptions>{.key = "after_received",
                              .field = &MessageOptions::after_received,
                              .max = 4e9,
                              .help = "and until these are received: [[message]]s whose dst is its src",
                              .source = "none; htsim's recv_done_trigger"},
    Parameter<MessageOptions>{.key = "after_count",
                              .field = &MessageOptions::after_count,
                              .max = 4e9,
                              .help = "so many of after_sent and after_received are enough; 0 = all",
                              .source = "all, as htsim's barriers"},
    Parameter<MessageOptions>{.key = "connection",
                              .field = &MessageOptions::connection,
                              .max = 4e9,
                              .help =
                                  "messages of one src, dst, class and number share a connection that stands and are "
                                  "sent in the order of the file: one that is not posted yet holds back those behind "
                                  "it; 0 = one that waits is alone in a connection, and delays no other",
                              .source = "none"},
    Parameter<MessageOptions>{.key = "class",
                              .field = &MessageOptions::traffic_class,
                              .choices = "lossless|best_effort",
                              .help = "traffic class of the data",
                              .source = "Meta SIGCOMM'24: one lossless class"},
};

/// [[generator]]: many messages by a rule, among the endpoints [first_host, first_host + hosts).
struct GeneratorOptions {
  std::string kind = "permutation";
  u32 hosts = 0;
  u32 first_host = 0;
  u64 bytes = 1 << 20;
  u32 messages = 1;
  TimePs start_ps = 0;
  TimePs interval_ps = 0;
  std::string traffic_class = "lossless";
  u32 fan_in = 16;
  u32 first_server = 0;
  u32 servers = 0;
  u64 request_bytes = 256;
  u32 stripes = 1;
  TimePs service_ps = 100'000'000;
  u32 outstanding = 0;
  u32 target = 0;
  u32 stride = 1;
  double load = 0.5;
  TimePs duration_ps = 100'000'000;
  std::string size_cdf;
  std::string fabric = {};  // "": the first
};

inline const std::array kGeneratorParameters = {
    Parameter<GeneratorOptions>{.key = "fabric",
                                .field = &GeneratorOptions::fabric,
                                .help = "the [[fabric]] whose hosts take part; none: the first fabric, of the GPUs",
                                .source = "the GPUs' fabric"},
    Parameter<GeneratorOptions>{.key = "kind",
                                .field = &GeneratorOptions::kind,
                                .choices = "permutation|incast|all_to_all|poisson|requests|telemetry",
                                .help =
                                    "permutation: each host to one other, one random cycle; incast: fan_in hosts to "
                                    "target; all_to_all: each to each; poisson: random arrivals at each host; "
                                    "requests: clients ask servers, which answer, as reads from storage do; "
                                    "telemetry: hosts report to servers at regular instants",
                                .source = "to be given"},
    Parameter<GeneratorOptions>{.key = "hosts",
                                .field = &GeneratorOptions::hosts,
                                .max = 1048576,
                                .help =
                                    "how many endpoints take part; 0 = all from first_host on; requests, telemetry: "
                                    "how many ask or report; 0 = those that are no servers",
                                .source = "engineering judgement"},
    Parameter<GeneratorOptions>{.key = "first_host",
                                .field = &GeneratorOptions::first_host,
                                .max = 1048575,
                                .help = "the first endpoint that takes part",
                                .source = "engineering judgement"},
    Parameter<GeneratorOptions>{
        .key = "bytes",
        .field = &GeneratorOptions::bytes,
        .quantity = Quantity::bytes,
        .min = 1,
        .max = 1e15,
        .help = "size of each message, or of the answers to a request together (without size_cdf)",
        .source = "NCCL: ring slice of 1 MiB"},
    Parameter<GeneratorOptions>{.key = "messages",
                                .field = &GeneratorOptions::messages,
                                .min = 1,
                                .max = 100'000'000,
                                .help = "messages of each pair; requests: of each client, with outstanding",
                                .source = "engineering judgement",
                                .only_with = "kind=permutation|incast|all_to_all|requests"},
    Parameter<GeneratorOptions>{.key = "start",
                                .field = &GeneratorOptions::start_ps,
                                .quantity = Quantity::time_ps,
                                .max = 4e18,
                                .help = "when the first are posted",
                                .source = "engineering judgement"},
    Parameter<GeneratorOptions>{.key = "interval",
                                .field = &GeneratorOptions::interval_ps,
                                .quantity = Quantity::time_ps,
                                .max = 1e15,
                                .help =
                                    "between two messages of a pair; 0 = all at start; telemetry: between two reports "
                                    "of a host, whose first is at an instant drawn in the first interval",
                                .source = "engineering judgement",
                                .only_with = "kind=permutation|incast|all_to_all|telemetry"},
    Parameter<GeneratorOptions>{.key = "class",
                                .field = &GeneratorOptions::traffic_class,
                                .choices = "lossless|best_effort",
                                .help = "traffic class of the data",
                                .source = "Meta SIGCOMM'24: one lossless class"},
    Parameter<GeneratorOptions>{.key = "fan_in",
                                .field = &GeneratorOptions::fan_in,
                                .min = 1,
                                .max = 1048575,
                                .help = "incast: senders",
                                .source = "Meta SIGCOMM'24: 16:1",
                                .only_with = "kind=incast"},
    Parameter<GeneratorOptions>{.key = "target",
                                .field = &GeneratorOptions::target,
                                .max = 1048575,
                                .help = "incast: receiving endpoint",
                                .source = "engineering judgement",
                                .only_with = "kind=incast"},
    Parameter<GeneratorOptions>{.key = "stride",
                                .field = &GeneratorOptions::stride,
                                .min = 1,
                                .max = 1048575,
                                .help = "incast: sender i is target + i * stride (cyclic); gpus_per_rack puts every "
                                        "sender in another rack",
                                .source = "engineering judgement",
                                .only_with = "kind=incast"},
    Parameter<GeneratorOptions>{.key = "load",
                                .field = &GeneratorOptions::load,
                                .quantity = Quantity::ratio,
                                .min = 0.0001,
                                .max = 1,
                                .help =
                                    "poisson: mean payload rate of a host / its link rate; requests: of the answers "
                                    "to a client, without outstanding",
                                .source = "HPCC traffic_gen",
                                .only_with = "kind=poisson|requests"},
    Parameter<GeneratorOptions>{
        .key = "duration",
        .field = &GeneratorOptions::duration_ps,
        .quantity = Quantity::time_ps,
        .min = 1,
        .max = 1e15,
        .help = "poisson, telemetry, requests without outstanding: messages from start until start + duration",
        .source = "engineering judgement",
        .only_with = "kind=poisson|requests|telemetry"},
    Parameter<GeneratorOptions>{
        .key = "size_cdf",
        .field = &GeneratorOptions::size_cdf,
        .help = "file with lines `bytes percentile`, from 0 to 100 or from 0 to 1; empty = every message, or every "
                "request, has `bytes`",
        .source = "HPCC traffic_gen; fractions: pFabric and its successors",
        .only_with = "kind=poisson|requests"},
    Parameter<GeneratorOptions>{.key = "first_server",
                                .field = &GeneratorOptions::first_server,
                                .max = 1048575,
                                .help =
                                    "requests, telemetry: the first server, among the storage_hosts of a [[fabric]] "
                                    "that has some, else among all hosts",
                                .source = "engineering judgement",
                                .only_with = "kind=requests|telemetry"},
    Parameter<GeneratorOptions>{
        .key = "servers",
        .field = &GeneratorOptions::servers,
        .max = 1048576,
        .help = "requests, telemetry: so many servers; 0 = all storage_hosts from first_server on",
        .source = "engineering judgement",
        .only_with = "kind=requests|telemetry"},
    Parameter<GeneratorOptions>{
        .key = "request_bytes",
        .field = &GeneratorOptions::request_bytes,
        .quantity = Quantity::bytes,
        .min = 1,
        .max = 1e15,
        .help = "requests: size of the message to each server; large, with small `bytes`: writes",
        .source = "engineering judgement: the header of a read",
        .only_with = "kind=requests"},
    Parameter<GeneratorOptions>{.key = "stripes",
                                .field = &GeneratorOptions::stripes,
                                .min = 1,
                                .max = 1048576,
                                .help =
                                    "requests: each one asks so many servers at once, which follow one that is drawn, "
                                    "and each answers with its share, rounded up: an incast at the client",
                                .source = "engineering judgement: files that are not striped",
                                .only_with = "kind=requests"},
    Parameter<GeneratorOptions>{.key = "service",
                                .field = &GeneratorOptions::service_ps,
                                .quantity = Quantity::time_ps,
                                .max = 1e15,
                                .help =
                                    "requests: how long after it has received one a server posts its answer; it serves "
                                    "any number at once",
                                .source = "engineering judgement: a read of flash takes some 100 us",
                                .only_with = "kind=requests"},
    Parameter<GeneratorOptions>{.key = "outstanding",
                                .field = &GeneratorOptions::outstanding,
                                .max = 65536,
                                .help = "requests: a client has so many under way and sends the next one when one is "
                                        "answered, until `messages` are sent; 0 = at random instants, by `load`",
                                .source = "engineering judgement: clients that do not wait for each other",
                                .only_with = "kind=requests"},
};

/// [[slow_receiver]]: NICs that drain arriving packets slower than their line, and pause their switch port.
struct SlowReceiverOptions {
  std::vector<u64> endpoints;
  u64 drain_bits_per_s = 100'000'000'000;
  u64 xoff_bytes = 1 << 20;
  u64 xon_bytes = 0;
  std::string fabric = {};  // "": the first
};

inline const std::array kSlowReceiverParameters = {
    Parameter<SlowReceiverOptions>{.key = "fabric",
                                   .field = &SlowReceiverOptions::fabric,
                                   .help = "the [[fabric]] whose hosts these are; none: the first fabric, of the GPUs",
                                   .source = "the GPUs' fabric"},
    Parameter<SlowReceiverOptions>{.key = "endpoints",
                                   .field = &SlowReceiverOptions::endpoints,
                                   .max = 1048575,
                                   .help = "which endpoints",
                                   .source = "to be given"},
    Parameter<SlowReceiverOptions>{.key = "drain_rate",
                                   .field = &SlowReceiverOptions::drain_bits_per_s,
                                   .quantity = Quantity::bits_per_s,
                                   .min = 1e9,
                                   .max = 1e13,
                                   .help = "rate at which the receive buffer empties, counted in frame bytes",
                                   .source = "Meta SIGCOMM'24: a receiver slowed to 25 %"},
    Parameter<SlowReceiverOptions>{.key = "xoff",
                                   .field = &SlowReceiverOptions::xoff_bytes,
                                   .quantity = Quantity::bytes,
                                   .min = 1,
                                   .max = 4e9,
                                   .help = "occupancy of the receive buffer at which the NIC pauses its switch port",
                                   .source = "engineering judgement: 1 MiB"},
    Parameter<SlowReceiverOptions>{.key = "xon",
                                   .field = &SlowReceiverOptions::xon_bytes,
                                   .quantity = Quantity::bytes,
                                   .max = 4e9,
                                   .help = "occupancy at which it resumes; 0 = 3 KiB below xoff",
                                   .source = "HPCC ns-3: 3 KiB below"},
};

}  // namespace heddle
