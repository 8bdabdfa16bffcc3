package conformance

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// residentBytes returns the memory of a process and of its descendants, such as a backend process.
func residentBytes(pid int) (int64, error) {
	total, err := residentAlone(pid)
	if err != nil {
		return 0, err
	}
	for _, child := range listDescendants(pid) {
		if n, err := residentAlone(child); err == nil { // otherwise it has just ended
			total += n
		}
	}
	return total, nil
}

func residentAlone(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	var size, resident int64 // in pages
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		return 0, fmt.Errorf("/proc/%d/statm holds %q", pid, text)
	}
	return resident * int64(os.Getpagesize()), nil
}

// listDescendants lists the direct and indirect child processes of a process.
func listDescendants(pid int) []int {
	children := map[int][]int{}
	paths, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])) // after the name: state, parent, ...
		child, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil || len(fields) < 2 {
			continue
		}
		if parent, err := strconv.Atoi(fields[1]); err == nil {
			children[parent] = append(children[parent], child)
		}
	}
	found := slices.Clone(children[pid])
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i]]...)
	}
	return found
}

// processesWithVariable lists the processes that have a variable in their environment. known is false if the system
// does not report it.
func processesWithVariable(variable string) (pids []int, known bool) {
	paths, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range paths {
		environ, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(environ, []byte(variable+"\x00")) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids, len(paths) > 0
}
