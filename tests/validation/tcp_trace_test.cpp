// TCP's windows and retransmissions beside those of ns-3, segment by segment, where named segments are lost.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/transport/tcp_scoreboard.hpp"

namespace heddle {
namespace {

constexpr u64 kSegments = 13813;  // 20 MB
constexpr u32 kWindow = 16384;

/// data/ns3_tcp_newreno_drops.csv
struct Trace {
  std::vector<u64> retransmitted;               // segments, in order
  std::vector<TimePs> retransmitted_ps;         // when
  std::vector<double> ssthresh;                 // segments, at each loss
  std::vector<std::pair<TimePs, double>> cwnd;  // segments
};

Trace trace_of_ns3() {
  std::ifstream file("tests/validation/data/ns3_tcp_newreno_drops.csv");
  EXPECT_TRUE(file) << "run it in the root of the tree";
  Trace trace;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream in(line);
    std::string time, what, value;
    std::getline(in, time, ',');
    std::getline(in, what, ',');
    std::getline(in, value, ',');
    const double segments = std::strtod(value.c_str(), nullptr) / 1448;
    const TimePs at_ps = std::strtoll(time.c_str(), nullptr, 10) * 1000;
    if (what == "rtx") {
      trace.retransmitted.push_back(static_cast<u64>(segments));
      trace.retransmitted_ps.push_back(at_ps);
    }
    if (what == "ssthresh" && segments < 1e6) trace.ssthresh.push_back(segments);
    if (what == "cwnd") trace.cwnd.emplace_back(at_ps, segments);
  }
  return trace;
}

/// One connection over ns-3's two links, 40G and 10G of 25 us each. Frames of segments have 1,502 B, of ACKs 54 B.
class Connection {
 public:
  explicit Connection(std::set<u64> lost) : lost_(std::move(lost)), words_(kWindow / 64, 0) {
    tcp_.window_segments = kWindow;
    tcp_.growth_limit_segments = 1;  // ns-3 counts ACKs
    c_.start(tcp_);
  }

  void run(TimePs start_ps) {
    at_[start_ps].push_back({});
    while (!at_.empty()) {
      const TimePs t = at_.begin()->first;
      const std::vector<Event> events = at_.begin()->second;
      at_.erase(at_.begin());
      for (const Event& event : events) handle(event, t);
      send(t);
    }
  }

  std::vector<u64> retransmitted;
  std::vector<TimePs> retransmitted_ps;
  std::vector<double> ssthresh;
  std::map<TimePs, u32> cwnd;  // after each answer
  TimePs done_ps = 0;          // the last segment is received

 private:
  enum class What { wake, segment, answer, delayed };
  struct Event {
    What what = What::wake;
    u32 psn = 0;
    bool sack = false;
  };

  void handle(const Event& event, TimePs t) {
    if (event.what == What::segment) receive(event.psn, t);
    if (event.what == What::delayed && pending_ > 0 && deadline_ps_ == t) acknowledge(t);
    if (event.what != What::answer) return;
    const u32 before = c_.ssthresh;
    const TcpScoreboard board = this->board();
    board.react(board.take(event.psn, {event.sack, false, false}, t), t);
    if (c_.ssthresh != before) ssthresh.push_back(c_.ssthresh);
    cwnd[t] = c_.cwnd;
  }

  void send(TimePs t) {
    const TcpScoreboard board = this->board();
    if (nic_free_ps_ > t || !board.window_is_open()) return;
    const bool again = c_.missing > 0;
    if (!again && q_.next == kSegments) return;
    const u32 psn = again ? board.first_missing() : q_.next;
    if (again) {
      retransmitted.push_back(psn);
      retransmitted_ps.push_back(t);
    }
    board.start(psn, t);
    if (!again) ++q_.next;
    q_.last_start_ps = t;
    q_.last_wire_bytes = 1538;
    nic_free_ps_ = t + 1502 * 200;
    at_[nic_free_ps_].push_back({});
    const TimePs at_switch = nic_free_ps_ + 25'000'000;
    port_free_ps_ = std::max(port_free_ps_, at_switch) + 1502 * 800;
    at_[port_free_ps_ + 25'000'000].push_back({What::segment, psn});
  }

