package host

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// LimitsSupported reports whether this system can enforce limits on plugins.
const LimitsSupported = true

// limitFiles limits the descriptors of a process and of its future child processes.
func limitFiles(pid, n int) error {
	limit := unix.Rlimit{Cur: uint64(n), Max: uint64(n)}
	return unix.Prlimit(pid, unix.RLIMIT_NOFILE, &limit, nil)
}

// usageMeter reads the usage of the processes in a group.
type usageMeter struct {
	group int
	pids  []int
	reads int
}

// readUsage returns the total usage. It ignores a process that ends in the meantime.
func (m *usageMeter) readUsage() (u resourceUsage) {
	if m.reads%checksPerListing == 0 {
		m.pids = listProcesses()
	}
	m.reads++
	kept := m.pids[:0]
	for _, pid := range m.pids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		s, ok := parseStat(text)
		if !ok || s.group != m.group {
			continue
		}
		kept = append(kept, pid)
		u.memory += s.pages * int64(os.Getpagesize())
		u.cpu += s.cpu
		if s.state != 'Z' {
			u.processes++
		}
	}
	m.pids = kept
	return u
}

// listProcesses lists the ids of all processes.
func listProcesses() (pids []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is valid
	for _, dir := range dirs {
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// procStat contains the fields of /proc/PID/stat that a meter needs.
type procStat struct {
	state byte
	group int
	cpu   time.Duration // including children that it has waited for
	pages int64         // resident pages
}

// userHz is the unit of times in /proc. It is the same on every machine.
const userHz = 100

// parseStat parses a line in the form of the manual page proc_pid_stat(5). The name of the program, in parentheses, may
// contain any character.
func parseStat(text []byte) (s procStat, ok bool) {
	end := bytes.LastIndexByte(text, ')')
	if end < 0 {
		return s, false
	}
	fields := bytes.Fields(text[end+1:]) // from the third field on: state ppid pgrp ...
	const state, group, userTime, childrenTime, resident = 0, 2, 11, 14, 21
	if len(fields) <= resident {
		return s, false
	}
	ok = true
	number := func(i int) int64 {
		n, err := strconv.ParseInt(string(fields[i]), 10, 64)
		ok = ok && err == nil
		return n
	}
	var ticks int64
	for i := userTime; i <= childrenTime; i++ { // user and system time, of the process and of its children
		ticks += number(i)
	}
	s = procStat{fields[state][0], int(number(group)), time.Duration(ticks) * time.Second / userHz, number(resident)}
	return s, ok
}
