package ort

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// threadBinding restricts work to cores: the work of the thread that does it, and of the threads that this thread
// starts meanwhile.
//
// Runs with one thread compute on the calling thread, so it is not enough to bind ONNX Runtime's own threads. A
// separate thread for each session would also work, but waking it and returning takes 50 us, whereas binding the
// caller's thread takes 1 us.
type threadBinding struct {
	cores, free unix.CPUSet
}

// newBinding prepares to bind threads to cores of this process.
func newBinding(c coreSet) (*threadBinding, error) {
	allowed, err := allowedCores()
	if err != nil {
		return nil, err
	}
	return &threadBinding{cores: cpuMask(c), free: cpuMask(allowed)}, nil
}

func cpuMask(c coreSet) (m unix.CPUSet) {
	for core := range maxCores {
		if c.has(core) {
			m.Set(core)
		}
	}
	return m
}

// enter binds the thread of the calling goroutine. leave must follow. Until then, the goroutine stays on this thread,
// and Go starts no threads from it.
func (b *threadBinding) enter() error {
	runtime.LockOSThread()
	if err := unix.SchedSetaffinity(0, &b.cores); err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("bind a thread to its cores: %w", err)
	}
	return nil
}

// leave releases the thread. If the system has removed the thread's earlier cores, the thread stays bound; it then also
// stays locked, so that no other goroutine uses it.
func (b *threadBinding) leave() {
	if unix.SchedSetaffinity(0, &b.free) == nil {
		runtime.UnlockOSThread()
	}
}

// allowedCores returns the cores that the system permits this process to use: those of its cpuset.
func allowedCores() (all coreSet, err error) {
	var mask unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mask); err != nil {
		return all, fmt.Errorf("the cores of this process: %w", err)
	}
	for core := range maxCores {
		if mask.IsSet(core) {
			all.add(core)
		}
	}
	return all, nil
}
