# What the run.sh of every study sources: its arguments, and what a study does. README.md here says how to use it.
#   run.sh HEDDLE [OUT_FOLDER] [--small]
# HEDDLE is the program. OUT_FOLDER takes one folder per sweep (results/STUDY, or results/STUDY_small).
set -euo pipefail

small=false
words=()
for word in "$@"; do
  case $word in
    --small) small=true ;;
    -*) echo "$0: there is no option $word; run.sh HEDDLE [OUT_FOLDER] [--small]" >&2; exit 2 ;;
    *) words+=("$word") ;;
  esac
done
if ((${#words[@]} < 1 || ${#words[@]} > 2)); then
  echo "usage: $0 HEDDLE [OUT_FOLDER] [--small], for example $0 build/cpu/bin/heddle" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
heddle=${words[0]}
out=${words[1]:-results/$(basename "$here")$($small && echo _small || true)}
if ! command -v "$heddle" >/dev/null; then
  echo "$0: there is no program $heddle; build it, or name another (build/cpu/bin/heddle)" >&2
  exit 2
fi
mkdir -p "$out"

# sweep NAME CONFIG [what heddle sweep takes]...: all its runs, in OUT_FOLDER/NAME. One that was begun resumes; one of another
# version of the study is refused. Standard output is left to the report.
sweep() {
  local folder=$out/$1 planned=$out/.$1 config=$here/$2
  shift 2
  rm -rf "$planned"
  "$heddle" sweep "$config" "$@" -o "$planned" >/dev/null
  if [[ -d $folder ]]; then
    local file
    for file in "$planned"/*; do
      if ! cmp -s "$file" "$folder/${file##*/}"; then
        rm -rf "$planned"
        echo "$folder/${file##*/}: of another version of the study; delete $folder, or name another OUT_FOLDER" >&2
        exit 2
      fi
    done
    rm -rf "$planned"
    echo "$folder is there: doing what it lacks" >&2
  else
    mv "$planned" "$folder"
  fi
  "$heddle" sweep "$folder" --run >&2
}

# step NAME CONFIG [what heddle step takes]...: a training step by its parts, in OUT_FOLDER/NAME. One that was begun resumes.
step() {
  local folder=$out/$1 config=$here/$2
  shift 2
  "$heddle" step "$config" "$@" -o "$folder" >&2
}

# report: the study's tables, and whether its claims hold (exit code 1: one does not)
report() {
  local size=full
  if $small; then size=small; fi
  # the package lies in io/python of a clone, in python beside the configurations of an installation
  PYTHONPATH=$here/..:$here/../../../io/python:$here/../../../python PYTHONDONTWRITEBYTECODE=1 \
    "${HEDDLE_PYTHON:-/usr/bin/python3}" "$here/report.py" "$heddle" "$out" "$size"
}
