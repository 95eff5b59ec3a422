#include "host/scenario/workload/training/streams.hpp"

namespace heddle {

void StreamWriter::compute(TimePs ps) {
  if (ps == 0) return;
  Op op;
  op.kind = OpKind::compute;
  op.ps = ps;
  streams_[0].push_back(op);
}

Mark StreamWriter::launch(u32 communicator, const CollectiveCall& call, Mark after) {
  const u16 stream = static_cast<u16>(1 + communicator);
  wait(stream, after, kNoGroup);
  Op op;
  op.kind = OpKind::collective;
  op.n = communicator;
  streams_[stream].push_back(op);
  calls_[communicator].push_back(call);
  return {stream, static_cast<u32>(streams_[stream].size())};
}

Mark StreamWriter::take(u32 timed, TimePs ps, Mark after) {
  const u16 stream = static_cast<u16>(1 + calls_.size() + timed);
  wait(stream, after, kNoGroup);
  Op op;
  op.kind = OpKind::delay;
  op.group = static_cast<u8>(groups_[stream - 1]);
  op.ps = ps;
  streams_[stream].push_back(op);
  return {stream, static_cast<u32>(streams_[stream].size())};
}

void StreamWriter::load(const std::vector<Op>& operations, u32 until_there) {
  const u16 stream = static_cast<u16>(streams_.size());
  streams_.push_back(operations);
  groups_.push_back(Group::storage);
  await({stream, until_there});
}

void StreamWriter::store(const std::vector<Op>& operations) {
  const u16 stream = static_cast<u16>(streams_.size());
  streams_.emplace_back();
  groups_.push_back(Group::storage);
  wait(stream, computed(), kNoGroup);
  streams_[stream].insert(streams_[stream].end(), operations.begin(), operations.end());
  await({stream, static_cast<u32>(streams_[stream].size())});
}

void StreamWriter::await(Mark until) { wait(0, until, static_cast<u8>(groups_[until.stream - 1])); }

/// Adds a wait, unless the mark was reached before the iteration began.
void StreamWriter::wait(u16 stream, Mark until, u8 group) {
  if (until.operations == 0) return;
  Op op;
  op.kind = OpKind::wait;
  op.group = group;
  op.stream = until.stream;
  op.n = until.operations;
  streams_[stream].push_back(op);
}

}  // namespace heddle
