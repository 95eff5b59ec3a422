#!/usr/bin/env bash
# What a GPU is asked, in steps of at most 8 minutes. A step says what it runs, writes it into a folder, and fails when a
# program fails, bits differ, or there is no GPU. tests/bench/PERFORMANCE.md says what is expected.
# shellcheck disable=SC2317  # steps are called by their names
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

usage() {
  cat <<'TEXT'
Usage: tests/gpu/measure.sh STEP [--out FOLDER] [--build FOLDER] [--variant NAME=PROGRAM]...

  correct      self-test, random worlds against the oracle, acceptance worlds, digests of benchmarks on GPU and CPU
  sanitizer    compute-sanitizer: memcheck, racecheck, synccheck, initcheck, under random worlds
  bench        all cases of heddle-bench on the GPU, and on all cores; their digests must be the same
  profile      time of each kernel; counters of ncu, where it is installed and allowed
  parameters   heddle-bench --autotune of three cases: threads, ports per team, ticks per graph
  switches     four cases with switches as a whole (phases=0), in phases and by ports; time of each kernel, counters of ncu
  variants     three cases with heddle-bench of this build and with each --variant; their digests must be the same
  whole        heddle run configs/meta_24k.toml on the GPU, with and without its series, and on the CPU

  --out FOLDER     what was measured goes into FOLDER/STEP; default: the environment variable OUT
  --build FOLDER   of the preset cuda, with the targets all and heddle-bench; default: build/cuda
  --variant N=P    for step variants: a heddle-bench of other code, P, and what to call it

Exit code: 0 passed, 1 failed (no GPU, too): see FOLDER/STEP/summary.txt; 2 wrong arguments.
TEXT
}

refuse() {  # MESSAGE
  printf 'measure.sh: %s; see tests/gpu/measure.sh --help\n' "$1" >&2
  exit 2
}

limit_s=480
names="correct sanitizer bench profile parameters switches variants whole"
step="" out="${OUT:-}" build="$root/build/cuda" variants=()
while (($# > 0)); do
  case "$1" in
    -h | --help) usage && exit 0 ;;
    --out | --build | --variant)
      [[ -n "${2:-}" ]] || refuse "$1 needs a value behind it"
      case "$1" in --out) out="$2" ;; --build) build="$2" ;; --variant) variants+=("$2") ;; esac
      shift
      ;;
    -*) refuse "'$1' is no option" ;;
    *)
      [[ -z "$step" ]] || refuse "'$1' is a second step, but one call does one (each has $limit_s s)"
      step="$1"
      ;;
  esac
  shift
