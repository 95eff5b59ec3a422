// Quantities and identifiers of the model (MODEL.md, 1 and 2).
#pragma once

#include <cstdint>

namespace heddle {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

/// Simulated time in picoseconds.
using TimePs = i64;
/// "Never": later than every instant of every run (106 days), and safe to add latencies to.
inline constexpr TimePs kNever = INT64_MAX / 2;

/// Index of an entity in its table; kNone for no entity.
using NodeId = u32;      // endpoints come first: endpoint e is node e
using EndpointId = u32;  // a NIC with its GPU; at most 2^20
using LinkId = u32;      // a directed link, numbered by source node, then port
using QpId = u32;        // a queue pair (one direction of data), ordered by (source, sender number)
using MessageId = u32;
inline constexpr u32 kNone = 0xffffffffu;

/// Maximum number of traffic classes of a fabric; two bits of the packet descriptor.
inline constexpr u32 kMaxClasses = 4;
/// Preamble, start delimiter and gap of Ethernet: wire bytes = frame bytes + 20.
inline constexpr u32 kEthernetGapBytes = 20;
/// A PFC frame on the wire: 64 B frame + Ethernet's gap.
inline constexpr u32 kPauseWireBytes = 84;

/// Kinds of packets. Their order is the order of creation when one arrival causes two packets.
enum class PacketKind : u8 { data = 0, ack = 1, nak = 2, cnp = 3, cts = 4, cts_ack = 5, cts_nak = 6 };

/// Whether packets of this kind travel from the sender of a queue pair to its receiver; all others travel back.
constexpr bool goes_with_data(PacketKind kind) {
  return kind == PacketKind::data || kind == PacketKind::cts_ack || kind == PacketKind::cts_nak;
}

}  // namespace heddle
