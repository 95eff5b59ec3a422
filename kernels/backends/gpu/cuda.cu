// Ticks on a GPU: per tick one launch for small switches, one for big ones and one for endpoints, concurrently, then a
// clock kernel; where plain switches run by ports, three launches come before those of switches (by_ports.cuh). The
// clock is in device memory, so a graph of many ticks skips idle time and stops by itself.
#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/backends/backend.hpp"
#include "kernels/backends/count_gpus.hpp"
#include "kernels/backends/gpu/boundary.cuh"
#include "kernels/backends/gpu/by_ports.cuh"
#include "kernels/backends/gpu/count.cuh"
#include "kernels/backends/gpu/gather.cuh"
#include "kernels/backends/gpu/readings.cuh"
#include "kernels/backends/gpu/streams.cuh"
#include "kernels/backends/gpu/ticks.cuh"
#include "kernels/backends/gpu/timed_ticks.cuh"
#include "kernels/observe/explain.hpp"
#include "kernels/outcome/events.hpp"
#include "kernels/team/algorithms.hpp"

namespace heddle {
namespace {

class GpuBackend : public Backend {
 public:
  GpuBackend(Model& model, const EngineOptions& options, TimePs tick_ps)
      : model_(model), sharers_(pick_device(options.local)) {
    copy_arrays(options);
    const SwitchRuns runs = pack_switches(model_.view, launch_.team_ports);
    small_ = TeamMemory(model_.view, runs.small, tick_ps, launch_.phases != 0, copies_);
    big_ = TeamMemory(model_.view, runs.big, tick_ps, launch_.phases != 0, copies_);
    const u32 multiprocessors = count_multiprocessors();
    if (launch_.small_threads == 0) launch_.small_threads = small_threads_for(small_.teams().count, multiprocessors);
    if (launch_.endpoint_lanes == 0) launch_.endpoint_lanes = endpoint_lanes_for(view_.endpoints, multiprocessors);
    const u32 endpoints_of_block = launch_.endpoint_threads / 32 * launch_.endpoint_lanes;
    endpoint_blocks_ = (view_.endpoints + endpoints_of_block - 1) / endpoints_of_block;
    const bool scratch_fits = small_.teams().slab == nullptr && big_.teams().slab == nullptr;  // of the general way
    if (launch_.by_ports != 0 && may_go_by_ports(model_.view.settings) && scratch_fits)
      ports_ = PortTeamMemory(model_.view, launch_.phases != 0, copies_);
    tallies_ = small_.teams().count + big_.teams().count + endpoint_blocks_ + std::max(ports_.words(), ports_.parts());
    tally_memory_ = DeviceMemory(tallies_ * sizeof(Tally));
    copies_.clear(tally_memory_.get(), tallies_ * sizeof(Tally), "the sums");
    clock_memory_ = DeviceMemory(sizeof(Clock));
    events_.capacity = options.recorded_kinds == 0 && !options.trace ? 1024 : event_capacity();
    event_memory_ = DeviceMemory(events_.capacity * sizeof(Event));
    count_memory_ = DeviceMemory(sizeof(u64));
    copies_.clear(count_memory_.get(), sizeof(u64), "the event count");
    events_.events = event_memory_.get<Event>();
    events_.count = count_memory_.get<u64>();
    small_kernel_ = kernel_for(small_.teams(), launch_.small_threads, multiprocessors);
    big_kernel_ = kernel_for(big_.teams(), launch_.big_threads, multiprocessors);
    for (const SwitchKernel kernel : {small_kernel_, big_kernel_})
      cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes),
                 "shared memory");
    const u32 ticks = ticks_per_graph(options.part.period_ps, tick_ps);
    if (timed_kernels() == nullptr) {
      capture(ticks);
    } else {
      timed_ = std::make_unique<TimedTicks>(*timed_kernels(), ticks);
    }
    cuda_check(cudaStreamSynchronize(streams_[0]), "setting up the GPU");
    readings_ = std::make_unique<Readings>(view_, model_.view.first_link[view_.switches], streams_[0]);
    queued_ = std::make_unique<QueuedPackets>(readings_->view(), model_.view, model_.all_links(), streams_[0]);
    boundary_ =
        std::make_unique<BoundaryKernels>(view_, model_.view.boundary, options.part.words_on_device, streams_[0]);
  }
  ~GpuBackend() override {
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  }

