// Ticks on a GPU: per tick one launch for small switches, one for big ones, one for endpoints, side by side, then a
// clock kernel. The clock lives in device memory, so a graph of many ticks runs, skips idle time and stops by itself.
#include <algorithm>
#include <cstring>

#include "kernels/backend.hpp"
#include "kernels/device_memory.cuh"
#include "kernels/observe/state_digest.hpp"
#include "kernels/team/algorithms.hpp"
#include "kernels/team/block.cuh"

namespace heddle {
namespace {

inline constexpr u32 kTicksPerGraph = 32;
inline constexpr u32 kSmallThreads = 128, kBigThreads = 256, kEndpointThreads = 128;
inline constexpr u32 kSmallTeamPorts = 112;     // several RTSWs share a block up to here
inline constexpr u32 kSharedBytes = 96 * 1024;  // scratch beyond that lies in global memory

/// The clock on the device.
struct Clock {
  Tick tick;
  TimePs tick_ps = 0, until = 0;
  TimePs next_ps = kNever;  // minimum over all nodes after this tick
  u64 ticks = 0;
  u64 events_high_water = 0;
  u32 stop = 0;
};

/// A run of consecutive switches that one block takes.
struct Run {
  u32 first, end;
};

/// The runs of one launch, and their scratch.
struct Teams {
  const Run* runs = nullptr;
  u32 count = 0;
  u32 ports = 0, packets = 0, bins = 0;  // of the largest team
  u64 scratch_bytes = 0;                 // per team
  char* slab = nullptr;                  // nullptr: shared memory
};

__device__ bool over(const Clock& clock) { return clock.stop != 0 || clock.tick.from >= clock.until; }

__global__ void run_switches(const __grid_constant__ View v, Teams teams, Clock* clock, Tally* tallies,
                             EventBuffer events) {
  extern __shared__ u64 shared[];
  __shared__ u32 warp_sums[32];
  __shared__ u32 due;
  if (over(*clock)) return;
  const Tick tick = clock->tick;
  const u32 node = teams.runs[blockIdx.x].first, end = teams.runs[blockIdx.x].end;
  const Block team(tallies + blockIdx.x, events, warp_sums);
  if (threadIdx.x == 0) due = 0;
  __syncthreads();
  team.each(end - node, [&](u32 i) {
    if (is_due(v, node + i, tick)) due = 1;
  });
  if (due != 0) {
    SwitchScratch scratch;
    void* memory = teams.slab == nullptr ? static_cast<void*>(shared) : teams.slab + blockIdx.x * teams.scratch_bytes;
    scratch.place(memory, v.first_link[end] - v.first_link[node], v.settings.classes, v.settings.pfc_classes,
                  teams.bins, teams.packets);
    tick_switches(team, v, scratch, node, end, tick);
  }
  if (threadIdx.x != 0) return;
  TimePs next = kNever;
  for (u32 n = node; n < end; ++n) next = min(next, v.next_ps[n]);
  global_min(clock->next_ps, next);
}

__global__ void run_endpoints(const __grid_constant__ View v, Clock* clock, Tally* tallies, EventBuffer events) {
  __shared__ u32 warp_sums[32];
  if (over(*clock)) return;
  const Tick tick = clock->tick;
  const Block team(tallies + blockIdx.x, events, warp_sums);
  __shared__ TimePs next;
  if (threadIdx.x == 0) next = kNever;
  __syncthreads();
  const u32 e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < v.endpoints) {
    if (is_due(v, v.switches + e, tick)) tick_endpoint(team, v, e, tick);
    global_min(next, v.next_ps[v.switches + e]);
  }
  __syncthreads();
  if (threadIdx.x == 0) global_min(clock->next_ps, next);
}

__global__ void run_clock(const __grid_constant__ View v, Clock* clock, EventBuffer events) {
  if (over(*clock)) return;
  if (threadIdx.x < kRingClasses) merge_retired_rings(v.pool, threadIdx.x);
  __syncthreads();
  if (threadIdx.x != 0) return;
  clock->tick = next_tick(clock->tick, clock->next_ps, clock->tick_ps, clock->until);
  clock->tick.to = tick_end(clock->tick.from, clock->tick_ps, clock->until);
  clock->next_ps = kNever;
  ++clock->ticks;
  if (*v.pool.exhausted != 0 || v.failure->kind == kFailureNew || *events.count > clock->events_high_water)
    clock->stop = 1;
}

class GpuBackend : public Backend {
 public:
  GpuBackend(Model& model, const EngineOptions& options, TimePs tick_ps) : model_(model) {
    pick_device();
    copy_arrays(options);
    make_teams(tick_ps);
    const u32 endpoint_blocks = (view_.endpoints + kEndpointThreads - 1) / kEndpointThreads;
    tallies_ = small_.count + big_.count + endpoint_blocks;
    tally_memory_ = DeviceMemory(tallies_ * sizeof(Tally));
    cuda_check(cudaMemset(tally_memory_.get(), 0, tallies_ * sizeof(Tally)), "clearing the sums");
    clock_memory_ = DeviceMemory(sizeof(Clock));
    events_.capacity = options.recorded_kinds == 0 && !options.trace ? 1024 : event_capacity();
    event_memory_ = DeviceMemory(events_.capacity * sizeof(Event));
    count_memory_ = DeviceMemory(sizeof(u64));
    cuda_check(cudaMemset(count_memory_.get(), 0, sizeof(u64)), "clearing the event count");
    events_.events = event_memory_.get<Event>();
    events_.count = count_memory_.get<u64>();
    capture(endpoint_blocks);
  }
  ~GpuBackend() override {
    cudaGraphExecDestroy(graph_);
    for (cudaStream_t s : streams_) cudaStreamDestroy(s);
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
      cuda_check(cudaGraphLaunch(graph_, streams_[0]), "launching ticks");
      clock = get_clock();
      if (clock.stop != 0 && !fetch_failure()) {  // the event buffer is filling up: empty it and go on
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

  void fetch(bool everything) override {
    fetch_failure();
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const ArrayInfo& array = model_.arrays.list()[i];
      const bool pool = is_pool(array);
      if (array.kind == StateKind::plan || array.kind == StateKind::free_list) continue;
      if (array.kind != StateKind::dense && !everything) continue;
      const u64 used =
          std::min(*model_.view.pool.top, view_.pool.capacity);  // the top runs on when the pool is exhausted
      const u64 bytes = pool ? used * pool_entry_bytes(array) : array.bytes;
      cuda_check(cudaMemcpy(array.memory, memory_[i].get(), bytes, cudaMemcpyDeviceToHost), array.name.c_str());
    }
  }

  u64 state_digest(const Tick& tick) override {
    if (!view_memory_.get()) view_memory_ = DeviceMemory(sizeof(View));
    const View* view = view_memory_.get<View>();
    cuda_check(cudaMemcpy(view_memory_.get(), &view_, sizeof(View), cudaMemcpyHostToDevice), "copying the view");
    return sum_over(thrust::device, view_.links, LinkDigest{view, tick.parity, tick.from}) +
           sum_over(thrust::device, view_.endpoints, EndpointDigest{view, tick.from});
  }

  void acknowledge_failure() override {
    model_.view.failure->kind = kFailureSeen;
    cuda_check(cudaMemcpy(view_.failure, model_.view.failure, sizeof(Failure), cudaMemcpyHostToDevice),
               "acknowledging a failure");
  }

  Tally tally() override {
    std::vector<Tally> parts(tallies_);
    cuda_check(cudaMemcpy(parts.data(), tally_memory_.get(), tallies_ * sizeof(Tally), cudaMemcpyDeviceToHost),
               "reading the sums");
    Tally sum;
    for (const Tally& part : parts) add_tally(sum, part);
    return sum;
  }

  void take_events(std::vector<Event>& out) override {
    out.insert(out.end(), host_events_.begin(), host_events_.end());
    host_events_.clear();
  }

 private:
  static void pick_device() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
      throw std::invalid_argument("device: no GPU was found on this machine; use --device cpu");
    }
    cuda_check(cudaSetDevice(0), "choosing device 0");
  }

