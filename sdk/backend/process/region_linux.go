package process

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sharedRegion is memory that this process shares with another one.
type sharedRegion struct {
	file *os.File
	data []byte
}

// newRegion makes a region of anonymous memory. It has no name in a file system, so it always disappears together with
// the two processes.
func newRegion(size int) (*sharedRegion, error) {
	fd, err := unix.MemfdCreate("plumbline-tensors", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("make shared memory: %w", err)
	}
	r := &sharedRegion{file: os.NewFile(uintptr(fd), "plumbline-tensors")}
	if err := unix.Ftruncate(fd, int64(size)); err != nil {
		_ = r.file.Close()
		return nil, fmt.Errorf("make shared memory of %d bytes: %w", size, err)
	}
	// Otherwise, if the other process truncated the file, this process would crash at its next access.
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW); err != nil {
		_ = r.file.Close()
		return nil, fmt.Errorf("seal shared memory: %w", err)
	}
	if r.data, err = unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		_ = r.file.Close()
		return nil, fmt.Errorf("map shared memory of %d bytes: %w", size, err)
	}
	return r, nil
}

// procPath returns the path with which another process of the same user can open the region while this process holds
// it.
func (r *sharedRegion) procPath() string {
	return fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), r.file.Fd())
}

// offsetOf returns the offset of data in the region. ok is false if data is outside.
func (r *sharedRegion) offsetOf(data []byte) (at uint64, ok bool) {
	from, p := uintptr(unsafe.Pointer(unsafe.SliceData(r.data))), uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	if len(data) == 0 || p < from || p-from > uintptr(len(r.data)) || uintptr(len(r.data))-(p-from) < uintptr(len(data)) {
		return 0, false
	}
	return uint64(p - from), true
}

// discardPages frees the memory. The addresses stay mapped until close and read as zeros.
func (r *sharedRegion) discardPages() { _ = unix.Madvise(r.data, unix.MADV_REMOVE) }

func (r *sharedRegion) close() {
	_ = unix.Munmap(r.data)
	_ = r.file.Close()
}

// mapRegion maps a region that another process made.
func mapRegion(path string, size uint64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if size == 0 || uint64(info.Size()) < size {
		return nil, fmt.Errorf("%s has %d bytes, want %d", path, info.Size(), size)
	}
	return unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

func unmapRegion(data []byte) error { return unix.Munmap(data) }
