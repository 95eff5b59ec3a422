// The service of the ports of a plain pass in phases (MODEL.md, 5.1 to 5.3, 11.4): first what starts when, a lane a
// port; then what follows from each start and each arrival, a lane a packet. On a GPU the lanes of a port's loop wait
// for each other and for memory, so only what one start decides for the next is left in it.
//
// Not every port goes this way. EgressService, with the same bits, has those that are or will be paused, that would
// send more of what waited before than the scratch keeps, whose packets take a millisecond, or that hold 16 GiB.
#pragma once

#include "kernels/base/units.hpp"
#include "kernels/fabric/egress.hpp"
#include "kernels/fabric/pause.hpp"
#include "kernels/fabric/switch_context.hpp"
#include "kernels/fabric/waiting.hpp"
#include "kernels/state/emit.hpp"

namespace heddle {

/// The phases of one window, which starts at `from`. In the scratch are the packets that waited
/// (WaitingInScratch::keep), and of the arrivals, which are in the rings, the time and brief (`spare`) and the held
/// bytes (`before`). `Accounts`: as of serve_ports().
template <class Team, class Accounts>
class PhasedService {
 public:
  HEDDLE_FN PhasedService(const SwitchContext<Team>& context, const Accounts& accounts, TimePs from)
      : context_(context),
        accounts_(accounts),
        team_(context.team),
        v_(context.v),
        s_(context.s),
        x_(context.x),
        first_link_(context.first_link),
        from_(from) {}

  /// Finds every start before `to`, and does for each packet what follows from it. finish() must follow for each port
  /// that ran().
  HEDDLE_FN void run(TimePs to) const {
    const u32 queues = *x_.listed * kPlainClasses;
    team_.scan(x_.before, x_.run[queues]);
    context_.for_listed(1, [&](u32 i, u32, u32 y) { start_port(first_link_ + i, y, to); });
    const auto queue_itself = [](u32 z) { return z; };
    team_.items(x_.run, queues, queue_itself, [&](u32 z, u32 j, u32 k) { follow_arrival(z, j, k); });
    team_.items(x_.kept_run, queues, queue_itself, [&](u32 z, u32 j, u32 k) {
      if (j < x_.started[z]) follow_start(z, j, x_.kept_start[k], x_.queue_of[k], kept_bytes(z, j));
    });
  }

  /// Whether the port at place y of the list went through the phases.
  HEDDLE_FN bool ran(u32 y) const { return x_.free[y] != kNone; }

  /// Part of a phase: writes the state of `link`, at place y of the list, and publishes it under the other parity.
  /// Returns whether it has sent anything.
  HEDDLE_FN bool finish(u32 link, u32 y) const {
    LinkTally& tally = v_.link_tally[link];
    const u64 peak = static_cast<u64>(x_.peak[y]), peak_bytes = peak >> kTimeBits;
    if (peak_bytes > tally.peak_queue_bytes) {
      tally.peak_queue_bytes = peak_bytes;
      tally.peak_queue_ps = from_ + static_cast<TimePs>(kLastInstant - (peak & kLastInstant));
    }
    const u32 z = y * kPlainClasses, sent_packets = x_.started[z] + x_.started[z + 1];
    if (sent_packets == 0) return false;
    for (u32 c = 0; c < kPlainClasses; ++c) {
      if (x_.started[z + c] == 0) continue;
      Queue& queue = v_.queue[link * kPlainClasses + c];
      queue.sent += x_.started[z + c];
      queue.bytes -= x_.started_bytes[z + c];
      v_.published[context_.parity ^ 1][link * kPlainClasses + c] = Published{queue.ring, queue.sent};
    }
    Egress& egress = v_.egress[link];
    egress.free_ps = from_ + x_.free[y];
    tally.sent_wire_bytes += x_.sent_bytes[y];
    tally.sent_packets += sent_packets;
    team_.add(team_.tally().packet_hops, u64{sent_packets});
    wake(v_, egress.dst_node, egress.dst_port, context_.parity ^ 1, from_ + x_.first_end[y] + egress.lambda_ps);
    return true;
  }

 private:
  static constexpr u32 kTimeBits = 28;  // of an instant in a window
  static constexpr u32 kLastInstant = (1u << kTimeBits) - 1;
  static constexpr TimePs kSlow = TimePs{1} << 30;  // sending a packet takes less, so that a word holds its end
  static constexpr u64 kManyBytes = u64{1} << 34;   // a port holds less, so that a word of 64 bits holds its peak

  HEDDLE_FN u32 link_of(u32 z) const { return first_link_ + x_.list[z / kPlainClasses]; }
  HEDDLE_FN const Queue& queue_of(u32 z) const { return v_.queue[link_of(z) * kPlainClasses + z % kPlainClasses]; }
  HEDDLE_FN static u32 frame_of(u32 brief) { return brief & 0x1ffff; }
  HEDDLE_FN static u32 brief_of_key(u64 key) { return static_cast<u32>(key) & ((1u << kBriefBits) - 1); }
  HEDDLE_FN static u32 time_of_key(u64 key) { return static_cast<u32>(key >> 36); }

