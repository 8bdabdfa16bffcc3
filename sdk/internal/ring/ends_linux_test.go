package ring

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// inherit opens the plugin's ends in this process, from copies of the descriptors that a child would inherit.
func inherit(t *testing.T, o *RingOffer) (*RingEnds, error) {
	t.Helper()
	var fds []int
	for _, f := range o.Files() {
		fd, err := unix.Dup(int(f.Fd())) // Fd makes it blocking, like starting a process
		if err != nil {
			t.Fatal(err)
		}
		fds = append(fds, fd)
	}
	return OpenEnds(fds, maxBytes)
}

func newOffer(t *testing.T) *RingOffer {
	t.Helper()
	o, err := NewOffer(maxBytes)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestOfferIsOpened(t *testing.T) {
	before := descriptors(t)
	o := newOffer(t)
	plugin, err := inherit(t, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Release(); err != nil {
		t.Fatal(err)
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		for range 20 { // larger than the ring, so the writer and the reader sleep
			if err := plugin.Writer.Write(make([]byte, toHarness+1)); err != nil {
				t.Error(err)
			}
		}
	}()
	if n := len(collect(t, o.Ends, 20)); n != 20 {
		t.Errorf("%d frames", n)
	}
	<-written // a writer that is ringing a bell keeps its descriptor
	for _, e := range []*RingEnds{plugin, o.Ends} {
		sleeping := make(chan error)
		go func() {
			var err error
			for err == nil { // a bell may still ring for bytes that are already read
				err = e.Reader.Sleep()
			}
			sleeping <- err
		}()
		e.Close()
		if err := <-sleeping; !errors.Is(err, ErrClosed) {
			t.Errorf("asleep when it was closed: %v", err)
		}
		if err := e.Unmap(); err != nil {
			t.Error(err)
		}
	}
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors of rings are open, %d were before", after, before)
	}
}

// Both processes share the flag that makes a bell non-blocking. A process that clears it must not block the other one
// forever.
func TestCloseFreesWhomTheKernelHolds(t *testing.T) {
	const full = 1<<64 - 2
	for name, c := range map[string]struct {
		count uint64 // value that the other process adds first
		wait  func(*RingEnds)
	}{
		"who waits": {0, func(e *RingEnds) { _ = e.Reader.Sleep() }},
		"who rings": {full, func(e *RingEnds) { e.Reader.bells.Data.Ring() }},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffer(t)
			fd, err := unix.Dup(int(o.Files()[answersWritten].Fd()))
			if err != nil {
				t.Fatal(err)
			}
			defer unix.Close(fd)
			if err := o.Release(); err != nil {
				t.Fatal(err)
			}
			if err := unix.SetNonblock(fd, false); err != nil {
				t.Fatal(err)
			}
			if _, err := unix.Write(fd, binary.NativeEndian.AppendUint64(nil, c.count)); err != nil {
				t.Fatal(err)
			}
			freed := make(chan struct{})
			go func() {
				defer close(freed)
				c.wait(o.Ends)
			}()
			time.Sleep(20 * time.Millisecond) // so it is probably blocked in the kernel
			for range 2 {
				go o.Ends.Close()
			}
			select {
			case <-freed:
			case <-time.After(10 * time.Minute):
				t.Fatal("it is held")
			}
			if err := o.Ends.Unmap(); err != nil {
				t.Error(err)
			}
		})
	}
}

// answersWritten is the index, among the files, of the bell that the plugin rings.
const answersWritten = 3

// descriptors returns the number of this process's descriptors for memory and bells of rings.
func descriptors(t *testing.T) (n int) {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		to, err := os.Readlink(link)
		if err == nil && (strings.Contains(to, "memfd:plumbline-ring") || strings.Contains(to, "eventfd")) {
			n++
		}
	}
	return n
}

// The kernel wakes the poller of every process that polls a bell, even if that process itself rings it.
func TestOnlyBellsThatAreWaitedForAreInThePoller(t *testing.T) {
	o := newOffer(t)
	plugin, err := inherit(t, o)
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]*RingEnds{"the harness": o.Ends, "the plugin": plugin} {
		for bell, waited := range map[Bell]bool{
			e.Reader.bells.Data: true, e.Writer.bells.Room: true, e.Reader.bells.Room: false, e.Writer.bells.Data: false,
		} {
			if got := polled(t, bell.(*eventBell)); got != waited {
				t.Errorf("%s: a bell that it waits for (%v) is in the poller: %v", name, waited, got)
			}
		}
	}
	if err := errors.Join(o.Release(), o.Ends.Unmap(), plugin.Unmap()); err != nil {
		t.Error(err)
	}
}

// polled reports whether the runtime's poller has the bell. Only then does it accept a deadline.
func polled(t *testing.T, e *eventBell) bool {
	t.Helper()
	err := e.file.SetDeadline(time.Time{})
	if err != nil && !errors.Is(err, os.ErrNoDeadline) {
		t.Fatal(err)
	}
	return err == nil
}

func TestTheMemoryCannotShrink(t *testing.T) {
	o := newOffer(t)
	if err := unix.Ftruncate(int(o.Files()[0].Fd()), 0); err == nil {
		t.Error("the other process can cut the memory off")
	}
	// descriptors that the garbage collector closes later must not be counted here
	if err := errors.Join(o.Release(), o.Ends.Unmap()); err != nil {
		t.Error(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	fd := int(file.Fd())
	if _, err := OpenEnds([]int{fd}, maxBytes); err == nil || !strings.Contains(err.Error(), "1 descriptors, want 5") {
		t.Errorf("error %v", err)
	}
	all := []int{fd, fd, fd, fd, fd}
	if _, err := OpenEnds(all, maxBytes); err == nil || !strings.Contains(err.Error(), "0 bytes of memory") {
		t.Errorf("error %v", err)
	}
	if err := file.Truncate(Bytes); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenEnds(all, maxBytes); err == nil || !strings.Contains(err.Error(), "not sealed") {
		t.Errorf("error %v", err)
	}
	if _, err := OpenEnds([]int{-1, -1, -1, -1, -1}, maxBytes); err == nil {
		t.Error("no descriptor is one")
	}
}
