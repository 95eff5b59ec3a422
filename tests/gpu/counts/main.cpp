// heddle_gpu_counts: what the kernels of the GPU backend do in some ticks of a case, counted on the emulated GPU.
//
//   heddle_gpu_counts CASE --from-us US --ticks N [--weights FILE] > TABLE
//
// The CPU takes the case to its instant, so that long warm-ups take seconds; the emulated GPU goes on from there, and
// begins to count some ticks later: where a run goes on, everything is due once, and queues grow anew for some time.
// table.py reads the table. FILE: a line for each basic block, its place in the program and how many instructions it
// is.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <fstream>

#include "host/scenario/build.hpp"
#include "kernels/backends/gpu/launch_parameters.hpp"
#include "kernels/engine/engine.hpp"
#include "tests/bench/cases.hpp"
#include "tests/gpu/counts/counter.hpp"
#include "tests/gpu/cuda_on_cpu/cuda_runtime.h"

extern "C" const char __executable_start;

namespace heddle {
namespace {

using cuda_on_cpu::counts::Counter, cuda_on_cpu::counts::counter_of_device;

bench::Case find_case(const std::string& name) {
  for (const bench::Case& c : bench::all_cases()) {
    if (c.name == name) return c;
  }
  throw std::invalid_argument(
      fmt::format("heddle_gpu_counts: no case is called \"{}\"; see tests/bench/README.md", name));
}

void read_weights(const std::string& file, Counter& counter) {
  std::ifstream in(file);
  if (!in) throw std::invalid_argument("heddle_gpu_counts: cannot read " + file);
  u32 place = 0;
  float instructions = 0;
  while (in >> std::hex >> place >> std::dec >> instructions) counter.instructions.emplace_back(place, instructions);
  std::ranges::sort(counter.instructions);
}

std::string numbers_of(const std::array<std::uint64_t, 3>& x) { return fmt::format("{}\t{}\t{}", x[0], x[1], x[2]); }

void print(const Counter& counter, u64 ticks, u64 hops) {
  fmt::print("compiler\t{}\nticks\t{}\nhops\t{}\n", __VERSION__, ticks, hops);
  const auto offset_of = [](const void* x) { return static_cast<const char*>(x) - &__executable_start; };
  for (std::size_t k = 0; k < counter.kernels().size(); ++k) {
    const Counter::Kernel& kernel = counter.kernels()[k];
    fmt::print("kernel\t{}\t{:x}\t{}\t{}\t{}\t{}\t{}\n", k, offset_of(kernel.function), kernel.stream, kernel.threads,
               kernel.shared_bytes, kernel.launches, kernel.blocks);
  }
  for (std::size_t k = 0; k < counter.done().size(); ++k) {
    for (std::size_t p = 0; p < counter.done()[k].size(); ++p) {
      const auto& place = counter.places()[p];
      const auto& done = counter.done()[k][p];
      if (done.warps == 0) continue;
      fmt::print("{}\t{}\t{:x}\t{}\t{}\t{:.0f}\t{:.0f}", place.is_access ? "access" : "block", k, place.offset,
                 done.warps, done.lanes, done.critical[0], done.critical[1]);
      if (place.is_access)
        fmt::print("\t{}\t{}\t{}", numbers_of(done.sectors), numbers_of(done.of_block), numbers_of(done.of_tick));
      fmt::print("\n");
    }
  }
  for (const auto& chain : counter.chains())
    fmt::print("chain\t{}\t{}\t{}\t{:.0f}\t{:.0f}\t{:.0f}\n", chain.kernel, chain.block, chain.barriers,
               chain.instructions, chain.cycles[0], chain.cycles[1]);
}

int run(int argc, char** argv) {
  CLI::App app("What the kernels of the GPU backend do in some ticks of a case of heddle-bench.");
  std::string name, weights;
  double from_us = 0;
  u32 ticks = 4, settling_ticks = 32;
  std::vector<double> latencies;
  app.add_option("case", name, "as heddle-bench calls it")->required();
  app.add_option("--from-us", from_us, "when counting begins")->required();
  app.add_option("--ticks", ticks, "how many are counted");
  app.add_option("--settling-ticks", settling_ticks, "how many the GPU runs before that");
  app.add_option("--weights", weights, "instructions of each basic block");
  app.add_option("--latencies", latencies, "two sets of cycles: instruction, shared, hit, miss, barrier")
      ->expected(10)
      ->delimiter(',');
  CLI11_PARSE(app, argc, argv);

  const bench::Case c = find_case(name);
  const World world = build_world(load_config_text(c.toml, c.name));
  const TimePs tick_ps = 655'360;  // of every case of heddle-bench
  const TimePs from = static_cast<TimePs>(std::llround(from_us * 1e6)) / tick_ps * tick_ps;
  EngineOptions options;
  options.device = Device::gpu;
  options.memory_limit_bytes = u64{16} << 30;  // of addresses; what is used costs memory
  setenv(kLaunchVariable, "graph_ticks=1", 1);
  Engine gpu(world, options);
  {
    Engine cpu(world, {});
    cpu.advance(from);
    cpu.save([&](std::span<const u64> records) { gpu.load(records); });
    gpu.go_on_at(cpu.now_ps());
  }
  const TimePs begin = from + settling_ticks * tick_ps;
  gpu.advance(begin);
  Counter& counter = counter_of_device();
  if (!weights.empty()) read_weights(weights, counter);
  if (!latencies.empty()) {
    for (u32 i = 0; i < 2; ++i) {
      const double* const x = &latencies[i * 5];
      counter.latencies[i] = {x[0], x[1], x[2], x[3], x[4], i == 0};
    }
  }
  const u64 hops = gpu.totals().packet_hops, before = gpu.ticks();
  counter.counting = true;
  gpu.advance(begin + ticks * tick_ps);
  counter.counting = false;
  print(counter, gpu.ticks() - before, gpu.totals().packet_hops - hops);
  return 0;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) {
  cuda_on_cpu::machine().multiprocessors = 132;  // as machine.py has them: launches go by it
  try {
    return heddle::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
