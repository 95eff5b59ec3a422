// Requests and answers: clients ask servers at random instants, or keep some requests under way (MODEL.md, 8.9).
#include <algorithm>
#include <vector>

#include "host/scenario/workload/arrivals.hpp"
#include "host/scenario/workload/request_ends.hpp"

namespace heddle {
namespace {

class RequestWriter {
 public:
  RequestWriter(const GeneratorInput& input, const RequestEnds& ends) : in_(input), ends_(ends) {
    for (u32 i = 0; i < std::max(input.options.outstanding, 1u); ++i)
      connections_.push_back(input.traffic.add_connections());
  }

  /// Adds the requests of client `number`, at `client`, at random instants.
  void ask_at_random(u32 number, EndpointId client) const {
    for (PoissonArrivals arrivals(in_, number, client); arrivals.next();)
      add(client, arrivals.draw(), arrivals.at_ps(), {}, connections_[0]);
  }

  /// Adds the requests of a client that has `outstanding` under way. Each of these follows the one before it on
  /// connections of its own, so that none stands behind one that has not been asked yet.
  void ask_when_answered(u32 number, EndpointId client) const {
    const GeneratorOptions& o = in_.options;
    std::vector<std::vector<u32>> answers;
    for (u32 k = 0; k < o.messages; ++k) {
      const bool at_start = k < o.outstanding;
      answers.push_back(add(client, draw_number(number, k), at_start ? o.start_ps : 0,
                            at_start ? std::vector<u32>{} : answers[k - o.outstanding],
                            connections_[k % o.outstanding]));
    }
  }

 private:
  /// Adds one that is asked at `post_ps`, or so long after all of `awaited` are received. Returns its answers.
  std::vector<u32> add(EndpointId client, u64 draw, TimePs post_ps, const std::vector<u32>& awaited,
                       u32 connections) const {
    const GeneratorOptions& o = in_.options;
    const Origin origin{"generator", in_.index};
    const u64 share = (drawn_bytes(in_, draw) - 1) / o.stripes + 1;
    const u64 first = ((chance(in_, draw, GeneratorDraw::server) >> 32) * ends_.servers.count) >> 32;
    std::vector<u32> questions, answers;
    for (u32 s = 0; s < o.stripes; ++s) {
      const EndpointId server = ends_.servers.first + static_cast<u32>((first + s) % ends_.servers.count);
      const auto [question, answer] = in_.traffic.add_exchange(client, server, o.request_bytes, share, post_ps,
                                                               o.service_ps, in_.traffic_class, connections, origin);
      if (!awaited.empty()) in_.traffic.post_behind(question, awaited, true, origin);
      questions.push_back(question);
      answers.push_back(answer);
    }
    in_.traffic.add_request({.generator = in_.index}, questions, answers);
    return answers;
  }

  const GeneratorInput& in_;
  const RequestEnds& ends_;
  std::vector<u32> connections_;  // one, or one of each request under way
};

}  // namespace

void generate_requests(const GeneratorInput& in) {
  const RequestEnds ends = request_ends(in.options, in.index, in.world.fabric);
  const RequestWriter writer(in, ends);
  for (u32 number = 0; number < ends.clients(); ++number) {
    if (in.options.outstanding != 0)
      writer.ask_when_answered(number, ends.client(number));
    else
      writer.ask_at_random(number, ends.client(number));
  }
}

}  // namespace heddle
