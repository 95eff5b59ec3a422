// The 16-byte packet descriptor: every field comes out as it went in, at both ends of its range.
#include "kernels/state/packet.hpp"

#include <gtest/gtest.h>

#include <set>

namespace heddle {
namespace {

void expect_round_trip(const PacketFields& f) {
  const Packet p = make_packet(f);
  EXPECT_EQ(p.dst(), f.dst);
  EXPECT_EQ(p.dst_qp(), f.dst_qp);
  EXPECT_EQ(p.src(), f.src);
  EXPECT_EQ(p.entropy(), f.entropy);
  EXPECT_EQ(p.psn(), f.psn & 0xffffff);
  EXPECT_EQ(p.frame_bytes(), f.frame_bytes);
  EXPECT_EQ(p.wire_bytes(20), f.frame_bytes + 20);
  EXPECT_EQ(p.traffic_class(), f.traffic_class);
  EXPECT_EQ(p.kind(), f.kind);
  EXPECT_EQ(p.last(), f.last);
  EXPECT_FALSE(p.ecn());
  EXPECT_EQ(p.ingress_port(), 0u);
}

const PacketFields kLargest{kMaxAddresses - 1, kMaxQpsPerEndpoint - 1, kMaxAddresses - 1, 0xfff, 0xffffff,
                            kMaxFrameBytes,    kMaxClasses - 1,        PacketKind::cts,   true};

TEST(Packet, RoundTrip) {
  EXPECT_EQ(sizeof(Packet), 16u);
  expect_round_trip({0, 0, 0, 0, 0, 0, 0, PacketKind::data, false});
  expect_round_trip(kLargest);
  expect_round_trip({5, 77, 123'456, 0xabc, 0x1234567, 4178, 1, PacketKind::nak, false});
}

TEST(Packet, WhatSwitchesChangeLeavesTheRest) {
  Packet p = make_packet(kLargest);
  p.set_ingress_port(kMaxPorts - 1);
  p.set_ecn();
  EXPECT_EQ(p.ingress_port(), kMaxPorts - 1);
  EXPECT_TRUE(p.ecn());
  p.set_ingress_port(3);
  EXPECT_EQ(p.ingress_port(), 3u);
  EXPECT_EQ(p.src(), kLargest.src);
  EXPECT_EQ(p.psn(), 0xffffffu);
  EXPECT_EQ(p.kind(), PacketKind::cts);
  EXPECT_TRUE(p.last());
}

/// Digests of runs outlive the layout: frames below 16 KiB have the words of the layout that had no larger frames.
TEST(Packet, DigestWordsAreThoseOfTheFirstLayout) {
  Packet p = make_packet({9, 0xabcd, 7, 6, 0x123456, 4178, 1, PacketKind::cts, true});
  p.set_ingress_port(3);
  p.set_ecn();
  EXPECT_EQ(digest_words(p).front, 0x0060000900300007u);
  EXPECT_EQ(digest_words(p).back, (0xabcdu | 4178u << 16 | 1u << 30) * (u64{1} << 32) + 0x34123456u);
}

TEST(Packet, DigestWordsDifferWhereFramesDo) {
  std::set<u64> words;
  for (u32 bit = 0; bit < 17; ++bit)
    words.insert(digest_words(make_packet({0, 0, 0, 0, 0, 1u << bit, 0, PacketKind::data, false})).back);
  EXPECT_EQ(words.size(), 17u);
}

TEST(Packet, IdIsTheEventsPacketId) {
  const Packet p = make_packet({9, 8, 7, 6, 5, 100, 1, PacketKind::ack, true});
  EXPECT_EQ(p.id(), packet_id(9, 8, 1, 5));
}

TEST(Extend24, TakesTheNearest) {
  EXPECT_EQ(extend24(5, 3), 5u);
  EXPECT_EQ(extend24(3, 5), 3u);
  EXPECT_EQ(extend24(2, 0xffffff), 0x1000002u);
  EXPECT_EQ(extend24(0xfffffe, 0x1000001), 0xfffffeu);
  EXPECT_EQ(extend24(0x7fffff, 0), 0x7fffffu) << "the farthest ahead";
  EXPECT_EQ(extend24(0x800000, 0x2000000), 0x1800000u) << "half way round counts as behind";
  for (u32 near : {0x1000000u, 0x1ffffffu, 0x80000000u}) {
    for (u32 ahead : {0u, 1u, 1000u, 0x7fffffu}) {
      EXPECT_EQ(extend24((near + ahead) & 0xffffff, near), near + ahead);
      EXPECT_EQ(extend24((near - ahead) & 0xffffff, near), near - ahead);
    }
  }
}

}  // namespace
}  // namespace heddle