  /// A queue of start_port(): first the packets that waited before, as far as they are kept, then the arrivals.
  struct Line {
    u32 kept, kept_end;  // places in SwitchScratch::queue_of and kept_start
    u32 next, end;       // places in SwitchScratch::spare and start
    bool blind;          // behind those kept others waited
    u32 ready = kNone;   // when its head may start, as far as its arrival decides; kNone: nothing is left
    u32 frame_bytes = 0;
    u32 started = 0, started_bytes = 0;
    HEDDLE_FN bool knows_head() const { return kept != kept_end || !blind; }
  };

  HEDDLE_FN Line line(u32 link, u32 z) const {
    const u32 kept = x_.kept_packets(z), first = x_.kept_run[z];
    const u32 waited = x_.fresh[z] - v_.queue[link * kPlainClasses + z % kPlainClasses].sent;
    Line line{first, first + kept, x_.run[z], x_.run[z + 1], waited != kept};
    look(line);
    return line;
  }

  /// Reads the head of a line.
  HEDDLE_FN void look(Line& line) const {
    line.ready = 0;
    if (line.kept != line.kept_end) {
      line.frame_bytes = frame_of(x_.queue_of[line.kept]);
    } else if (!line.blind) {
      const bool any = line.next != line.end;
      const u64 key = any ? x_.spare[line.next] : 0;
      line.frame_bytes = frame_of(static_cast<u32>(key));
      line.ready = any ? time_of_key(key) : kNone;
    }
  }

  /// The head of a line starts. Returns when the transmitter is free again.
  HEDDLE_FN u32 take(Line& line, u32 start, const Egress& egress) const {
    if (line.kept != line.kept_end) {
      x_.kept_start[line.kept++] = start;
    } else {
      x_.start[line.next++] = start;
    }
    const u32 wire_bytes = line.frame_bytes + s_.wire_gap_bytes;
    ++line.started;
    line.started_bytes += held_bytes(line.frame_bytes, egress.cell_bytes);
    look(line);
    return start + static_cast<u32>(ser_ps(wire_bytes, egress.ps_per_byte_q16));
  }

  /// Whether a port that has something to send goes through the phases.
  HEDDLE_FN bool takes(u32 link) const {
    const Egress& egress = v_.egress[link];
    const u64 bytes = v_.queue[link * kPlainClasses].bytes + v_.queue[link * kPlainClasses + 1].bytes;
    return bytes < kManyBytes && v_.link_tally[link].peak_queue_bytes < kManyBytes &&
           PauseTimeline(v_, link, 0, context_.parity).idle() &&
           ser_ps(egress.max_held_bytes + s_.wire_gap_bytes, egress.ps_per_byte_q16) < kSlow && !team_.declines();
  }

  /// Finds the starts of one port: its transmitter sends one packet after the other, those of class 0 first.
  HEDDLE_FN void start_port(u32 link, u32 y, TimePs to) const {
    const u32 z = y * kPlainClasses;
    x_.free[y] = kNone;
    x_.started[z] = x_.started[z + 1] = 0;
    if (team_.leave(has_nothing_to_send<Team>(v_, link) || !takes(link))) return;
    const Egress egress = v_.egress[link];
    const u32 window = static_cast<u32>(to - from_);
    const TimePs busy = egress.free_ps - from_;
    u32 free = busy < 0 ? 0 : busy < window ? static_cast<u32>(busy) : window;
    u32 first_end = kNone, sent_bytes = 0;
    Line control = line(link, z), data = line(link, z + 1);
    bool knows = true;
    for (bool more = true; team_.any(more);) {
      if (!more) continue;  // other lanes of the warp continue
      const u32 head = control.ready < data.ready ? control.ready : data.ready, start = head < free ? free : head;
      const bool first = control.ready <= start;
      knows = start >= window || (first ? control.knows_head() : data.knows_head());
      more = start < window && knows;
      if (!more) continue;
      sent_bytes += (first ? control.frame_bytes : data.frame_bytes) + s_.wire_gap_bytes;
      free = first ? take(control, start, egress) : take(data, start, egress);
      first_end = first_end == kNone ? free : first_end;
    }
    if (!knows) return;
    x_.free[y] = free;
    x_.first_end[y] = first_end;
    x_.sent_bytes[y] = sent_bytes;
    x_.started[z] = control.started;
    x_.started[z + 1] = data.started;
    x_.started_bytes[z] = control.started_bytes;
    x_.started_bytes[z + 1] = data.started_bytes;
    x_.peak[y] = static_cast<TimePs>(v_.link_tally[link].peak_queue_bytes << kTimeBits | kLastInstant);
  }

  /// Held bytes of the first n packets kept of queue z.
  HEDDLE_FN u32 kept_bytes(u32 z, u32 n) const {
    const u32 first = x_.kept_run[z], cell_bytes = v_.egress[link_of(z)].cell_bytes;
    u32 bytes = 0;
    for (u32 k = first; k < first + n; ++k) bytes += held_bytes(frame_of(x_.queue_of[k]), cell_bytes);
    return bytes;
  }

