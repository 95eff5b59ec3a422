# shellcheck shell=bash
# What the batch scripts share; they source it. Slurm runs a copy of a batch script from its own spool folder, so files
# are found from HEDDLE_HOME, the folder that sbatch was called in unless it says otherwise.

HEDDLE_SITE="${HEDDLE_SITE:-local}"

fail() {  # EXIT_CODE MESSAGE
  printf '%s: %s\n' "$SLURM_JOB_NAME" "$2" >&2
  exit "$1"
}

# Modules, paths and the MPI of this cluster.
load_site() {
  local settings="$HEDDLE_HOME/slurm/env/$HEDDLE_SITE.sh"
  [[ -r "$settings" ]] || fail 2 "there are no settings of the site '$HEDDLE_SITE' (HEDDLE_SITE): cannot read $settings"
  set +u  # modules are not written for it
  # shellcheck source=slurm/env/local.sh
  source "$settings"
  set -u
  [[ -x "$HEDDLE_PROGRAM" ]] || fail 2 "there is no program $HEDDLE_PROGRAM on $(hostname); build it, or correct $settings"
}

# Simulates CONFIG in all tasks of the job, from the newest checkpoint where there is one, and ends the script.
# Slurm's --signal sends USR1 to the tasks of srun themselves, not to this shell, so nothing is forwarded here.
simulate() {  # CONFIG [ARGUMENT_OF_HEDDLE_RUN...]
  local threads=() status=0 started
  ((${SLURM_CPUS_PER_TASK:-1} > 1)) && threads=(--threads "$SLURM_CPUS_PER_TASK")
  # srun of Slurm 22.05 ends with 0, too, when it could start nothing; so the tasks of this node leave a sign first
  started=$(mktemp --dry-run)
  # shellcheck disable=SC2016  # for the shell of the task
  srun --mpi="$HEDDLE_MPI" --cpus-per-task="${SLURM_CPUS_PER_TASK:-1}" \
    bash -c '[[ "${SLURMD_NODENAME:-}" != "$1" ]] || : >"$0"; shift; exec "$@"' "$started" "${SLURMD_NODENAME:-}" \
    "$HEDDLE_PROGRAM" run "$@" --quiet --resume auto "${threads[@]}" || status=$?
  [[ -e "$started" ]] || fail 1 "srun has started no task (above; its exit code was $status), so nothing was simulated; does \
srun --mpi=$HEDDLE_MPI hostname work on these nodes? srun --mpi=list shows what HEDDLE_MPI can be"
  rm -f "$started"
  ((status == 75)) && requeue
  exit "$status"
}

# The run has written a checkpoint: the same job resumes from it when Slurm starts it again.
requeue() {
  local restarts="${SLURM_RESTART_COUNT:-0}" job="$SLURM_JOB_ID"
  # the number of an array's last task is that of the array: with it all tasks would start again
  [[ -z "${SLURM_ARRAY_TASK_ID:-}" ]] || job="${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
  ((restarts < HEDDLE_MOST_RESTARTS)) || fail 75 "the run is saved, but this job was requeued $restarts times \
already (HEDDLE_MOST_RESTARTS=$HEDDLE_MOST_RESTARTS), so it is not requeued again; see whether it gets on at all (a longer \
--time?), then submit it again: it resumes from its checkpoint"
  printf '%s: the run is saved; requeued for the %d. time, of at most %d\n' \
    "$SLURM_JOB_NAME" $((restarts + 1)) "$HEDDLE_MOST_RESTARTS"
  scontrol requeue "$job" || fail 75 "the run is saved, but Slurm does not requeue this job (above); submit it \
again: it resumes from its checkpoint"
  exit 75  # Slurm ends this script anyway
}
