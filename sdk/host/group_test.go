package host_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// group lists the living processes of a process group from the proc file system, or none without such a file system.
func group(tb testing.TB, leader int) []string {
	tb.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		tb.Fatal(err)
	}
	var members []string
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended in the meantime
		}
		// pid (name) state ppid pgrp ...; the name may contain spaces.
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) > 2 && fields[2] == fmt.Sprint(leader) && fields[0] != "Z" {
			members = append(members, strings.TrimSpace(string(text[:min(len(text), 40)])))
		}
	}
	return members
}

// marked lists the living processes that have a variable in their environment, which they inherit from each other.
func marked(tb testing.TB, variable string) []string {
	tb.Helper()
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		tb.Fatal(err)
	}
	var all []string
	for _, path := range environments {
		text, err := os.ReadFile(path)
		if err == nil && bytes.Contains(text, []byte(variable)) {
			command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			all = append(all, filepath.Base(filepath.Dir(path))+" "+string(bytes.ReplaceAll(command, []byte{0}, []byte{' '})))
		}
	}
	return all
}
