# shellcheck shell=bash
# Site settings of a cluster with environment modules, accounts and partitions: copy to slurm/env/SITE.sh and change.
# Read twice: by you on the login node (source slurm/env/SITE.sh), where sbatch takes the SBATCH_ variables, and by every
# job (export HEDDLE_SITE=SITE), where modules and HEDDLE_ variables count.

# What sbatch adds to every job; its own options still win. `sinfo` lists partitions, `sacctmgr show assoc` accounts.
# export SBATCH_PARTITION=cpu
# export SBATCH_ACCOUNT=network-research
# export SBATCH_QOS=normal

# Compiler runtime, MPI and HDF5 that the program was built with; the same versions as then.
# module purge
# module load gcc/12.2.0 openmpi/4.1.4 hdf5/1.10.8

# The program; every node must see it under this path.
export HEDDLE_PROGRAM="${HEDDLE_PROGRAM:-${HEDDLE_HOME:-$PWD}/build/cpu/bin/heddle}"

# How srun joins the ranks; `srun --mpi=list` shows what this Slurm has, and Open MPI must have been built with it.
export HEDDLE_MPI="${HEDDLE_MPI:-pmix}"

# The network between nodes, where Open MPI picks a wrong one by itself.
# export OMPI_MCA_btl_tcp_if_include=ib0

# How often one job may be requeued before somebody has to look at it.
export HEDDLE_MOST_RESTARTS="${HEDDLE_MOST_RESTARTS:-20}"