  static bool is_pool(const ArrayInfo& array) { return array.kind == StateKind::queued; }
  u64 pool_entry_bytes(const ArrayInfo& array) const { return array.bytes / model_.view.pool.capacity; }

  /// Every array of the list goes to the device; the View's pointers follow it.
  void copy_arrays(const EngineOptions& options) {
    view_ = model_.view;
    std::size_t free_bytes = 0, total_bytes = 0;
    cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes), "asking for free memory");
    const u64 budget = options.memory_limit_bytes != 0 ? options.memory_limit_bytes : free_bytes / 2;
    view_.pool.capacity = std::min<u64>(model_.view.pool.capacity, budget / (sizeof(Packet) + sizeof(TimePs)));
    for (const ArrayInfo& array : model_.arrays.list()) {
      const bool pool = is_pool(array);
      const u64 bytes = pool ? view_.pool.capacity * pool_entry_bytes(array) : array.bytes;
      memory_.emplace_back(bytes);
      void* device = memory_.back().get();
      if (pool || array.kind == StateKind::free_list) {
        cuda_check(cudaMemset(device, 0, bytes), array.name.c_str());
      } else {
        cuda_check(cudaMemcpy(device, array.memory, bytes, cudaMemcpyHostToDevice), array.name.c_str());
      }
      std::memcpy(reinterpret_cast<char*>(&view_) + array.view_offset, &device, sizeof(device));
    }
  }

  /// Whole consecutive switches, packed so that most lanes have a port.
  void make_teams(TimePs tick_ps) {
    const View& host = model_.view;
    std::vector<Run> small, big;
    for (u32 n = 0; n < host.switches;) {
      const auto ports_to = [&](u32 end) { return host.first_link[end] - host.first_link[n]; };
      u32 end = n + 1;
      const bool fits = ports_to(end) <= kSmallTeamPorts;
      while (fits && end < host.switches && ports_to(end + 1) <= kSmallTeamPorts) ++end;
      (fits ? small : big).push_back({n, end});
      n = end;
    }
    small_ = make_launch(small, tick_ps, small_runs_, small_slab_);
    big_ = make_launch(big, tick_ps, big_runs_, big_slab_);
  }

  Teams make_launch(const std::vector<Run>& runs, TimePs tick_ps, DeviceMemory& run_memory, DeviceMemory& slab) {
    const View& host = model_.view;
    const Settings& s = host.settings;
    Teams teams;
    teams.count = static_cast<u32>(runs.size());
    if (runs.empty()) return teams;
    for (const Run& run : runs)
      teams.ports = std::max(teams.ports, host.first_link[run.end] - host.first_link[run.first]);
    teams.bins = static_cast<u32>(tick_ps >> s.slot_log2) + 2;
    teams.packets = std::max(1024u, teams.ports * 10);
    teams.scratch_bytes = SwitchScratch::bytes(teams.ports, s.classes, s.pfc_classes, teams.bins, teams.packets) + 64;
    teams.scratch_bytes = (teams.scratch_bytes + 15) / 16 * 16;
    run_memory = DeviceMemory(runs.size() * sizeof(Run));
    cuda_check(cudaMemcpy(run_memory.get(), runs.data(), runs.size() * sizeof(Run), cudaMemcpyHostToDevice),
               "copying the teams");
    teams.runs = run_memory.get<Run>();
    if (teams.scratch_bytes > kSharedBytes) {
      slab = DeviceMemory(teams.scratch_bytes * runs.size());
      teams.slab = slab.get<char>();
    }
    return teams;
  }

  /// Twice what PFC can cause in one tick: the buffer is emptied when it is half full, so nothing recorded is lost.
  /// (When departures are recorded too, a tick may cause more; that ends the run with an error.)
  u64 event_capacity() const { return std::max<u64>(u64{1} << 22, u64{model_.view.links} * 64); }

  /// kTicksPerGraph ticks as one graph.
  void capture(u32 endpoint_blocks) {
    for (cudaStream_t& s : streams_)
      cuda_check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "creating a stream");
    cuda_check(cudaFuncSetAttribute(run_switches, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes),
               "shared memory");
    cudaEvent_t fork, join[2];
    cuda_check(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming), "creating an event");
    for (cudaEvent_t& e : join) cuda_check(cudaEventCreateWithFlags(&e, cudaEventDisableTiming), "creating an event");
    Clock* clock = clock_memory_.get<Clock>();
    Tally* tallies = tally_memory_.get<Tally>();
    cudaGraph_t graph;
    cuda_check(cudaStreamBeginCapture(streams_[0], cudaStreamCaptureModeThreadLocal), "capturing ticks");
    for (u32 i = 0; i < kTicksPerGraph; ++i) {
      cuda_check(cudaEventRecord(fork, streams_[0]), "recording");
      for (u32 s : {1u, 2u}) cuda_check(cudaStreamWaitEvent(streams_[s], fork, 0), "waiting");
      launch_switches(small_, kSmallThreads, streams_[0], clock, tallies);
      launch_switches(big_, kBigThreads, streams_[1], clock, tallies + small_.count);
      run_endpoints<<<endpoint_blocks, kEndpointThreads, 0, streams_[2]>>>(
          view_, clock, tallies + small_.count + big_.count, events_);
      for (u32 s : {1u, 2u}) {
        cuda_check(cudaEventRecord(join[s - 1], streams_[s]), "recording");
        cuda_check(cudaStreamWaitEvent(streams_[0], join[s - 1], 0), "waiting");
      }
      run_clock<<<1, 32, 0, streams_[0]>>>(view_, clock, events_);
    }
    cuda_check(cudaStreamEndCapture(streams_[0], &graph), "capturing ticks");
    cuda_check(cudaGraphInstantiate(&graph_, graph, 0), "building the graph of ticks");
    cudaGraphDestroy(graph);
    cudaEventDestroy(fork);
    for (cudaEvent_t& e : join) cudaEventDestroy(e);
  }

  void launch_switches(const Teams& teams, u32 threads, cudaStream_t stream, Clock* clock, Tally* tallies) {
    if (teams.count == 0) return;
    const std::size_t shared = teams.slab == nullptr ? teams.scratch_bytes : 0;
    run_switches<<<teams.count, threads, shared, stream>>>(view_, teams, clock, tallies, events_);
  }

  void put_clock(const Clock& clock) {
    cuda_check(cudaMemcpy(clock_memory_.get(), &clock, sizeof(Clock), cudaMemcpyHostToDevice), "setting the clock");
  }

  Clock get_clock() {
    Clock clock;
    cuda_check(cudaStreamSynchronize(streams_[0]), "simulating");
    cuda_check(cudaMemcpy(&clock, clock_memory_.get(), sizeof(Clock), cudaMemcpyDeviceToHost), "reading the clock");
    return clock;
  }

  /// Whether the run has failed on the device; the host's copies of the flags follow.
  bool fetch_failure() {
    const View& host = model_.view;
    cuda_check(cudaMemcpy(host.failure, view_.failure, sizeof(Failure), cudaMemcpyDeviceToHost),
               "reading the failure flag");
    cuda_check(cudaMemcpy(host.pool.exhausted, view_.pool.exhausted, sizeof(u32), cudaMemcpyDeviceToHost),
               "reading the pool flag");
    cuda_check(cudaMemcpy(host.pool.top, view_.pool.top, sizeof(u64), cudaMemcpyDeviceToHost),
               "reading the pool's fill");
    return host.failure->kind == kFailureNew || *host.pool.exhausted != 0;
  }

  void drain_events() {
    u64 count = 0;
    cuda_check(cudaMemcpy(&count, events_.count, sizeof(count), cudaMemcpyDeviceToHost), "reading the event count");
    if (count > events_.capacity) {
      throw std::runtime_error("gpu: more events in one tick than the event buffer holds; record fewer kinds of event");
    }
    const std::size_t before = host_events_.size();
    host_events_.resize(before + count);
    cuda_check(cudaMemcpy(host_events_.data() + before, events_.events, count * sizeof(Event), cudaMemcpyDeviceToHost),
               "reading events");
    cuda_check(cudaMemset(events_.count, 0, sizeof(u64)), "clearing the event count");
  }

  Model& model_;
  View view_;
  std::vector<DeviceMemory> memory_;
  Teams small_, big_;
  DeviceMemory small_runs_, big_runs_, small_slab_, big_slab_;
  DeviceMemory view_memory_, tally_memory_, clock_memory_, event_memory_, count_memory_;
  EventBuffer events_;
  std::vector<Event> host_events_;
  u32 tallies_ = 0;
  cudaStream_t streams_[3] = {};
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace

std::unique_ptr<Backend> make_gpu_backend(Model& model, const EngineOptions& options, TimePs tick_ps) {
  if (options.shuffled) throw std::invalid_argument("device: the shuffled team is a test of the CPU backend");
  return std::make_unique<GpuBackend>(model, options, tick_ps);
}

}  // namespace heddle
