#include "io/results/summaries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "io/results/bandwidth.hpp"
#include "io/results/ideal.hpp"
#include "kernels/outcome/outcome.hpp"

namespace heddle {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Times, some of which are only lower bounds.
template <class T>
struct Censored {
  std::vector<T> finished, all;  // all: the unfinished ones with their bounds

  explicit Censored(std::size_t most) {  // reserve no more than this: there may be millions
    finished.reserve(most);
    all.reserve(most);
  }
  void add(T value, bool is_finished) {
    all.push_back(value);
    if (is_finished) finished.push_back(value);
  }
  void sort() {
    std::sort(finished.begin(), finished.end());
    std::sort(all.begin(), all.end());
  }
  /// Whether the percentile would change if the unfinished ones never finished.
  bool can_rise(double percent) const {
    const std::size_t rank = nearest_rank(all.size(), percent);
    return rank > finished.size() || finished[rank - 1] != all[rank - 1];
  }
};

/// Calls f(time, the message, whether it has finished) for every message that was posted until the end.
template <class F>
void for_each_posted(const std::vector<MessageTime>& messages, TimePs end_ps, bool stalled, F f) {
  for (const MessageTime& m : messages) {
    const bool finished = m.finish_ps >= 0;
    if (!finished && !stalled && (m.posted_ps < 0 || m.posted_ps > end_ps)) continue;
    const TimePs since_ps = m.posted_ps < 0 ? end_ps : m.posted_ps;  // stalled: it waited for others
    f(std::max<TimePs>((finished ? m.finish_ps : end_ps) - since_ps, 0), m, finished);
  }
}

using Key = std::tuple<u32, Group, CollectiveKind, u64, u64, Algorithm, Protocol, bool>;

Key key_of(const World& world, const Collective& c) {
  const Job& job = world.collectives.jobs[c.job];
  return {job.number, job.group, c.kind, c.bytes, job.ranks.size(), c.algorithm, c.protocol, job.by_program};
}

/// Bus bandwidth in GB/s, as nccl-tests counts it.
double bus_bandwidth(const CollectiveMean& mean, double time_ps) {
  if (mean.finished == 0) return kNan;
  if (time_ps <= 0) return 0;
  return static_cast<double>(mean.bytes) / time_ps * 1e3 * bus_factor(mean.kind, mean.ranks);  // B/ps = 1000 GB/s
}

MessageTimes read_messages(const InputFile& file) {
  const std::string at = "/summary/message/";
  const std::vector<double> percent = file.reals(at + "percent"), ideal = file.reals(at + "times_the_ideal");
  const std::vector<i64> completion = file.signed_numbers(at + "completion_ps");
  const std::vector<u64> at_least = file.numbers(at + "completion_at_least"),
                         ideal_at_least = file.numbers(at + "ideal_at_least"), posted = file.numbers(at + "posted"),
                         finished = file.numbers(at + "finished");
  MessageTimes times;
  for (std::size_t i = 0; i < percent.size(); ++i)
    times.percentiles.push_back({percent[i], completion[i], at_least[i] != 0, ideal[i], ideal_at_least[i] != 0});
  if (!posted.empty()) times.posted = posted[0], times.finished = finished[0];
  return times;
}

std::vector<MeanIteration> read_iteration_means(const InputFile& file) {
  const std::string at = "/summary/iteration/";
  const std::vector<u64> job = file.numbers(at + "job"), iterations = file.numbers(at + "iterations"),
                         ended = file.numbers(at + "ended");
  const std::vector<double> time = file.reals(at + "time_ps"), compute = file.reals(at + "compute_ps");
  std::vector<MeanIteration> means(job.size());
  for (std::size_t i = 0; i < means.size(); ++i)
    means[i] = {
        static_cast<u32>(job[i]), static_cast<u32>(ended[i]), static_cast<u32>(iterations[i]), time[i], compute[i], {}};
  for (const Group group : kParallelGroups) {
    const std::string column = fmt::format("{}exposed_{}_ps", at, group_name(group));
    if (!file.has(column)) continue;  // an earlier version wrote the file
    const std::vector<double> exposed = file.reals(column);
    for (std::size_t i = 0; i < means.size(); ++i) means[i].exposed_ps[static_cast<u32>(group)] = exposed[i];
  }
  return means;
}

std::vector<CollectiveMean> read_collective_means(const InputFile& file) {
  const std::string at = "/summary/collective/";
  const auto column = [&](const char* name) { return file.numbers(at + name); };
  const auto reals = [&](const char* name) { return file.reals(at + name); };
  const std::vector<u64> job = column("job"), group = column("group"), kind = column("kind"),
                         algorithm = column("algorithm"), protocol = column("protocol"), ranks = column("ranks"),
                         bytes = column("bytes"), driven = column("driven"), number = column("number"),
                         finished = column("finished");
  const std::vector<double> time = reals("time_ps"), busbw = reals("busbw_GBps"), transfer = reals("transfer_ps"),
                            transfer_busbw = reals("transfer_busbw_GBps");
  std::vector<CollectiveMean> means;
  for (std::size_t i = 0; i < job.size(); ++i)
    means.push_back({.job = static_cast<u32>(job[i]),
                     .ranks = static_cast<u32>(ranks[i]),
                     .group = static_cast<Group>(group[i]),
                     .kind = static_cast<CollectiveKind>(kind[i]),
                     .algorithm = static_cast<Algorithm>(algorithm[i]),
                     .protocol = static_cast<Protocol>(protocol[i]),
                     .bytes = bytes[i],
                     .driven = driven[i] != 0,
                     .number = number[i],
                     .finished = finished[i],
                     .time_ps = time[i],
                     .busbw_GBps = busbw[i],
                     .transfer_ps = transfer[i],
                     .transfer_busbw_GBps = transfer_busbw[i]});
  return means;
}

}  // namespace

