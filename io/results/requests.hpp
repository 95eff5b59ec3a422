// Requests of clients to servers, as reports show them: from the first question posted to the last answer received.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/results/input_file.hpp"
#include "io/results/summaries.hpp"
#include "kernels/world/world.hpp"

namespace heddle {

struct Outcome;

/// Who makes requests: a generator of the configuration, or a training job, for its data. -1: it is the other.
struct Asker {
  i32 generator = -1, job = -1;
  auto operator<=>(const Asker&) const = default;
};
Asker asker_of(const Request& request);
/// "generator 0", or "data of job 0".
std::string name_of(const Asker& asker);

/// A row of /request.
struct RequestRow {
  Asker asker;
  EndpointId client = kNone;
  u32 servers = 0;                    // that are asked
  u64 bytes = 0;                      // of the answers
  TimePs begin_ps = -1, end_ps = -1;  // first question posted; last answer received. -1: not until the end of the run
  u64 received_bytes = 0;             // payload of the answers that was received until the end; not in the file
};

/// In the order of the World's.
std::vector<RequestRow> request_rows(const World& world, const Outcome& outcome);

/// What became of the requests of one asker.
struct RequestSummary {
  Asker asker;
  u64 requests = 0;
  u64 received_bytes = 0;  // of answers, those of unfinished requests included
  /// From the first request's begin to the last one's end or, when some request did not end, to the end of the run.
  std::optional<double> bits_per_s = {}, requests_per_s = {};
  MessageTimes times = {};  // posted: begun; finished: ended; no ideals
};

/// By asker.
std::vector<RequestSummary> request_summaries(const std::vector<RequestRow>& rows, const Outcome& outcome);
/// How many askers there are; known before the run.
u64 count_askers(const World& world);

/// Returns the rows of /summary/request; empty when there are no requests, or an earlier version wrote the file.
std::vector<RequestSummary> read_request_summaries(const InputFile& file);

/// Returns a table for a terminal; empty when there are no requests.
std::string request_table(const std::vector<RequestSummary>& summaries);

}  // namespace heddle
