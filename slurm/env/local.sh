# shellcheck shell=bash
# Site settings where nothing special is needed: no modules, the program as ./bootstrap.sh builds it. Read twice: by you
# on the login node (source slurm/env/local.sh), for what sbatch should know, and by every job, for what runs there.

# The program; every node must see it under this path.
export HEDDLE_PROGRAM="${HEDDLE_PROGRAM:-${HEDDLE_HOME:-$PWD}/build/cpu/bin/heddle}"

# How srun joins the ranks; `srun --mpi=list` shows what this Slurm has, and Open MPI must have been built with it.
export HEDDLE_MPI="${HEDDLE_MPI:-pmix}"

# How often one job may be requeued before somebody has to look at it.
export HEDDLE_MOST_RESTARTS="${HEDDLE_MOST_RESTARTS:-20}"
