package system

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// remoteScript prints the files that Probe reads, in a POSIX shell in the machine's root folder. Each line contains a
// path and the content in base64, or only the path of a folder. The line with the path "=" contains the output of
// nvidia-smi.
var remoteScript = `for f in proc/cpuinfo proc/meminfo proc/mounts etc/os-release proc/sys/kernel/ostype ` +
	`proc/sys/kernel/osrelease sys/devices/system/cpu/cpu[0-9]*/topology/physical_package_id ` +
	`sys/devices/system/cpu/cpu[0-9]*/topology/core_id sys/devices/system/cpu/cpu[0-9]*/topology/die_id ` +
	`sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq sys/devices/system/cpu/cpu0/cache/*/level ` +
	`sys/devices/system/cpu/cpu0/cache/*/size sys/devices/system/cpu/cpu0/cache/*/type ` +
	`sys/firmware/dmi/entries/17-*/raw sys/block/*/size sys/block/*/queue/rotational sys/class/net/*/type ` +
	`sys/class/net/*/speed sys/bus/pci/devices/*/class; do [ -f "$f" ] && [ -r "$f" ] && ` +
	`echo "$f $(head -c 1048576 "$f" 2>/dev/null | base64 | tr -d '\n')"; done; ` +
	`for d in sys/class/net/*/device sys/class/net/*/wireless; do [ -d "$d" ] && echo "$d"; done; ` +
	`command -v nvidia-smi >/dev/null && echo "= $(` + smiProgram + ` ` + strings.Join(smiArgs, " ") +
	` | base64 | tr -d '\n')"; true`

// ReadRemote copies the files that Probe reads from another machine to the folder dir, which the caller removes. shell
// runs a script in a shell on that machine in the root folder and returns its output. The error contains the shell's
// other output.
func ReadRemote(ctx context.Context, dir string, shell func(context.Context, string) ([]byte, error)) (Machine, error) {
	text, err := shell(ctx, remoteScript)
	if err != nil {
		return Machine{}, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Machine{}, err
	}
	defer func() { _ = root.Close() }()
	m := Machine{Root: os.DirFS(dir)}
	found := 0
	for line := range bytes.Lines(text) {
		name, packed, isFile := strings.Cut(strings.TrimSpace(string(line)), " ")
		content, err := base64.StdEncoding.DecodeString(packed)
		switch {
		case err != nil || name != "=" && !fs.ValidPath(name):
			continue // a login message of the machine
		case name == "=":
			m.Run = func(context.Context, string, ...string) ([]byte, error) { return content, nil }
			continue
		case isFile:
			found++
			if err = root.MkdirAll(path.Dir(name), 0o755); err == nil {
				err = root.WriteFile(name, content, 0o644)
			}
		default:
			err = root.MkdirAll(name, 0o755)
		}
		if err != nil {
			return Machine{}, err
		}
	}
	if found == 0 {
		return Machine{}, errors.New("found no file of a Linux machine: want sh, head and base64 there")
	}
	return m, nil
}

// JoinNodes returns the description of equal nodes with their number. names contains the caller's names of the nodes in
// all. It returns an error if the nodes differ and therefore have several types.
func JoinNodes(names []string, all []map[string]string) (map[string]string, error) {
	joined := maps.Clone(all[0])
	for i, one := range all[1:] {
		fields := maps.Clone(joined)
		maps.Copy(fields, one)
		for _, f := range slices.Sorted(maps.Keys(fields)) {
			a, b := joined[f], one[f]
			if a != b && f != "host_processor_frequency" { // some machines report the current frequency
				return nil, fmt.Errorf("%s is %q on %s and %q on %s: give nodes of different kinds one after the other, each "+
					"with its --node", f, a, names[0], b, names[i+1])
			}
		}
	}
	joined["number_of_nodes"] = strconv.Itoa(len(all))
	return joined, nil
}
