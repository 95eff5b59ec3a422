#include "io/results/saved_state.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace heddle {
namespace {

/// The first word, which exposes a checkpoint's words that belong to something else.
constexpr u64 kFirstWord = 0x7265'7375'6c74'3032ull;  // "result02"

void save_idle(const IdleStretch& idle, std::vector<u64>& words) {
  words.push_back(idle.instants);
  words.push_back(static_cast<u64>(idle.first_ps));
  words.push_back(static_cast<u64>(idle.last_ps));
  words.push_back(static_cast<u64>(idle.row_ps));
  words.push_back(idle.counters.size());
  append_records(words, std::span(idle.counters));
}

void restore_idle(WordSource& words, u64 links, IdleStretch& idle) {
  idle.instants = words.word();
  idle.first_ps = static_cast<TimePs>(words.word());
  idle.last_ps = static_cast<TimePs>(words.word());
  idle.row_ps = static_cast<TimePs>(words.word());
  const u64 counters = words.word();
  if (counters != 0 && counters != links) throw std::out_of_range("counters of links");
  idle.counters = records_of<LinkCounters>(words.words(counters * (sizeof(LinkCounters) / sizeof(u64))));
}

void restore_all(ResultParts& parts, WordSource words, const KilledPart& killed) {
  if (words.word() != kFirstWord) throw std::out_of_range("the first word");
  if ((words.word() != 0) != (parts.link_series != nullptr)) throw std::out_of_range("/series/link");
  if ((words.word() != 0) != (parts.cts_wait != nullptr)) throw std::out_of_range("/histogram/cts_wait");
  if ((words.word() != 0) != (parts.gpu_times != nullptr)) throw std::out_of_range("/event/gpu_time");
  if ((words.word() != 0) != (parts.tcp_windows != nullptr)) throw std::out_of_range("/event/tcp_window");
  parts.full = words.word() != 0;
  parts.events_since_check = words.word();
  restore_idle(words, parts.world->fabric.links.size(), parts.idle);
  parts.pauses->restore(words);
  for (Histogram* histogram : parts.growing_histograms()) {
    const std::span<const u64> counts = words.words(histogram->counts().size());
    histogram->set_counts({counts.begin(), counts.end()});
  }
  for (Table* table : parts.event_tables()) table->restore(words, killed);
  parts.tier_series->restore(words, killed);
  if (parts.link_series) parts.link_series->restore(words, killed);
  if (!words.empty()) throw std::out_of_range("more words than needed");
}

}  // namespace

void save_state(const ResultParts& parts, std::vector<u64>& words) {
  words.push_back(kFirstWord);
  words.push_back(parts.link_series != nullptr);
  words.push_back(parts.cts_wait != nullptr);
  words.push_back(parts.gpu_times != nullptr);
  words.push_back(parts.tcp_windows != nullptr);
  words.push_back(parts.full);
  words.push_back(parts.events_since_check);
  save_idle(parts.idle, words);
  parts.pauses->save(words);
  for (const Histogram* histogram : parts.growing_histograms())
    words.insert(words.end(), histogram->counts().begin(), histogram->counts().end());
  for (const Table* table : parts.event_tables()) table->save(words);
  parts.tier_series->save(words);
  if (parts.link_series) parts.link_series->save(words);
}

void restore_state(ResultParts& parts, std::span<const u64> words, const KilledPart& killed) {
  try {
    restore_all(parts, WordSource(words), killed);
  } catch (const std::out_of_range& misfit) {
    throw InputError(
        fmt::format("cannot resume '{}': what the checkpoint keeps of the file is not of a file like this one ({}); "
                    "resume from an older checkpoint, or start anew with --force",
                    parts.part_path, misfit.what()));
  }
}

}  // namespace heddle
