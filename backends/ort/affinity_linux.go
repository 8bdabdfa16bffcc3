package ort

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// allowedCores are the cores that the system lets this process use: those of its cpuset.
func allowedCores() (all cores, err error) {
	var mask unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mask); err != nil {
		return all, fmt.Errorf("the cores of this process: %w", err)
	}
	for core := range mostCores {
		if mask.IsSet(core) {
			all.add(core)
		}
	}
	return all, nil
}

// bindThread keeps the calling thread, and those it starts, on the cores.
func bindThread(c cores) error {
	var mask unix.CPUSet
	for core := range mostCores {
		if c.has(core) {
			mask.Set(core)
		}
	}
	if err := unix.SchedSetaffinity(0, &mask); err != nil {
		return fmt.Errorf("bind a thread to the cores %v: %w", c, err)
	}
	return nil
}