  void advance(Tick& tick, TimePs tick_ps, TimePs until, u64& ticks) override {
    Clock clock;
    clock.tick = tick;
    clock.tick.to = tick_end(tick.from, tick_ps, until);
    clock.tick_ps = tick_ps;
    clock.until = until;
    clock.events_high_water = events_.capacity / 2;
    put_clock(clock);
    while (clock.tick.from < until && clock.stop == 0) {
      const u64 before = clock.ticks;
      launch_ticks();
      clock = get_clock();
      if (timed_) timed_->add(clock.ticks - before);
      if (clock.stop != 0 && !fetch_failure()) {  // the event buffer is filling up: empty it and resume
        drain_events();
        clock.stop = 0;
        put_clock(clock);
      }
    }
    drain_events();
    fetch_failure();
    tick = clock.tick;
    ticks += clock.ticks;
  }

  void fetch() override {
    fetch_failure();
    fetch_arrays([](const ArrayInfo& array) { return array.kind == StateKind::dense; });
  }

  void fetch_all(u32 parity) override {
    fetch_failure();
    fetch_arrays([](const ArrayInfo& array) {
      return array.kind != StateKind::plan && array.kind != StateKind::free_list && !is_pool(array);
    });
    queued_->fetch(parity);
  }

  void restore(const Tally& sums) override {
    const u64 used = *model_.view.pool.top;
    if (used > view_.pool.capacity) throw CapacityError(explain_too_many_packets(used, view_.pool.capacity));
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const ArrayInfo& array = model_.arrays.list()[i];
      if (array.kind == StateKind::plan) continue;
      const u64 bytes = is_pool(array) ? used * pool_entry_bytes(array) : array.bytes;
      if (array.sparse) {
        copies_.upload_sparse(memory_[i].get(), array);
      } else {
        copies_.upload(memory_[i].get(), array.memory, bytes, array.name.c_str());
      }
    }
    copies_.upload(tally_memory_.get(), &sums, sizeof(Tally), "the sums");
  }

  u64 state_digest(const Tick& tick) override { return readings_->state_digest(tick); }
  std::span<const LinkCounters> link_counters(TimePs now_ps) override { return readings_->link_counters(now_ps); }
  bool quiet(u32 parity) override { return readings_->quiet(parity); }
  std::vector<u64> stuck_ports(TimePs paused_before_ps) override { return readings_->stuck_ports(paused_before_ps); }

  void acknowledge_failure() override {
    model_.view.failure->kind = kFailureSeen;
    copies_.upload(view_.failure, model_.view.failure, sizeof(Failure), "the failure flag");
  }

  Tally tally() override {
    return join_all(device_wide(streams_[0]), tallies_, tally_memory_.get<const Tally>(), PlusTally());
  }

  std::vector<Event> take_events() override { return std::exchange(host_events_, {}); }

  TimePs next_event_ps(u32 parity) override { return boundary_->earliest_ps(parity); }
  WordMemory& word_memory() override { return boundary_->words(); }
  TimePs collect(u32 parity, std::span<WordBuffer> out) override { return boundary_->collect(parity, out); }
  void deliver(u32 parity, std::span<const WordBuffer> in) override {
    const u32 misfit = boundary_->deliver(parity, in);
    if (misfit < in.size()) refuse_words(model_, misfit);
    fetch_exhausted();
  }
  void release(u32 parity, TimePs now_ps) override { boundary_->release(parity, now_ps); }

 private:
  using SwitchKernel = decltype(&run_switches<Block, kMaxSwitchThreads>);

  /// Processes of a machine take its GPUs in turn. Returns the number of processes that share this one's GPU.
  static u32 pick_device(const LocalProcesses& local) {
    const u32 devices = count_gpus_of_machine();
    if (devices == 0) throw std::invalid_argument("device: no GPU was found on this machine; use --device cpu");
    const u32 device = local.number % devices;
    cuda_check(cudaSetDevice(static_cast<int>(device)), ("choosing GPU " + std::to_string(device)).c_str());
    return (local.count - device + devices - 1) / devices;
  }

  template <class Wanted>
  void fetch_arrays(const Wanted& wanted) {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const ArrayInfo& array = model_.arrays.list()[i];
      if (!wanted(array)) continue;
      if (array.sparse) {
        copies_.download_sparse(array, memory_[i].get());
      } else {
        copies_.download(array.memory, memory_[i].get(), array.bytes, array.name.c_str());
      }
    }
  }

  static bool is_pool(const ArrayInfo& array) { return array.kind == StateKind::queued; }
  u64 pool_entry_bytes(const ArrayInfo& array) const { return array.bytes / model_.view.pool.capacity; }

  /// Copies every array of the list to the device and points the View to the copies.
  void copy_arrays(const EngineOptions& options) {
    model_.view.collective.charge_pairs = false;  // sparse arrays are allocated as a whole
    view_ = model_.view;
    std::size_t free_bytes = 0, total_bytes = 0;
    cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes), "asking for free memory");
    const u64 budget = options.memory_limit_bytes != 0 ? options.memory_limit_bytes : free_bytes / 2 / sharers_;
    view_.pool.capacity = std::min<u64>(model_.view.pool.capacity, budget / (sizeof(Packet) + sizeof(TimePs)));
    for (const ArrayInfo& array : model_.arrays.list()) {
      const bool pool = is_pool(array);
      const u64 bytes = pool ? view_.pool.capacity * pool_entry_bytes(array) : array.bytes;
      memory_.emplace_back(bytes);
      void* device = memory_.back().get();
      if (pool || array.kind == StateKind::free_list) {
        copies_.clear(device, bytes, array.name.c_str());
      } else if (array.sparse) {
        copies_.upload_sparse(device, array);
      } else {
        copies_.upload(device, array.memory, bytes, array.name.c_str());
      }
      std::memcpy(reinterpret_cast<char*>(&view_) + array.view_offset, &device, sizeof(device));
    }
  }

  /// Twice the events that PFC can cause in one tick: the buffer is emptied when it is half full, so no event is lost.
  /// (Drops and departures have no such bound; a tick that causes more ends the run with a CapacityError.)
  u64 event_capacity() const { return std::max<u64>(u64{1} << 22, u64{model_.view.links} * 64); }

  /// A part stops at the end of every period: any further ticks of a graph would find nothing to do.
  u32 ticks_per_graph(TimePs period_ps, TimePs tick_ps) const {
    if (period_ps == 0) return launch_.graph_ticks;
    return static_cast<u32>(std::clamp<TimePs>((period_ps + tick_ps - 1) / tick_ps, 1, launch_.graph_ticks));
  }

  /// Launches ticks_per_graph() ticks; those after the end of the run do nothing.
  void launch_ticks() {
    if (!timed_) return cuda_check(cudaGraphLaunch(graph_, streams_[0]), "launching ticks");
    constexpr u32 kKernels = kTickKernelNames.size();
    for (u32 i = 0; i < timed_->ticks(); ++i) {
      for (u32 kernel = 0; kernel < kKernels; ++kernel) {
        timed_->mark(i, kernel, streams_[0]);
        if (!is_launched(static_cast<TickKernel>(kernel))) continue;
        timed_->note_launch(kernel);
        launch_kernel(static_cast<TickKernel>(kernel), streams_[0]);
      }
      timed_->mark(i, kKernels, streams_[0]);
    }
  }

  /// Captures a graph of `ticks` ticks.
  void capture(u32 ticks) {
    cudaEvent_t fork, served, join[2];
    cuda_check(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming), "creating an event");
    cuda_check(cudaEventCreateWithFlags(&served, cudaEventDisableTiming), "creating an event");
    for (cudaEvent_t& e : join) cuda_check(cudaEventCreateWithFlags(&e, cudaEventDisableTiming), "creating an event");
    cudaGraph_t graph;
    cuda_check(cudaStreamBeginCapture(streams_[0], cudaStreamCaptureModeThreadLocal), "capturing ticks");
    for (u32 i = 0; i < ticks; ++i) {
      cuda_check(cudaEventRecord(fork, streams_[0]), "recording");
      for (u32 s : {1u, 2u}) cuda_check(cudaStreamWaitEvent(streams_[s], fork, 0), "waiting");
      if (ports_.words() != 0) {
        launch_kernel(TickKernel::arrivals, streams_[0]);
        launch_kernel(TickKernel::ports, streams_[0]);
        cuda_check(cudaEventRecord(served, streams_[0]), "recording");
        cuda_check(cudaStreamWaitEvent(streams_[1], served, 0), "waiting");
      }
      launch_kernel(TickKernel::big_switches, streams_[1]);  // first, because they take longest and need most room
      launch_kernel(TickKernel::endpoints, streams_[2]);
      launch_kernel(TickKernel::settling, streams_[0]);
      launch_kernel(TickKernel::small_switches, streams_[0]);
      for (u32 s : {1u, 2u}) {
        cuda_check(cudaEventRecord(join[s - 1], streams_[s]), "recording");
        cuda_check(cudaStreamWaitEvent(streams_[0], join[s - 1], 0), "waiting");
      }
      launch_kernel(TickKernel::clock, streams_[0]);
    }
    cuda_check(cudaStreamEndCapture(streams_[0], &graph), "capturing ticks");
    cuda_check(cudaGraphInstantiate(&graph_, graph, 0), "building the graph of ticks");
    cudaGraphDestroy(graph);
    cudaEventDestroy(fork);
    cudaEventDestroy(served);
    for (cudaEvent_t& e : join) cudaEventDestroy(e);
  }

  /// Whether a kernel has any blocks.
  bool is_launched(TickKernel kernel) const {
    switch (kernel) {
      case TickKernel::arrivals:
      case TickKernel::ports:
      case TickKernel::settling:
        return ports_.words() != 0;
      case TickKernel::small_switches:
        return small_.teams().count != 0;
      case TickKernel::big_switches:
        return big_.teams().count != 0;
      case TickKernel::endpoints:
        return endpoint_blocks_ != 0;
      case TickKernel::clock:
        break;
    }
    return true;
  }

  void launch_kernel(TickKernel kernel, cudaStream_t stream) {
    const Teams &small = small_.teams(), &big = big_.teams();
    Clock* clock = clock_memory_.get<Clock>();
    Tally* tallies = tally_memory_.get<Tally>();
    Tally* port_tallies = tallies + small.count + big.count + endpoint_blocks_;
    switch (kernel) {
      case TickKernel::arrivals:
        return launch(run_arrivals, ports_.words(), kPortThreads, arrival_scratch_bytes(), stream, view_,
                      ports_.teams(), clock, port_tallies, events_);
      case TickKernel::ports:
        return launch(run_ports, ports_.parts(), kPortThreads, served_scratch_bytes(), stream, view_, ports_.teams(),
                      clock, port_tallies, events_);
      case TickKernel::settling:
        return launch(run_settling, ports_.words(), kPortThreads, 0, stream, view_, ports_.teams(), clock, port_tallies,
                      events_);
      case TickKernel::small_switches:
        return launch_switches(small_kernel_, small, launch_.small_threads, stream, clock, tallies);
      case TickKernel::big_switches:
        return launch_switches(big_kernel_, big, launch_.big_threads, stream, clock, tallies + small.count);
      case TickKernel::endpoints:
        return launch(run_endpoints_, endpoint_blocks_, launch_.endpoint_threads, 0, stream, view_,
                      launch_.endpoint_lanes, clock, tallies + small.count + big.count, events_);
      case TickKernel::clock:
        return launch(run_clock, 1, kClockThreads, 0, stream, view_, clock, events_);
    }
  }

  void launch_switches(SwitchKernel kernel, const Teams& teams, u32 threads, cudaStream_t stream, Clock* clock,
                       Tally* tallies) {
    const u64 shared_bytes = teams.slab == nullptr ? teams.scratch_bytes : 0;
    launch(kernel, teams.count, threads, shared_bytes, stream, view_, teams, ports_.teams().bins, clock, tallies,
           events_);
  }

  SwitchKernel kernel_for(const Teams& teams, u32 threads, u32 multiprocessors) const {
    if (!plain_ || teams.slab != nullptr) return run_switches<Block, kMaxSwitchThreads>;
    const bool roomy = threads <= kMaxRoomyThreads && few_blocks(teams.count, multiprocessors);
    return roomy ? run_switches<PlainBlock, kMaxRoomyThreads> : run_switches<PlainBlock, kMaxSwitchThreads>;
  }

  void put_clock(const Clock& clock) { copies_.upload(clock_memory_.get(), &clock, sizeof(Clock), "the clock"); }

  Clock get_clock() {
    Clock clock;
    cuda_check(cudaStreamSynchronize(streams_[0]), "simulating");
    copies_.download(&clock, clock_memory_.get(), sizeof(Clock), "the clock");
    return clock;
  }

  /// Whether the run has failed on the device. Updates the host's copies of the flags.
  bool fetch_failure() {
    const View& host = model_.view;
    copies_.download(host.failure, view_.failure, sizeof(Failure), "the failure flag");
    fetch_exhausted();
    copies_.download(host.pool.top, view_.pool.top, sizeof(u64), "the pool's fill");
    *host.pool.top = std::min(*host.pool.top, view_.pool.capacity);  // it keeps counting when the pool is exhausted
    return host.failure->kind == kFailureNew || *host.pool.exhausted != 0;
  }

  void fetch_exhausted() {
    copies_.download(model_.view.pool.exhausted, view_.pool.exhausted, sizeof(u32), "the pool's flag");
  }

  void drain_events() {
    u64 count = 0;
    copies_.download(&count, events_.count, sizeof(count), "the event count");
    if (count > events_.capacity) throw CapacityError(explain_full_events(count, events_.capacity));
    if (count == 0) return;
    sort_all(device_wide(streams_[0]), count, events_.events, EarlierEvent());
    const std::size_t before = host_events_.size();
    host_events_.resize(before + count);
    copies_.download(host_events_.data() + before, events_.events, count * sizeof(Event), "events");
    merge_events(host_events_, before);
    copies_.clear(events_.count, sizeof(u64), "the event count");
  }

  Model& model_;
  LaunchParameters launch_ = launch_parameters_of_environment();
  const u32 sharers_;
  const Streams streams_;  // copies use the first stream, ordered with the kernels on it
  const Copies copies_{streams_[0]};
  View view_;
  std::vector<DeviceMemory> memory_;
  TeamMemory small_, big_;
  PortTeamMemory ports_;
  DeviceMemory tally_memory_, clock_memory_, event_memory_, count_memory_;
  EventBuffer events_;
  const bool plain_ = is_plain_run(model_.view.settings);
  SwitchKernel small_kernel_ = nullptr, big_kernel_ = nullptr;
  decltype(&run_endpoints<Block>) const run_endpoints_ = plain_ ? run_endpoints<PlainBlock> : run_endpoints<Block>;
  std::vector<Event> host_events_;
  u32 endpoint_blocks_ = 0, tallies_ = 0;
  cudaGraphExec_t graph_ = nullptr;
  std::unique_ptr<TimedTicks> timed_;  // replaces the graph
  std::unique_ptr<Readings> readings_;
  std::unique_ptr<QueuedPackets> queued_;
  std::unique_ptr<BoundaryKernels> boundary_;
};

}  // namespace

u32 count_gpus() { return count_gpus_of_machine(); }

std::unique_ptr<Backend> make_gpu_backend(Model& model, const EngineOptions& options, TimePs tick_ps) {
  if (options.shuffled) throw std::invalid_argument("device: the shuffled team is a test of the CPU backend");
  return std::make_unique<GpuBackend>(model, options, tick_ps);
}

}  // namespace heddle
