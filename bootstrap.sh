#!/usr/bin/env bash
# Heddle from a clean clone: ./bootstrap.sh run, ./bootstrap.sh test. Works on a fresh Debian 12 as root or with sudo.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# What building, running and reading results takes.
packages=(
  g++ cmake ninja-build ccache git ca-certificates
  libtomlplusplus-dev libcli11-dev libfmt-dev nlohmann-json3-dev
  libhdf5-openmpi-dev libopenmpi-dev openmpi-bin libthrust-dev libmetis-dev
  libgtest-dev libbenchmark-dev
  libprotobuf-dev protobuf-compiler
  hdf5-tools python3 python3-venv python3-h5py python3-pandas python3-xarray python3-h5netcdf python3-tomli-w
  python3-matplotlib python3-jinja2 python3-scipy
)
# What only the tests need: a Slurm, of which they start one with a configuration of their own (without /etc/slurm/slurm.conf
# the packages start none), and a browser that opens reports.
test_packages=(slurm-wlm munge chromium)
# What only those who change the code need: ./bootstrap.sh deps dev
dev_packages=(clang-format clang-tidy clang libclang-rt-14-dev black)

usage() {
  cat <<'TEXT'
Usage: ./bootstrap.sh STEP [PRESET]

  run              install what is missing, build, and run the first study: one AI Zone of 512 GPUs, an all-reduce sweep
                   (configs/zone_quickstart.toml -> results/zone_quickstart.h5)
  test [PRESET]    install what is missing, build, run the tests; the last line counts passed and failed
  deps [test|dev]  install the Debian packages that are missing (test: Slurm and Chromium too; dev: clang-format, clang-tidy, clang and black too)
  build [PRESET]   configure and build in build/PRESET; the program is build/PRESET/bin/heddle
  fuzz [SECONDS [SEED]]
                   build the fuzz targets with clang and run them for SECONDS in all (default 60), with SEED or another
                   every time; fails with the path of the input that broke one. tests/fuzz/README.md
  mutation [...]   make deliberate faults in a copy of the engine, one at a time; fails when no test notices one. Takes half
                   an hour to an hour; options as --only NAME go to tests/mutation/mutation.py. tests/mutation/README.md
  docs             build the documentation as a site, from all documents and the parameters: build/docs/site/index.html
                   (mkdocs-material from PyPI, in a venv of its own)
  format [check]   lay out all C++ and CUDA files by .clang-format, and Python with black (check: only say which differ)
  help             this text

PRESET: cpu (default), cuda (GPU backend too; needs nvcc), debug (ASan, UBSan, invariant checker), tsan, tidy, fuzz.
CMAKE_BUILD_PARALLEL_LEVEL limits the parallel jobs (default: one per core).
TEXT
}

say() { printf '== %s\n' "$*"; }

fail() {
  printf 'bootstrap.sh: %s\n' "$*" >&2
  exit 1
}

jobs="${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"
# Clones in different folders share what ccache holds.
export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$PWD}" CCACHE_NOHASHDIR=1

check_preset() {
  case "$1" in
    cpu | cuda | debug | tsan | tidy | fuzz) ;;
    *) fail "there is no preset '$1', so nothing can be built for it. Presets: cpu cuda debug tsan tidy fuzz" ;;
  esac
}

missing_packages() {
  local package
  for package in "$@"; do
    [[ "$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null)" == "install ok installed" ]] || printf '%s\n' "$package"
  done
}

