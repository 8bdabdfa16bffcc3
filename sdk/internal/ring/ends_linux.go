package ring

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Supported reports whether this system has rings.
const Supported = true

// RingOffer contains the harness's ends, and the files with which the plugin opens its own ends.
type RingOffer struct {
	Ends  *RingEnds
	files []*os.File // the memory and the four bells
	own   []*eventBell
}

// NewOffer makes the memory and the bells. maxFrame is the maximum size of frames from the plugin, in bytes.
//
// The memory has no name, so it disappears when both processes have ended for any reason.
func NewOffer(maxFrame int) (_ *RingOffer, err error) {
	o := &RingOffer{}
	defer func() {
		if err != nil {
			own := o.own
			err = errors.Join(err, o.Release(), releaseAll(own, func() error { return nil })())
		}
	}()
	memory, err := newMemoryFile()
	if err != nil {
		return nil, err
	}
	o.files = append(o.files, memory)
	var bells [4]Bell
	for i := range bells {
		own, inherited, err := newBell(waitsForBell(i, false))
		if err != nil {
			return nil, err
		}
		bells[i], o.own = own, append(o.own, own)
		o.files = append(o.files, inherited)
	}
	b, unmap, err := mapMemory(int(memory.Fd()))
	if err != nil {
		return nil, err
	}
	o.Ends = newEnds(b, bells, false, maxFrame, releaseAll(o.own, unmap))
	return o, nil
}

// newMemoryFile makes memory whose size cannot be changed. Access to truncated memory would kill the process.
func newMemoryFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("plumbline-ring", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	f := os.NewFile(uintptr(fd), "ring")
	if err := unix.Ftruncate(fd, Bytes); err != nil {
		return nil, errors.Join(fmt.Errorf("size of the shared memory: %w", err), f.Close())
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		return nil, errors.Join(fmt.Errorf("seal the shared memory: %w", err), f.Close())
	}
	return f, nil
}

const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// newBell makes a bell and a second descriptor of it for the other process.
func newBell(waited bool) (*eventBell, *os.File, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		return nil, nil, fmt.Errorf("eventfd: %w", err)
	}
	other, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("second descriptor of an eventfd: %w", err), unix.Close(fd))
	}
	inherited := os.NewFile(uintptr(other), "bell")
	own, err := newEventfd(fd, waited)
	if err != nil {
		return nil, nil, errors.Join(err, inherited.Close())
	}
	return own, inherited, nil
}

// waitsForBell reports whether a side waits for bell i of the four: Data and Room of the ring to the plugin, then those
// of the other ring. A side rings the bells that it does not wait for.
func waitsForBell(i int, plugin bool) bool {
	data, room := i%2 == 0, i%2 == 1
	toPlugin := i < 2
	return data && toPlugin == plugin || room && toPlugin != plugin
}

// releaseAll returns a function that frees the memory and the bells. They must not be in use.
func releaseAll(bells []*eventBell, unmap func() error) func() error {
	return func() error {
		err := unmap()
		for _, b := range bells {
			err = errors.Join(err, b.file.Close())
		}
		return err
	}
}

func mapMemory(fd int) ([]byte, func() error, error) {
	b, err := unix.Mmap(fd, 0, Bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("map the shared memory: %w", err)
	}
	return b, func() error { return unix.Munmap(b) }, nil
}

// Files returns the files that the plugin's process must inherit, in order.
func (o *RingOffer) Files() []*os.File { return o.files }

// Release closes the descriptors that the plugin has inherited. The ends stay open.
func (o *RingOffer) Release() error {
	var errs []error
	for _, e := range o.own { // starting a process with a descriptor makes all its copies blocking
		errs = append(errs, e.setNonblocking())
	}
	for _, f := range o.files {
		errs = append(errs, f.Close())
	}
	o.files, o.own = nil, nil
	return errors.Join(errs...)
}

