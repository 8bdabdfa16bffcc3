package ort

import "runtime"

// thread is a system thread that stays on its cores and does one thing at a time for others. Runs of one thread compute
// on the thread that calls, so that binding ONNX Runtime's own threads does not suffice.
type thread struct {
	work     chan func()
	done     chan struct{}
	panicked any // by the last work
}

// startThread starts a thread on the cores; close ends it.
func startThread(c cores) (*thread, error) {
	t := &thread{work: make(chan func()), done: make(chan struct{})}
	bound := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		free, err := allowedCores()
		if err == nil {
			err = bindThread(c)
		}
		bound <- err
		if err != nil {
			return
		}
		t.serve()
		// A thread that is free again goes back to Go. One that is not, locked as it is, ends with the goroutine.
		if bindThread(free) == nil {
			runtime.UnlockOSThread()
		}
		close(t.done)
	}()
	if err := <-bound; err != nil {
		return nil, err
	}
	return t, nil
}

func (t *thread) serve() {
	for f := range t.work {
		t.try(f)
		t.done <- struct{}{}
	}
}

func (t *thread) try(f func()) {
	defer func() { t.panicked = recover() }()
	f()
}

// do runs f on the thread and returns when it has returned. A panic of f is one of the caller's. Calls must not overlap.
func (t *thread) do(f func()) {
	t.work <- f
	<-t.done
	if p := t.panicked; p != nil {
		panic(p)
	}
}

// close ends a thread that is idle. A nil one is none.
func (t *thread) close() {
	if t == nil {
		return
	}
	close(t.work)
	<-t.done
}
