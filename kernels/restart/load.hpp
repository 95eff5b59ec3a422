// Loads a checkpoint's records into the state of a World, or of a part of it.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/state/model.hpp"
#include "kernels/tick/tick.hpp"

namespace heddle {

/// The loaded records cannot be of this World. what() gives the reason.
struct CheckpointMisfit : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Whether a StateLoader would read the record with this head, even if only to refuse it.
bool concerns(const Model& model, bool first, u64 record_head);

/// Fills a newly instantiated Model with the contents of records that concern its part.
class StateLoader {
 public:
  /// `first`: this part takes the sums and the warnings of all parts.
  StateLoader(Model& model, bool first) : model_(model), first_(first) {}

  /// Takes whole records. Throws CheckpointMisfit.
  void take(std::span<const u64> records);
  /// Call after all records have been taken: everything is due at the start of the returned tick. Throws
  /// CheckpointMisfit when a node is missing, CapacityError when the memory for packets does not suffice.
  Tick finish(TimePs now_ps);

  const Tally& sums() const { return sums_; }
  const std::vector<u32>& warned_links() const { return warned_links_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  void load_node(u64 id, std::span<const u64> words);
  void load_wire(u64 id, std::span<const u64> words);
  void load_sums(std::span<const u64> words);
  void load_warnings(std::span<const u64> words);

  Model& model_;
  bool first_;
  u64 nodes_ = 0;  // nodes loaded
  Tally sums_;
  std::vector<u32> warned_links_;
  std::vector<std::string> warnings_;
};

}  // namespace heddle
