#include <gtest/gtest.h>
#include "host/build.hpp"
#include "kernels/base/units.hpp"
#include "tests/acceptance/worlds.hpp"
namespace heddle::acceptance {
namespace {
TEST(Incast, Probe) {
  EngineOptions o;
  o.recorded_kinds = kinds({EventKind::pause, EventKind::drop});
  World w = build_world(load_config("configs/incast.toml"));
  Outcome r = run_engine(w, o);
  u64 host = 0, other = 0;
  for (auto& e : r.events) { const Link& l = w.fabric.links[w.fabric.links[w.fabric.nodes[e.node].first_link + e.port].reverse]; (l.src < w.fabric.endpoints ? host : other)++; }
  std::printf("reason %d hops %lu pauses %lu drops %lu %lu %lu host %lu other %lu end %ld\n", (int)r.reason, r.totals.packet_hops, r.totals.pauses, r.totals.drops[0], r.totals.drops[1], r.totals.drops[2], host, other, r.end_ps);
  for (auto cfg : {"4 MB", "16 MB", "500 MB"}) for (int seed = 1; seed < 6; ++seed) {
    std::string t = R"(
[topology]
kind = "ai_zone"
racks = 17
gpus_per_rack = 1
ctsws = 18
uplinks_per_rtsw = 18
[buffer.ctsw]
bytes = ")" + std::string(cfg) + R"("
[[job]]
gpus = 17
gpus_per_server = 1
p2p_window = 0
[[job.collective]]
kind = "gather"
sizes = ["272 MiB"]
[simulation]
epoch = "655360 ps"
seed = )" + std::to_string(seed);
    World g = world_of(t);
    Outcome x = run_engine(g, o);
    std::printf("gather ctsw %s seed %d reason %d hops %lu pauses %lu drops %lu end %ld slots %u conns %zu\n", cfg, seed, (int)x.reason, x.totals.packet_hops, x.totals.pauses, x.totals.drops[1], x.end_ps, g.collectives.jobs[0].slots, g.collectives.connections.size());
  }
}
TEST(Dcqcn, Probe) {
  for (auto preset : {"paper", "connectx", "hpcc"}) for (auto mtu : {1024, 4096}) {
    std::string t = R"(
[topology]
kind = "star"
hosts = 9
[link]
host_rate = "40 Gb/s"
[ecn]
kmin = "5 KB"
kmax = "200 KB"
pmax = 0.01
scale_with_rate = false
[simulation]
horizon = "20 ms"
[roce]
mtu = )" + std::to_string(mtu) + R"(
[dcqcn]
enabled = true
preset = ")" + std::string(preset) + R"("
[[generator]]
kind = "incast"
fan_in = 8
target = 0
stride = 1
bytes = "100 MB"
)";
    World g = world_of(t);
    Engine e(g, {});
    LinkId down = g.fabric.links[g.fabric.nodes[0].first_link].reverse;
    std::vector<LinkCounters> c(g.fabric.links.size());
    std::vector<u64> q;
    for (TimePs at = 10'000'000'000; at < 20'000'000'000; at += 1'000'000) { e.advance(at); e.link_counters(c); q.push_back(c[down].queue_bytes); }
    u64 in = 0; for (u64 x : q) in += x >= 5000 && x <= 200000;
    u64 util = c[down].sent_bytes;
    std::sort(q.begin(), q.end());
    Totals tt = e.totals();
    std::printf("%s mtu %d in %.3f p5 %lu p25 %lu p50 %lu p75 %lu p95 %lu max %lu pauses %lu marks %lu cnps %lu util %.3f\n", preset, mtu, in / (double)q.size(), q[q.size()/20], q[q.size()/4], q[q.size()/2], q[q.size()*3/4], q[q.size()*19/20], q.back(), tt.pauses, tt.marks, tt.cnps, util * 8.0 / (40e9*0.02));
  }
}
}
}