  /// The first place in [first, end) for which holds(place), or `end`; it holds for all places behind one.
  template <class Holds>
  HEDDLE_FN static u32 first_place(u32 first, u32 end, const Holds& holds) {
    while (first != end) {
      const u32 middle = first + (end - first) / 2;
      const bool there = holds(middle);
      end = there ? middle : end;
      first = there ? first : middle + 1;
    }
    return first;
  }

  /// Held bytes of the packets of queue z that arrive after `at`.
  HEDDLE_FN u32 bytes_after(u32 z, u32 at) const {
    const u32 end = x_.run[z + 1];
    const u32 later = first_place(x_.run[z], end, [&](u32 k) { return time_of_key(x_.spare[k]) > at; });
    return x_.before[end] - x_.before[later];
  }

  /// Held bytes of the packets of queue z that start before `at`.
  HEDDLE_FN u32 bytes_started_before(u32 z, u32 at) const {
    const u32 started = x_.started[z], kept = x_.kept_packets(z), first = x_.run[z], first_kept = x_.kept_run[z];
    if (started > kept && x_.start[first] < at) {
      const u32 end = first_place(first, first + started - kept, [&](u32 k) { return x_.start[k] >= at; });
      return kept_bytes(z, kept) + x_.before[end] - x_.before[first];
    }
    const u32 those = started < kept ? started : kept;
    return kept_bytes(
        z, first_place(first_kept, first_kept + those, [&](u32 k) { return x_.kept_start[k] >= at; }) - first_kept);
  }

  /// What follows from arrival k, number j of queue z.
  HEDDLE_FN void follow_arrival(u32 z, u32 j, u32 k) const {
    const u64 key = x_.spare[k];
    const u32 y = z / kPlainClasses, at = time_of_key(key), kept = x_.kept_packets(z);
    const Queue& queue = queue_of(z);
    if (kept + j < x_.started[z]) {
      const u32 brief = brief_of_key(key) | (static_cast<u32>(key >> 24) & 0xfff) << kBriefBits;
      const u32 ahead = x_.before[k] - x_.before[x_.run[z]];
      follow_start(z, x_.fresh[z] - queue.sent + j, x_.start[k], brief, ahead + kept_bytes(z, kept));
    } else {
      v_.pool.time_ps[queue.ring.at(x_.fresh[z] + j)] = from_ + at;
    }
    if (ran(y)) raise_peak(y, z, k, at);
  }

  /// Raises the peak of a port to what it holds after the arrivals and before the starts of instant `at`, at which
  /// packet k of queue z arrives.
  HEDDLE_FN void raise_peak(u32 y, u32 z, u32 k, u32 at) const {
    const u32 link = link_of(z), port_z = y * kPlainClasses;
    const u64 all_bytes = v_.queue[link * kPlainClasses].bytes + v_.queue[link * kPlainClasses + 1].bytes;
    const u32 bytes_behind = x_.before[x_.run[z + 1]] - x_.before[k + 1];
    if (all_bytes - bytes_behind <= v_.link_tally[link].peak_queue_bytes) return;  // also if nothing had started
    u64 held = all_bytes;
    for (u32 c = 0; c < kPlainClasses; ++c) held -= bytes_after(port_z + c, at) + bytes_started_before(port_z + c, at);
    team_.raise(x_.peak[y], static_cast<TimePs>(held << kTimeBits | (kLastInstant - at)));
  }

  /// What follows when packet j of queue z starts, counted from the first that waited: `kept` is its port and its
  /// brief, and the queue's packets ahead of it hold `ahead_bytes`.
  HEDDLE_FN void follow_start(u32 z, u32 j, u32 start, u32 kept, u32 ahead_bytes) const {
    const u32 link = link_of(z), c = z % kPlainClasses;
    const Queue& queue = queue_of(z);
    const Egress& egress = v_.egress[link];
    const u32 entry = queue.ring.at(queue.sent + j);
    const Packet packet = packet_of_brief(kept & ((1u << kBriefBits) - 1), kept >> kBriefBits, c);
    const TimePs when = from_ + start;
    v_.pool.time_ps[entry] =
        when + ser_ps(packet.wire_bytes(s_.wire_gap_bytes), egress.ps_per_byte_q16) + egress.lambda_ps;
    accounts_.release(packet, when, context_.first_port_of(link), egress.cell_bytes);
    if (marks_class(v_, link, c) && queue.bytes - ahead_bytes > v_.ecn[egress.ecn].kmin_bytes) {
      const u64 bytes = queue.bytes - ahead_bytes - bytes_after(z, start);
      if (mark_packet(team_, v_, link, entry, packet, bytes, when)) team_.add(v_.link_tally[link].marks, 1u);
    }
    if (s_.report_departures) emit(team_, v_, packet_event(v_, EventKind::depart, link, v_.pool.packet[entry], when));
  }

  const SwitchContext<Team>& context_;
  const Accounts& accounts_;
  const Team& team_;
  const View& v_;
  const Settings& s_;
  const ScratchOf<Team>& x_;
  const u32 first_link_;
  const TimePs from_;
};

}  // namespace heddle