step_deps() {
  local wanted=("${packages[@]}")
  case "${1:-}" in
    "") ;;
    test) wanted+=("${test_packages[@]}") ;;
    dev) wanted+=("${dev_packages[@]}") ;;
    *) fail "deps takes nothing, 'test' or 'dev', not '$1'" ;;
  esac
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    fail "this is no Debian-like system, so the packages cannot be installed from here. Install what these Debian" \
      "packages hold by other means, then use ./bootstrap.sh build: ${wanted[*]}"
  fi
  local missing
  mapfile -t missing < <(missing_packages "${wanted[@]}")
  if ((${#missing[@]} == 0)); then
    say "deps: all ${#wanted[@]} packages are installed"
    return
  fi
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "packages are missing and only root can install them; as root, run:" \
      "apt-get update && apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "deps: installing ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q ||
    fail "apt-get update failed (above), so the packages cannot be fetched. Check the network and the apt sources."
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" ||
    fail "apt-get install failed (above). Heddle needs these packages: ${missing[*]}"
}

step_build() {
  local preset="${1:-cpu}" target="${2:-}"
  check_preset "$preset"
  [[ "$preset" != debug && "$preset" != fuzz ]] || command -v clang++ >/dev/null ||
    fail "clang is not installed, and the preset $preset needs it; ./bootstrap.sh deps dev installs it"
  say "build: preset $preset in build/$preset, $jobs jobs"
  cmake --preset "$preset"
  cmake --build --preset "$preset" --parallel "$jobs" ${target:+--target "$target"}
}

step_run() {
  (($# == 0)) || fail "run takes no arguments; run other configurations with build/cpu/bin/heddle run CONFIG.toml"
  step_deps
  step_build cpu heddle
  mkdir -p results
  say "run: configs/zone_quickstart.toml"
  build/cpu/bin/heddle run configs/zone_quickstart.toml -o results/zone_quickstart.h5 --force
}

# Prints "N passed, N failed" from ctest's own summary; whatever kept ctest from a summary counts as one failure.
count_tests() {
  awk '/tests passed, .* tests failed out of/ { failed = $4; total = $NF }
       END { if (total == "") { failed = 1; total = 1 } printf "%d passed, %d failed\n", total - failed, failed }' "$1"
}

step_test() {
  local preset="${1:-cpu}" status=0
  check_preset "$preset"
  step_deps
  (step_deps test) || say "test: Slurm or Chromium cannot be installed (above), so tests that need them will be SKIPPED"
  step_build "$preset"
  local log="build/$preset/ctest.log"
  say "test: preset $preset"
  ctest --preset "$preset" --parallel "$jobs" 2>&1 | tee "$log" || status=$?
  count_tests "$log"
  return "$status"
}

# One target for some seconds, on the inputs kept in git and those that earlier runs found in this clone.
fuzz_target() {
  local name="$1" seconds="$2" seed="$3" home="$PWD/build/fuzz" options=() status=0
  mkdir -p "$home/corpus/$name" "$home/findings"
  [[ -f "tests/fuzz/$name.dict" ]] && options+=("-dict=tests/fuzz/$name.dict")
  "$home/bin/heddle_fuzz_$name" "${options[@]}" -seed="$seed" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="$home/findings/$name-" "$home/corpus/$name" "tests/fuzz/corpus/$name" \
    >"$home/$name.log" 2>&1 || status=$?
  if ((status != 0)); then
    tail -n 40 "$home/$name.log"
    printf 'fuzz: %s FAILED; the input is the file named after "Test unit written to" above (all of it: %s)\n' \
      "$name" "$home/$name.log"
    return 1
  fi
  printf 'fuzz: %-14s %9d inputs in %d s, nothing found\n' "$name" \
    "$(sed -nE 's/^stat::number_of_executed_units: *//p' "$home/$name.log")" "$seconds"
}

step_fuzz() {
  local seconds="${1:-60}" seed="${2:-0}"  # libFuzzer takes another one itself for 0
  [[ "$seconds" =~ ^[1-9][0-9]*$ ]] || fail "fuzz takes a number of seconds, not '$seconds'"
  [[ "$seed" =~ ^[0-9]{1,9}$ ]] || fail "fuzz takes a number of at most 9 digits as its seed, not '$seed'"
  step_build fuzz
  local names
  mapfile -t names < <(cd tests/fuzz && printf '%s\n' *_fuzz.cpp | sed 's/_fuzz\.cpp$//')
  local share=$((seconds * jobs / ${#names[@]}))
  ((share > 0)) || share=1
  say "fuzz: ${#names[@]} targets, $share s each, $jobs at a time"
  export -f fuzz_target
  printf '%s\n' "${names[@]}" | xargs -P "$jobs" -I{} bash -c 'fuzz_target {} '"$share $seed" ||
    fail "a fuzz target failed (above). To see it again: build/fuzz/bin/heddle_fuzz_NAME FILE"
}

step_mutation() {
  step_deps
  python3 tests/mutation/mutation.py --jobs "$jobs" "$@"
}

step_docs() {
  (($# == 0)) || fail "docs takes no arguments"
  step_deps
  local program="${HEDDLE:-build/cpu/bin/heddle}"  # says what its parameters are
  [[ -x "$program" ]] || step_build cpu heddle
  say "docs: build/docs/site"
  PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 io/python/docs/build_site.py --program "$program" build/docs
  say "docs: open it in a browser; to search it, too: python3 -m http.server --directory build/docs/site"
}

step_format() {
  local tool files scripts
  for tool in clang-format black; do
    command -v "$tool" >/dev/null || fail "$tool is not installed; ./bootstrap.sh deps dev installs it"
  done
  local black=(black --line-length 132 --target-version py311)
  mapfile -t files < <(find kernels partition io host tests -type f \
    \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) | sort)
  mapfile -t scripts < <(find io tests configs slurm -type f -name '*.py' -not -path '*/build/*' | sort)
  case "${1:-}" in
    "")
      clang-format -i "${files[@]}"
      "${black[@]}" --quiet "${scripts[@]}"
      ;;
    check)
      clang-format --dry-run --Werror "${files[@]}" ||
        fail "the files named above are not laid out by .clang-format; ./bootstrap.sh format does it"
      "${black[@]}" --check "${scripts[@]}" ||
        fail "the Python files named above are not laid out by black; ./bootstrap.sh format does it"
      ;;
    *) fail "format takes nothing or 'check', not '$1'" ;;
  esac
  say "format: ${#files[@]} files of C++ and CUDA, ${#scripts[@]} of Python"
}

step="${1:-help}"
(($# > 0)) && shift
case "$step" in
  run | test | deps | build | fuzz | mutation | docs | format) "step_$step" "$@" ;;
  help | -h | --help) usage ;;
  *)
    usage >&2
    fail "there is no step '$step'"
    ;;
esac