// OpenEnds opens the plugin's ends from the inherited descriptors, in the order of Files. It takes ownership of them,
// and programs that the plugin starts do not inherit them.
func OpenEnds(fds []int, maxFrame int) (_ *RingEnds, err error) {
	if want := 1 + len([4]Bell{}); len(fds) != want {
		return nil, fmt.Errorf("%w: %d descriptors, want %d", ErrCorrupt, len(fds), want)
	}
	for _, fd := range fds {
		unix.CloseOnExec(fd)
	}
	if err := checkMemory(fds[0]); err != nil {
		return nil, err
	}
	b, unmap, err := mapMemory(fds[0])
	if err != nil {
		return nil, err
	}
	if err := unix.Close(fds[0]); err != nil { // the mapping keeps the memory
		return nil, errors.Join(err, unmap())
	}
	var bells [4]Bell
	var own []*eventBell
	for i, fd := range fds[1:] {
		bell, err := newEventfd(fd, waitsForBell(i, true))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("bell %d: %w", i, err), releaseAll(own, unmap)())
		}
		bells[i], own = bell, append(own, bell)
	}
	return newEnds(b, bells, true, maxFrame, releaseAll(own, unmap)), nil
}

// checkMemory returns an error if the memory has another size or the other side can shrink it.
func checkMemory(fd int) error {
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fmt.Errorf("descriptor %d of the ring: %w", fd, err)
	}
	if stat.Size != Bytes {
		return fmt.Errorf("%w: %d bytes of memory, want %d", ErrCorrupt, stat.Size, Bytes)
	}
	if has, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0); err != nil || has&unix.F_SEAL_SHRINK == 0 {
		//nolint:errorlint // it may be nil
		return fmt.Errorf("%w: its size is not sealed (seals %#x, error %v)", ErrCorrupt, has, err)
	}
	return nil
}

// eventBell implements Bell. Waiting uses the runtime's poller, so it does not block a thread like a futex.
type eventBell struct{ file *os.File }

// newEventfd takes ownership of fd. Only a bell that this process waits for uses the poller, because otherwise the
// kernel would wake the poller's thread at each ring.
func newEventfd(fd int, waited bool) (*eventBell, error) {
	if err := unix.SetNonblock(fd, waited); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	file := os.NewFile(uintptr(fd), "bell") // reads the flag
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &eventBell{file}, nil
}

var one = [8]byte{1} // little endian; on a big-endian machine a large number, which also wakes

// Ring adds one to the counter. It does nothing if the bell is closed.
func (e *eventBell) Ring() { _, _ = e.file.Write(one[:]) }

// Wait waits for a counter above 0 and resets it.
func (e *eventBell) Wait() error {
	var count [8]byte
	if _, err := e.file.Read(count[:]); err != nil {
		return ErrClosed
	}
	return nil
}

// setNonblocking lets the poller do the waiting. The flag belongs to the eventfd and not to the descriptor, so the
// other process can clear it for both.
func (e *eventBell) setNonblocking() error {
	return e.withDescriptor(func(fd int) error { return unix.SetNonblock(fd, true) })
}

// Close ends all waits, including those that block in the kernel because the other process cleared the flag. It never
// blocks and may be called again. A running process can undo its effect; a process that has ended cannot.
func (e *eventBell) Close() {
	_ = e.file.SetDeadline(time.Unix(0, 0)) // no further waits start
	_ = e.withDescriptor(func(fd int) error {
		var count [8]byte
		if err := unix.SetNonblock(fd, true); err != nil {
			return err
		}
		_, _ = unix.Read(fd, count[:]) // unblocks a Ring
		_, err := unix.Write(fd, one[:])
		return err
	})
}

// withDescriptor calls f with the descriptor unless it is closed.
func (e *eventBell) withDescriptor(f func(fd int) error) error {
	raw, err := e.file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	return errors.Join(raw.Control(func(fd uintptr) { failed = f(int(fd)) }), failed)
}
