#!/bin/sh
#SBATCH --job-name=harness-bench
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=1
#SBATCH --time=00:30:00
# Sends one load from four machines of Slurm, a share each, and joins what they record. harness must be in the PATH of
# all nodes, and the folder that the job starts in one that all nodes see.
#
#   sbatch slurm.sh http://SERVER:8000 --isl 1024 --osl 128 --concurrency 512 --requests 20000
#
# LEAD is how many seconds the shares have to make their prompts, 60 where it is not set.
set -eu

START=$(($(date +%s) + ${LEAD:-60}))
OUT=bench-$SLURM_JOB_ID
export START OUT
# shellcheck disable=SC2016 # each task has its own SLURM_PROCID
srun sh -c 'exec harness bench "$@" --shard "$SLURM_PROCID/$SLURM_NTASKS" --start-at "$START" \
  --out "$OUT/share-$SLURM_PROCID" --quiet' sh "$@"
harness bench merge "$OUT"/share-* --out "$OUT/merged"
