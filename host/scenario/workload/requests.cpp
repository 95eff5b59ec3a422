// Requests and answers: clients ask servers at random instants, or keep some requests under way (MODEL.md, 8.9).
#include <vector>

#include "host/scenario/workload/arrivals.hpp"
#include "host/scenario/workload/request_ends.hpp"
#include "kernels/base/hash.hpp"

namespace heddle {
namespace {

/// Purposes of draws; part of their hashes.
enum Purpose : u64 { kSize = 3, kServer = 4 };

class RequestWriter {
 public:
  RequestWriter(const GeneratorInput& input, const RequestEnds& ends)
      : in_(input), ends_(ends), connections_(input.traffic.add_connections()) {}

  /// Adds the requests of client `number`, at `client`, at random instants.
  void ask_at_random(u32 number, EndpointId client) const {
    for (PoissonArrivals arrivals(in_, number, client); arrivals.next();)
      add(client, arrivals.bytes(), arrivals.at_ps(), arrivals.chance(kServer), {});
  }

  /// Adds the requests of a client that has `outstanding` under way.
  void ask_when_answered(u32 number, EndpointId client) const {
    const GeneratorOptions& o = in_.options;
    std::vector<std::vector<u32>> answers;
    for (u32 k = 0; k < o.messages; ++k) {
      const auto chance = [&](Purpose purpose) {
        return hash64(in_.world.seed, Stream::workload, in_.index, (u64{number} << 40) | k, purpose);
      };
      const u64 bytes = in_.sizes.empty() ? o.bytes : size_at(in_.sizes, static_cast<u32>(chance(kSize) >> 32));
      const bool at_start = k < o.outstanding;
      answers.push_back(add(client, bytes, at_start ? o.start_ps : 0, chance(kServer),
                            at_start ? std::vector<u32>{} : answers[k - o.outstanding]));
    }
  }

 private:
  /// Adds one that is asked at `post_ps`, or so long after all of `awaited` are received. Returns its answers.
  std::vector<u32> add(EndpointId client, u64 bytes, TimePs post_ps, u64 draw, const std::vector<u32>& awaited) const {
    const GeneratorOptions& o = in_.options;
    const Origin origin{"generator", in_.index};
    const u64 share = (bytes - 1) / o.stripes + 1;
    const u64 first = ((draw >> 32) * ends_.servers.count) >> 32;
    std::vector<u32> questions, answers;
    for (u32 s = 0; s < o.stripes; ++s) {
      const EndpointId server = ends_.servers.first + static_cast<u32>((first + s) % ends_.servers.count);
      questions.push_back(in_.traffic.add_message(client, server, o.request_bytes, post_ps, in_.traffic_class, origin));
      if (!awaited.empty()) in_.traffic.post_behind(questions.back(), awaited, true, origin);
      answers.push_back(in_.traffic.add_message(server, client, share, o.service_ps, in_.traffic_class, origin));
      in_.traffic.post_behind(answers.back(), {questions.back()}, true, origin);
      in_.traffic.use(connections_, questions.back());
      in_.traffic.use(connections_, answers.back());
    }
    in_.traffic.add_request(in_.index, questions, answers);
    return answers;
  }

  const GeneratorInput& in_;
  const RequestEnds& ends_;
  const u32 connections_;
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