const MessagePercentile* MessageTimes::find(double percent) const {
  const auto found = std::ranges::find(percentiles, percent, &MessagePercentile::percent);
  return found == percentiles.end() ? nullptr : &*found;
}

MessageTimes message_times(const std::vector<MessageTime>& messages, TimePs end_ps, bool stalled) {
  MessageTimes times;
  {
    Censored<TimePs> completions(messages.size());
    for_each_posted(messages, end_ps, stalled, [&](TimePs time_ps, const MessageTime&, bool finished) {
      ++times.posted;
      times.finished += finished ? 1 : 0;
      completions.add(time_ps, finished);
    });
    if (times.posted == 0) return times;
    completions.sort();
    for (const auto& [name, percent] : kPercentiles)
      times.percentiles.push_back(
          {percent, percentile(completions.all, percent), completions.can_rise(percent), kNan, false});
  }
  Censored<double> slowdowns(messages.size());
  for_each_posted(messages, end_ps, stalled, [&](TimePs time_ps, const MessageTime& m, bool finished) {
    if (m.ideal_ps > 0) slowdowns.add(static_cast<double>(time_ps) / static_cast<double>(m.ideal_ps), finished);
  });
  if (slowdowns.all.empty()) return times;
  slowdowns.sort();
  for (MessagePercentile& p : times.percentiles) {
    p.times_the_ideal = percentile(slowdowns.all, p.percent);
    p.ideal_at_least = slowdowns.can_rise(p.percent);
  }
  return times;
}

std::vector<MessageTime> times_of_messages(const World& world, const Outcome& outcome, bool ideals) {
  std::vector<MessageTime> messages;
  const auto& all = world.traffic.messages;
  messages.reserve(std::min(all.size(), outcome.messages.size()));
  for (MessageId m = 0; m < std::min(all.size(), outcome.messages.size()); ++m) {
    const MessageOutcome& o = outcome.messages[m];
    messages.push_back({posted_ps(all[m], o), o.acked_ps, ideals ? ideal_completion_ps(world, m) : -1});
  }
  return messages;
}

MessageTimes message_times(const std::vector<MessageTime>& messages, const Outcome& outcome) {
  return message_times(messages, outcome.end_ps, outcome.reason == EndReason::stalled);
}

u64 kinds_of_collectives(const World& world) {
  std::map<Key, bool> kinds;
  for (const Collective& c : world.collectives.collectives) kinds[key_of(world, c)] = true;
  return kinds.size();
}

std::vector<CollectiveMean> collective_means(const World& world, const Outcome& outcome) {
  std::map<Key, CollectiveMean> sums;
  for (u32 i = 0; i < outcome.collectives.size(); ++i) {
    const Collective& c = world.collectives.collectives[i];
    const Key key = key_of(world, c);
    CollectiveMean& sum = sums[key];
    if (sum.number++ == 0) {
      u64 ranks = 0;
      std::tie(sum.job, sum.group, sum.kind, sum.bytes, ranks, sum.algorithm, sum.protocol, sum.driven) = key;
      sum.ranks = static_cast<u32>(ranks);
    }
    const CollectiveTiming timing = collective_timing(world, outcome, i);
    if (timing.finish_ps < 0) continue;
    ++sum.finished;
    sum.time_ps += static_cast<double>(timing.finish_ps - timing.start_ps);
    sum.transfer_ps += static_cast<double>(timing.finish_ps - outcome.collectives[i].last_enter_ps);
  }
  std::vector<CollectiveMean> means;
  for (auto& [key, mean] : sums) {
    const double finished = mean.finished == 0 ? kNan : static_cast<double>(mean.finished);
    mean.time_ps /= finished;
    mean.transfer_ps /= finished;
    mean.busbw_GBps = bus_bandwidth(mean, mean.time_ps);
    mean.transfer_busbw_GBps = bus_bandwidth(mean, mean.transfer_ps);
    means.push_back(mean);
  }
  return means;
}

std::optional<Summaries> read_summaries(const InputFile& file) {
  if (!file.has("/summary")) return std::nullopt;
  return Summaries{read_messages(file), read_iteration_means(file), read_collective_means(file)};
}

}  // namespace heddle
