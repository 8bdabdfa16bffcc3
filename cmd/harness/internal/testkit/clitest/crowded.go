package clitest

import (
	"fmt"
	"io/fs"
	"os"
	"sync"
	"testing/fstest"
)

// BusyMachine is Machine with one processor whose time other programs use completely.
func BusyMachine() fs.FS {
	m := Machine()
	m[fmt.Sprintf("proc/%d/stat", os.Getpid())] = &fstest.MapFile{Data: []byte(
		"1 (harness) S 1 1 1 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0 5\n")}
	return &busyMachine{files: m}
}

type busyMachine struct {
	mu    sync.Mutex
	files fstest.MapFS
	ticks int
}

// Open implements fs.FS.
func (c *busyMachine) Open(name string) (fs.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if name == "proc/stat" {
		c.ticks += 1000
		c.files[name] = &fstest.MapFile{Data: fmt.Appendf(nil, "cpu %d 0 0 0\ncpu0 1 0 0 0\n", c.ticks)}
	}
	return c.files.Open(name)
}