done
[[ -n "$step" ]] || refuse "which step? One of: $names"
[[ " $names " == *" $step "* ]] || refuse "there is no step '$step'; steps: $names"
[[ -n "$out" ]] || refuse "where to? Give --out FOLDER, or set OUT"
[[ "$step" == variants || ${#variants[@]} -eq 0 ]] || refuse "--variant is for step variants, not for $step"
[[ "$step" != variants || ${#variants[@]} -gt 0 ]] || refuse "give one or more --variant NAME=PROGRAM, with which step variants compares this build"
for variant in "${variants[@]}"; do
  [[ "$variant" =~ ^[A-Za-z0-9_.-]+=.+ && "$variant" != this=* && -x "${variant#*=}" ]] ||
    refuse "--variant $variant is no NAME=PROGRAM with a program that can be run (names have letters, digits, '.', '_', '-', and are not 'this')"
done
bin="$build/bin"
for program in heddle heddle-bench heddle_test_gpu heddle_test_acceptance; do
  [[ -x "$bin/$program" ]] ||
    refuse "there is no program $bin/$program; build it: ./bootstrap.sh build cuda && ./bootstrap.sh build cuda heddle-bench"
done
folder="$out/$step"
mkdir -p "$folder" || refuse "cannot make the folder $folder"
summary="$folder/summary.txt"
: >"$summary" || refuse "cannot write $summary"
export CUDA_MODULE_LOADING=EAGER  # kernels are loaded at the start, not while they are timed
cd "$root" || exit 1
wrong=0

say() { printf '%s\n' "$*" | tee -a "$summary"; }

wrong() {  # MESSAGE
  say "  WRONG: $1"
  wrong=$((wrong + 1))
}

# Its output goes to FOLDER/STEP/NAME.log; the last lines of what fails are shown.
run() {  # NAME SECONDS COMMAND...
  local name="$1" seconds="$2" status=0 start=$SECONDS
  shift 2
  ((seconds < limit_s - SECONDS)) || seconds=$((limit_s - SECONDS))
  say "== $name (at most $seconds s): $*"
  if ((seconds <= 0)); then
    wrong "the $limit_s s of this step are over: not run"
    return 1
  fi
  timeout --kill-after=5 "$seconds" "$@" >"$folder/$name.log" 2>&1 || status=$?
  if ((status == 0)); then
    say "  done after $((SECONDS - start)) s"
    return
  fi
  tail -n 15 "$folder/$name.log" | sed 's/^/  | /' | tee -a "$summary"
  local how="ended with exit code $status"
  ((status != 124 && status != 137)) || how="was stopped after $seconds s"
  wrong "$name $how"
  return 1
}

# A test that was skipped has shown nothing.
nothing_skipped() {  # NAME
  grep -q '\[  PASSED  \] [1-9]' "$folder/$1.log" || wrong "$1 has passed no test"
  ! grep -q 'SKIPPED' "$folder/$1.log" || wrong "$1 has skipped tests, which shows nothing about a GPU"
}

show() { sed 's/^/  | /' "$folder/$1.log" | tee -a "$summary"; }  # NAME

digests() { sed -nE 's/^([^ ]+) .* ([0-9a-f]{16}) +([0-9a-f]{16})$/\1 \2 \3/p' "$folder/$1.log" | sort; }  # NAME

# Cases that stand in both logs of heddle-bench --digest have the same bits in both, and there is at least one.
same_digests() {  # NAME NAME
  local both different
  both=$(join <(digests "$1") <(digests "$2"))
  if [[ -z "$both" ]]; then
    wrong "$1 and $2 have no case in common, so nothing was compared"
    return
  fi
  different=$(awk '$2 != $4 || $3 != $5 { print $1 }' <<<"$both")
  if [[ -n "$different" ]]; then
    wrong "other bits in $1 than in $2: ${different//$'\n'/ }"
  else
    say "  the same bits in $1 and $2: $(grep -c . <<<"$both") cases"
  fi
}

# Counters of kernels, where ncu is installed and may read them. ARGUMENTS: more options of ncu, then the program.
count_with_ncu() {  # NAME SECONDS ARGUMENTS...
  local ncu name="$1" seconds="$2"
  shift 2
  if ! ncu=$(command -v ncu || ls "${CUDA_HOME:-/usr/local/cuda}/bin/ncu" 2>/dev/null); then
    say "  ncu is not installed: there are times of kernels, but no counters"
    return 1
  fi
  run "$name" "$seconds" "$ncu" --clock-control none --graph-profiling node -k regex:run_ "$@" && return
  if grep -q ERR_NVGPUCTRPERM "$folder/$name.log"; then
    wrong=$((wrong - 1))
    say "  counters may not be read on this machine (ERR_NVGPUCTRPERM): there are times of kernels, but no counters"
  fi
  return 1
}

step_correct() {
  run selftest 60 "$bin/heddle" selftest --device gpu --worlds 52
  run worlds 180 env HEDDLE_GPU_WORLDS=25 "$bin/heddle_test_gpu" && nothing_skipped worlds
  run acceptance 60 "$bin/heddle_test_acceptance" --gtest_filter='DigestOnGpu*' && nothing_skipped acceptance
  local cases=(permutation-128 permutation-1024 ring-512 incast-1024)
  run digests_gpu 60 "$bin/heddle-bench" "${cases[@]}" --device gpu --digest --repeat 2 &&
    run digests_cpu 120 "$bin/heddle-bench" "${cases[@]}" --threads "$(nproc)" --digest --repeat 1 &&
    same_digests digests_gpu digests_cpu
}

step_sanitizer() {
  local sanitizer tool
  if ! sanitizer=$(command -v compute-sanitizer || ls "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer" 2>/dev/null); then
    wrong "compute-sanitizer is neither in PATH nor in \$CUDA_HOME/bin: nothing was looked for; it comes with the CUDA toolkit"
    return
  fi
  for tool in memcheck:140 racecheck:130 synccheck:100 initcheck:100; do
    run "${tool%:*}" "${tool#*:}" env HEDDLE_GPU_WORLDS=1 "$sanitizer" --tool "${tool%:*}" --error-exitcode 1 \
      "$bin/heddle_test_gpu" --gtest_filter='*/0' && nothing_skipped "${tool%:*}"
  done
}

step_bench() {
  run gpu 180 "$bin/heddle-bench" --device gpu --digest && show gpu
  run gpu_more 100 "$bin/heddle-bench" settled-24576-on ring-24576 --device gpu --digest --repeat 2 && show gpu_more
  run cpu 190 "$bin/heddle-bench" --threads "$(nproc)" --repeat 1 --digest && show cpu && same_digests gpu cpu
}

step_profile() {
  run kernels 150 "$bin/heddle-bench" settled-24576-on permutation-24576-on permutation-1024-on ring-512 --device gpu \
    --kernel-times --repeat 1 && show kernels
  local case_name
  for case_name in permutation-24576-on permutation-1024-on; do
    count_with_ncu "ncu_$case_name" 150 -s 300 -c 9 --set full -f -o "$folder/$case_name" "$bin/heddle-bench" "$case_name" \
      --device gpu --repeat 1 || return
  done
}

step_parameters() {
  run parameters_1024 110 "$bin/heddle-bench" permutation-1024-on --device gpu --autotune --repeat 2 && show parameters_1024
  run parameters_ring 110 "$bin/heddle-bench" ring-512 --device gpu --autotune --repeat 1 && show parameters_ring
  run parameters_24576 250 "$bin/heddle-bench" settled-24576-on --device gpu --autotune --repeat 1 && show parameters_24576
}

# The ways of plain switches, each with its prediction in PERFORMANCE.md.
step_switches() {
  local way name first="" cases=(settled-24576-on permutation-24576-on permutation-1024-on ring-512)
  for way in phases=0 phases=1 by_ports=1; do
    name="${way/=/_}"
    run "$name" 55 env HEDDLE_GPU_LAUNCH="$way" "$bin/heddle-bench" "${cases[@]}" --device gpu --digest --repeat 2 || continue
    show "$name"
    [[ -z "$first" ]] || same_digests "$first" "$name"
    first="${first:-$name}"
    run "kernels_$name" 50 env HEDDLE_GPU_LAUNCH="$way" "$bin/heddle-bench" settled-24576-on permutation-1024-on --device gpu \
      --kernel-times --repeat 1 && show "kernels_$name"
  done
  # Settled after 610 ticks of 7 kernels.
  HEDDLE_GPU_LAUNCH=by_ports=1 count_with_ncu counters 120 -s 4400 -c 14 \
    --metrics smsp__inst_executed.sum,smsp__issue_active.avg.pct_of_peak_sustained_active,sm__warps_active.avg.per_cycle_active,gpu__time_duration.sum \
    "$bin/heddle-bench" settled-24576-on --device gpu --repeat 1 && show counters
}

step_variants() {
  local variant name seconds=$(((limit_s - 30) / (${#variants[@]} + 1)))
  for variant in "this=$bin/heddle-bench" "${variants[@]}"; do
    name="${variant%%=*}"
    run "variant_$name" "$seconds" "${variant#*=}" settled-24576-on permutation-1024-on ring-512 --device gpu --digest || continue
    show "variant_$name"
    [[ "$name" == this ]] || same_digests variant_this "variant_$name"
  done
}

step_whole() {
  local name first="" digest
  local simulate=("$bin/heddle" run configs/meta_24k.toml --quiet --force)
  run plain 90 "${simulate[@]}" --device gpu --set 'output.series_interval="0 ps"' -o "$folder/plain.h5"
  run series 120 "${simulate[@]}" --device gpu -o "$folder/series.h5"
  run cpu 240 "${simulate[@]}" --device cpu --threads "$(nproc)" -o "$folder/cpu.h5"
  for name in plain series cpu; do
    digest=$("$bin/heddle" info --json "$folder/$name.h5" 2>/dev/null | sed -nE 's/.*"digest":"([0-9a-f]{16})".*/\1/p')
    say "  $name: digest ${digest:-none}; $(grep '^wall time' "$folder/$name.log")"
    [[ -n "$digest" ]] || wrong "$name has left no result"
    [[ "$digest" == "${first:=$digest}" ]] || wrong "the digest of $name is not that of the first"
    rm -f "$folder/$name.h5"
  done
}

say "step $step, $(date -u +%Y-%m-%dT%H:%MZ), $("$bin/heddle" --version 2>&1 | tail -n 1)"
! command -v nvidia-smi >/dev/null || run gpu_there 30 nvidia-smi
if run one_world 60 "$bin/heddle" selftest --device gpu --worlds 1; then
  "step_$step"
else
  wrong "there is no GPU that this build can use, or it computes other bits (above), so nothing was measured"
fi
((wrong == 0)) && say "measure.sh: $step PASSED after $SECONDS s; $folder" && exit 0
say "measure.sh: $step FAILED after $SECONDS s ($wrong wrong); $folder"
exit 1
