package ort

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// binding keeps work on cores: that of the thread that does it, and of the threads that this one starts meanwhile.
//
// Runs of one thread compute on the thread that calls, so that binding ONNX Runtime's own threads does not
// suffice. A thread for each session would be another way, but to wake it and to be woken takes 50 us; to bind
// the caller's takes 1 us.
type binding struct {
	cores, free unix.CPUSet
}

// newBinding prepares to bind threads to cores of this process.
func newBinding(c coreSet) (*binding, error) {
	allowed, err := allowedCores()
	if err != nil {
		return nil, err
	}
	return &binding{cores: mask(c), free: mask(allowed)}, nil
}

func mask(c coreSet) (m unix.CPUSet) {
	for core := range maxCores {
		if c.has(core) {
			m.Set(core)
		}
	}
	return m
}

// enter binds the calling goroutine's thread; leave follows. The goroutine stays on the thread meanwhile, and Go
// starts no thread from it.
func (b *binding) enter() error {
	runtime.LockOSThread()
	if err := unix.SchedSetaffinity(0, &b.cores); err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("bind a thread to its cores: %w", err)
	}
	return nil
}

// leave lets the thread go. One that stays bound, because the system has taken its cores away, serves no other
// goroutine: it stays locked.
func (b *binding) leave() {
	if unix.SchedSetaffinity(0, &b.free) == nil {
		runtime.UnlockOSThread()
	}
}

// allowedCores are the cores that the system lets this process use: those of its cpuset.
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