  /// The rules of the receiver (MODEL.md, 8.11).
  void receive(u32 psn, TimePs t) {
    if (lost_.contains(arrivals_++)) return;
    if (psn < expected_ || placed_.contains(psn)) return acknowledge(t);
    if (psn > expected_) {
      placed_.insert(psn);
      if (pending_ > 0) acknowledge(t);
      return answer({What::answer, psn, true}, t);
    }
    const bool gap = !placed_.empty();
    for (++expected_; placed_.erase(expected_) > 0;) ++expected_;
    if (expected_ == kSegments) done_ps = t;
    if (gap || ++pending_ == 2 || expected_ == kSegments) return acknowledge(t);
    deadline_ps_ = t + tcp_.ack_delay_ps;
    at_[deadline_ps_].push_back({What::delayed});
  }

  void acknowledge(TimePs t) {
    pending_ = 0;
    answer({What::answer, expected_}, t);
  }
  void answer(const Event& event, TimePs t) { at_[t + 54 * 800 + 54 * 200 + 50'000'000].push_back(event); }

  TcpScoreboard board() { return {q_, c_, PsnSet(words_.data(), kWindow), tcp_}; }

  TcpSettings tcp_;
  Sender q_;
  TcpSender c_;
  std::map<TimePs, std::vector<Event>> at_;
  std::set<u64> lost_;  // arrivals, counted from the first segment
  std::vector<u64> words_;
  TimePs nic_free_ps_ = 0, port_free_ps_ = 0, deadline_ps_ = 0;
  u64 arrivals_ = 0;
  u32 expected_ = 0, pending_ = 0;
  std::set<u32> placed_;
};

TEST(TcpTrace, NewRenoWithNamedLossesIsThatOfNs3) {
  const Trace ns3 = trace_of_ns3();
  Connection here({498, 499, 1498, 2998, 3008, 3018, 7998});  // ns-3 counts the handshake's two packets, too
  here.run(100'100'116'000);
  EXPECT_EQ(here.retransmitted, ns3.retransmitted);
  ASSERT_EQ(here.ssthresh.size(), ns3.ssthresh.size());
  for (size_t i = 0; i < ns3.ssthresh.size(); ++i) EXPECT_NEAR(here.ssthresh[i], ns3.ssthresh[i], 1.5) << i;
  // Times are counted from the retransmission before, as paths differ by nanoseconds a round trip; ns-3 counts bytes.
  for (const auto& [at_ps, segments] : ns3.cwnd) {
    TimePs shift_ps = 0;
    for (size_t k = 0; k < ns3.retransmitted_ps.size() && ns3.retransmitted_ps[k] <= at_ps; ++k)
      shift_ps = here.retransmitted_ps[k] - ns3.retransmitted_ps[k];
    const bool about_to_lose =
        at_ps > 113'640'000'000 && at_ps < 113'787'000'000;  // here the last loss is 0.16 ms earlier
    if (about_to_lose) continue;
    double nearest = 1e9;
    auto after = here.cwnd.upper_bound(at_ps + shift_ps + 3'000'000);
    for (int back = 0; back < 5 && after != here.cwnd.begin(); ++back) {
      --after;
      nearest = std::min(nearest, std::abs(segments - after->second));
    }
    EXPECT_LE(nearest, 3.2) << at_ps;
  }
  const double done_us = static_cast<double>(here.done_ps - 100'000'000'000) * 1e-6;
  EXPECT_NEAR(done_us, 23'712.5, 0.02 * 23'712.5);
}

}  // namespace
}  // namespace heddle
