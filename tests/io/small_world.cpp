#include "tests/io/small_world.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "host/scenario/topology/zone_tiers.hpp"
#include "kernels/base/units.hpp"

namespace heddle::test {

World small_world() {
  World world;
  world.seed = 7;
  world.clocks.tick_ps = 500'000;
  Fabric& f = world.fabric;
  f.endpoints = 4;
  f.tiers = zone_tiers();
  for (u32 e = 0; e < 4; ++e) {
    f.nodes.push_back({NodeKind::endpoint, Tier::endpoint, e, 1, 0});
    f.names.push_back("gpu" + std::to_string(e));
  }
  f.nodes.push_back({NodeKind::node_switch, kRtsw, 4, 4, 0});
  f.names.push_back("rtsw0");
  for (u32 l = 0; l < 8; ++l) {
    const bool up = l < 4;
    const u32 e = l % 4;
    Link link;
    link.src = up ? e : 4;
    link.dst = up ? 4 : e;
    link.src_port = up ? 0 : e;
    link.dst_port = up ? e : 0;
    link.reverse = up ? l + 4 : l - 4;
    link.ps_per_byte_q16 = ps_per_byte_q16_of(400'000'000'000);
    link.prop_ps = 1'000'000;
    link.lambda_ps = 1'500'000;
    link.phi_ps = 1'600'000;
    f.links.push_back(link);
  }
  f.classes.resize(2);
  Routing& r = world.routing;
  r.table.groups = 1;
  r.first_switch = 4;
  r.group_of.assign(4, 0);
  r.attach_switch.assign(4, 4);
  r.attach_port = {0, 1, 2, 3};
  r.table.row_of = {0};
  r.table.set_of = {kNone};
  Qp qp{0, 1, 0, 0, 5};
  world.traffic.qps.push_back(qp);
  qp.src = 2;
  qp.receiver_number = 1;
  world.traffic.qps.push_back(qp);
  world.traffic.messages = {{0, 4096, 2'000'000}, {1, 10'000, 3'000'000}};
  Job job;
  job.ranks = {0, 1, 2, 3};
  job.collectives = {0};
  world.collectives.jobs.push_back(job);
  Collective collective;
  collective.bytes = 1 << 20;
  collective.phases = 7;
  world.collectives.collectives.push_back(collective);
  return world;
}

Outcome small_outcome() {
  Outcome o;
  o.reason = EndReason::complete;
  o.end_ps = 30'000'000;
  o.digest = 0x0123456789abcdefull;
  o.totals.packet_hops = 1234;
  o.totals.data_packets_out_of_order = 5;
  o.totals.data_packets_duplicate = 2;
  o.totals.largest_reordering_packets = 3;
  o.totals.flowlets = 40;
  o.totals.flowlet_collisions = 7;
  o.totals.path_changes = 11;
  o.totals.pauses = 1;
  o.totals.drops[1] = 3;
  o.messages = {{{2'000'000, 9'000'000, 0}, {5'000'000, 1, 2}, 4096},
                {{3'000'000, 11'000'000, 4}, {6'000'000, 5, 6}, 10'000}};
  for (u64 l = 0; l < 8; ++l) {  // the switch's egresses have queues
    const bool queues = l >= 4;
    o.links.push_back({100 + l, 1'000 + l, 10 * l, l, l, l % 2, l % 3, 0, queues ? 1'000 * l : 0,
                       queues ? static_cast<TimePs>(1'000 * l) : TimePs{-1}});
  }
  o.collectives = {{12'000'000, 12'500'000, 20'000'000, 22'000'000, 4}};
  return o;
}

std::vector<Event> small_events() {
  return {{1'000, 17, 4, 1, 1, EventKind::mark, 0},
          {32'768, 0, 4, 2, 1, EventKind::pause, 0},
          {65'536, 0, 4, 2, 1, EventKind::resume, 0},
          {70'000, 0xabcdef, 4, 3, 1, EventKind::drop, 1},
          {9'000'000, 0, 0, 0, 0, EventKind::message_acked, 0},
          {22'000'000, 3, 3, 0, 0, EventKind::rank_finished, 0}};
}

std::vector<LinkCounters> small_counters(const World& world, u64 instant) {
  std::vector<LinkCounters> counters(world.fabric.links.size());
  for (u64 l = 0; l < counters.size(); ++l) counters[l] = {1000 * instant + l, 10 * instant + l, instant, l, 0};
  return counters;
}

ResultSettings small_settings() {
  ResultSettings s;
  s.provenance.software_version = "0.1.0";
  s.provenance.command_line = "heddle run star.toml";
  s.provenance.config_hash = 0xfeed;
  s.provenance.date = "2024-01-02T03:04:05Z";
  s.provenance.devices = "cpu";
  s.provenance.inputs.config_toml = "[simulation]\nseed = 7\n\n[dcqcn]\nenabled = false\n";
  s.provenance.parameters = {{"topology.kind", 0, "star", std::nan(""), ""},
                             {"link.rate", 0, "400 Gb/s", 4e11, "bit/s"}};
  s.series_interval_ps = 1'000'000;
  return s;
}

ResultSettings settings_with_links() {
  ResultSettings settings = small_settings();
  settings.gpu_time = true;
  settings.link_series = true;
  return settings;
}

std::string write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is missing in: " << text;
}

}  // namespace heddle::test
