#!/usr/bin/env bash
# Heddle from a clean clone: ./bootstrap.sh run, ./bootstrap.sh test. Works on a fresh Debian 12 as root or with sudo.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# What building, running and reading results takes.
packages=(
  g++ cmake ninja-build ccache git ca-certificates
  libtomlplusplus-dev libcli11-dev libspdlog-dev libfmt-dev nlohmann-json3-dev
  libhdf5-openmpi-dev libopenmpi-dev libthrust-dev
  libgtest-dev libbenchmark-dev
  hdf5-tools python3 python3-h5py python3-pandas python3-xarray
)
# What only those who change the code need: ./bootstrap.sh deps dev
dev_packages=(clang-format clang-tidy)

usage() {
  cat <<'TEXT'
Usage: ./bootstrap.sh STEP [PRESET]

  run              install what is missing, build, and run the first study: one AI Zone of 512 GPUs, an all-reduce sweep
                   (configs/zone_quickstart.toml -> results/zone_quickstart.h5)
  test [PRESET]    install what is missing, build, run the tests; the last line counts passed and failed
  deps [dev]       install the Debian packages that are missing (dev: clang-format and clang-tidy too)
  build [PRESET]   configure and build in build/PRESET; the program is build/PRESET/bin/heddle
  format [check]   lay out all C++ and CUDA files by .clang-format (check: only say which files differ)
  help             this text

PRESET: cpu (default), cuda (GPU backend too; needs nvcc), debug (ASan, UBSan, invariant checker), tsan, tidy.
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
    cpu | cuda | debug | tsan | tidy) ;;
    *) fail "there is no preset '$1', so nothing can be built for it. Presets: cpu cuda debug tsan tidy" ;;
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
    dev) wanted+=("${dev_packages[@]}") ;;
    *) fail "deps takes nothing or 'dev', not '$1'" ;;
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
  local preset="${1:-cpu}" target="${2:-all}"
  check_preset "$preset"
  say "build: preset $preset in build/$preset, $jobs jobs"
  cmake --preset "$preset"
  cmake --build --preset "$preset" --parallel "$jobs" --target "$target"
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
  step_build "$preset"
  local log="build/$preset/ctest.log"
  say "test: preset $preset"
  ctest --preset "$preset" --parallel "$jobs" 2>&1 | tee "$log" || status=$?
  count_tests "$log"
  return "$status"
}

step_format() {
  command -v clang-format >/dev/null || fail "clang-format is not installed; ./bootstrap.sh deps dev installs it"
  local files
  mapfile -t files < <(find kernels partition io host tests -type f \
    \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) | sort)
  case "${1:-}" in
    "") clang-format -i "${files[@]}" ;;
    check) clang-format --dry-run --Werror "${files[@]}" ||
      fail "the files named above are not laid out by .clang-format; ./bootstrap.sh format does it" ;;
    *) fail "format takes nothing or 'check', not '$1'" ;;
  esac
  say "format: ${#files[@]} files"
}

step="${1:-help}"
(($# > 0)) && shift
case "$step" in
  run | test | deps | build | format) "step_$step" "$@" ;;
  help | -h | --help) usage ;;
  *)
    usage >&2
    fail "there is no step '$step'"
    ;;
esac
