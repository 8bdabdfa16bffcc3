#!/bin/sh
# Sends one load from several machines by ssh, a share each, brings what they record here and joins it. harness must be
# in the PATH of all of them, and they must be reached without a question (keys, known hosts).
#
#   HOSTS='node1 node2 node3' ./ssh.sh http://SERVER:8000 --isl 1024 --osl 128 --concurrency 512 --requests 20000
#
# LEAD is how many seconds the shares have to make their prompts, 60 where it is not set.
set -eu

START=$(($(date +%s) + ${LEAD:-60}))
OUT=bench-$START
# A remote shell reads the words once more: each goes in quotes.
flags=
for word in "$@"; do
  flags="$flags '$(printf '%s' "$word" | sed "s/'/'\\\\''/g")'"
done
# shellcheck disable=SC2086 # one word for each host
n=$(set -- $HOSTS && echo $#)

i=0
pids=
for host in $HOSTS; do
  ssh "$host" "harness bench$flags --shard $i/$n --start-at $START --out $OUT/share-$i --quiet" >&2 &
  pids="$pids $!"
  i=$((i + 1))
done
failed=0
for pid in $pids; do
  wait "$pid" || failed=$?
done
[ "$failed" = 0 ] || { echo "a share failed: nothing is joined" >&2; exit "$failed"; }

mkdir -p "$OUT/shares"
i=0
for host in $HOSTS; do
  ssh "$host" "tar -C $OUT -cf - share-$i" | tar -C "$OUT/shares" -xf -
  i=$((i + 1))
done
harness bench merge "$OUT"/shares/share-* --out "$OUT/merged"
