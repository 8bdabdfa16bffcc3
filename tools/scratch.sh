#!/bin/sh
# Makes a folder for the temporary files of tests and prints its path. Tests and the go command make many thousands of
# small files, which on a disk takes a third of their processor time: the folder is in memory where that has room for
# them and runs programs, unless TMPDIR names another place. Who asks for it removes it.
set -eu
memory=/dev/shm
need=4194304 # kB, several times what the tests were seen to need at once

roomy() {
  [ -r /proc/meminfo ] && [ -w "$memory" ] || return 1
  awk -v need=$need '/^MemAvailable:/ { free = $2 } END { exit free < 2 * need }' /proc/meminfo || return 1
  df -Pk "$memory" | awk -v need=$need 'NR == 2 { free = $4 } END { exit free < need }'
}

if [ -z "${TMPDIR:-}" ] && roomy; then
  made=$(mktemp -d "$memory/plumbline-XXXXXX")
  chmod 711 "$made" # tests start programs in it as another user
  printf '#!/bin/sh\n' >"$made/runs"
  chmod +x "$made/runs"
  if "$made/runs" 2>/dev/null; then
    rm "$made/runs"
    echo "$made"
    exit
  fi
  rm -r "$made"
fi
made=$(mktemp -d "${TMPDIR:-/tmp}/plumbline-XXXXXX")
chmod 711 "$made"
echo "$made"
