// Package ring carries frames between a harness and its plugin through shared memory. There is one ring of bytes in
// each direction, with one writer and one reader, and bells that wake a sleeping side.
//
// Neither side trusts the other. Each keeps its own position, checks all values in the memory before it uses them, and
// copies a frame out before it parses it. Impossible sizes cause an error, never a memory fault, since the memory is
// sealed and the other side cannot shrink it.
//
// In scope: the layout of the memory, frames of any size, back-pressure, sleeping and waking. Out of scope: the
// contents of frames, setting up a ring.
package ring

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"
)

// The layout of one ring. Counters of different owners are in cache lines of their own.
const (
	// Version is the version of the layout.
	Version = 1

	writtenAt     = 0   // uint64: bytes written since the start; the writer's
	readAt        = 128 // uint64: bytes read since the start; the reader's
	readerWaitsAt = 256 // uint32: 1 while the reader sleeps until something is written
	writerWaitsAt = 384 // uint32: 1 while the writer sleeps until there is room
	dataAt        = 4096

	// toPlugin is how many bytes the ring to the plugin holds: as many as a stream's window, so that a query of a million
	// samples is issued without waiting.
	toPlugin = 8 << 20
	// toHarness is how many the other one holds: few enough to stay in the cache. Larger frames go in pieces.
	toHarness = 1 << 20
	// headerBytes is the length in front of each frame, a little-endian uint32.
	headerBytes = 4
)

// Bytes is the memory of both rings: first that to the plugin, then that to the harness.
const Bytes = dataAt + toPlugin + dataAt + toHarness

// Where the ring to the plugin counts the bytes read, where the ring to the harness begins, and its data: for those who
// write the memory by themselves.
const (
	ToPluginRead  = readAt
	ToHarness     = dataAt + toPlugin
	ToHarnessData = ToHarness + dataAt
)

// maxKeptBytes is how large a buffer for frames stays between frames.
const maxKeptBytes = 8 << 20

var (
	// ErrClosed is what a side that sleeps or writes gets once its ring is closed.
	ErrClosed = errors.New("the ring is closed")
	// ErrCorrupt is in the chain of every error about what the other side wrote.
	ErrCorrupt = errors.New("the shared memory holds what cannot be")
)

// Bell wakes the other process. The kernel's eventfd is one.
type Bell interface {
	// Ring makes the Wait under way, or the next one, return.
	Ring()
	// Wait returns nil after a Ring, or ErrClosed.
	Wait() error
	// Close ends every Wait, and every Ring that does not return. It may be called again.
	Close()
}

// ringMemory is one ring in shared memory.
type ringMemory struct {
	written, read            *atomic.Uint64
	readerWaits, writerWaits *atomic.Uint32
	data                     []byte
}

// newMemory views b, which starts at a multiple of 8, as a ring.
func newMemory(b []byte) ringMemory {
	at := func(offset int) unsafe.Pointer { return unsafe.Pointer(&b[offset]) }
	return ringMemory{
		written: (*atomic.Uint64)(at(writtenAt)), read: (*atomic.Uint64)(at(readAt)),
		readerWaits: (*atomic.Uint32)(at(readerWaitsAt)), writerWaits: (*atomic.Uint32)(at(writerWaitsAt)),
		data: b[dataAt:len(b):len(b)],
	}
}

func (m *ringMemory) capacity() uint64 { return uint64(len(m.data)) }

// RingBells are those of one ring.
type RingBells struct {
	Data Bell // rung by the writer: something is written
	Room Bell // rung by the reader: there is room
}

// ReuseBuffer empties a buffer for frames and keeps its memory, unless that is large.
func ReuseBuffer(b []byte) []byte {
	if cap(b) > maxKeptBytes {
		return nil
	}
	return b[:0]
}

// FrameWriter writes frames. Calls must not overlap.
type FrameWriter struct {
	ringMemory
	bells  RingBells
	mine   uint64 // bytes written; what the memory says is for the reader
	closed atomic.Bool
}

// Write writes one frame. It waits while the ring is full; a frame larger than the ring goes in pieces.
func (w *FrameWriter) Write(frame []byte) error {
	var header [headerBytes]byte
	binary.LittleEndian.PutUint32(header[:], uint32(len(frame)))
	for _, part := range [][]byte{header[:], frame} {
		for len(part) > 0 {
			room, err := w.awaitRoom()
			if err != nil {
				return err
			}
			n := min(room, len(part))
			w.putBytes(part[:n])
			part = part[n:]
		}
	}
	w.publish()
	return nil
}

// putBytes copies b, for which there is room, behind what is written; publish shows it to the reader.
func (w *FrameWriter) putBytes(b []byte) {
	first := copy(w.data[w.mine%w.capacity():], b)
	copy(w.data, b[first:])
	w.mine += uint64(len(b))
}

func (w *FrameWriter) publish() {
	w.written.Store(w.mine)
	if w.readerWaits.Load() == 1 && w.readerWaits.CompareAndSwap(1, 0) {
		w.bells.Data.Ring()
	}
}

// awaitRoom waits for room and returns how many bytes may be put.
func (w *FrameWriter) awaitRoom() (int, error) {
	for {
		n, err := w.freeBytes()
		if n > 0 || err != nil {
			return n, err
		}
		w.publish() // a frame in pieces: the reader makes room by taking the first ones
		w.writerWaits.Store(1)
		if n, err = w.freeBytes(); n > 0 || err != nil {
			w.writerWaits.Store(0)
			return n, err
		}
		if err := w.bells.Room.Wait(); err != nil {
			return 0, err
		}
	}
}

func (w *FrameWriter) freeBytes() (int, error) {
	if w.closed.Load() {
		return 0, ErrClosed
	}
	read := w.read.Load()
	if used := w.mine - read; used <= w.capacity() {
		return int(w.capacity() - used), nil
	}
	return 0, fmt.Errorf("%w: %d bytes are read of %d that were written", ErrCorrupt, read, w.mine)
}

// Close ends a Write that waits, and all later ones.
func (w *FrameWriter) Close() {
	w.closed.Store(true)
	w.bells.Room.Close()
}

// FrameReader reads frames. Calls must not overlap, but for Close.
type FrameReader struct {
	ringMemory
	bells    RingBells
	mine     uint64 // bytes read
	maxFrame int    // the largest frame
	header   []byte // of the frame under way, as far as it has come
	want     int    // length of the frame under way
	frame    []byte // of it, as far as it has come
	taken    atomic.Uint64
	closed   atomic.Bool
}

// Taken is how many bytes have been read. Any goroutine may ask, at any time: a frame that takes long is seen to come.
func (r *FrameReader) Taken() uint64 { return r.taken.Load() }

// Ready reports whether something is written that is not read.
func (r *FrameReader) Ready() bool { return r.written.Load() != r.mine }

// TryRead returns the next frame, if all of it has come. It is valid until the next call.
func (r *FrameReader) TryRead() (frame []byte, ok bool, err error) {
	for r.Ready() {
		if ok, err := r.takeReady(); ok || err != nil {
			return r.frame, ok, err
		}
	}
	return nil, false, nil
}

// takeReady takes what has come of the header or of the frame, and reports whether the frame is complete.
func (r *FrameReader) takeReady() (bool, error) {
	written := r.written.Load()
	if r.closed.Load() {
		return false, ErrClosed
	}
	n := written - r.mine
	if n > r.capacity() {
		return false, fmt.Errorf("%w: %d bytes are written, %d were read, and the ring holds %d", ErrCorrupt, written, r.mine,
			r.capacity())
	}
	from := r.mine
	if missing := headerBytes - len(r.header); missing > 0 {
		n -= r.moveBytes(&r.header, min(n, uint64(missing)))
		if len(r.header) < headerBytes {
			r.releaseRead()
			return false, nil
		}
		if err := r.beginFrame(); err != nil {
			return false, err
		}
	}
	r.moveBytes(&r.frame, min(n, uint64(r.want-len(r.frame))))
	complete := len(r.frame) == r.want
	if complete {
		r.header = r.header[:0]
	}
	if complete || r.mine-from > 0 {
		r.releaseRead()
	}
	return complete, nil
}

// beginFrame starts the frame whose header is complete.
func (r *FrameReader) beginFrame() error {
	size := binary.LittleEndian.Uint32(r.header)
	if uint64(size) > uint64(r.maxFrame) {
		return fmt.Errorf("%w: a frame of %d bytes, the limit is %d", ErrCorrupt, size, r.maxFrame)
	}
	r.want, r.frame = int(size), ReuseBuffer(r.frame)
	return nil
}

// moveBytes appends the next n bytes to dst. The memory of a large frame grows as it comes, so that a wrong length
// costs none.
func (r *FrameReader) moveBytes(dst *[]byte, n uint64) uint64 {
	at := r.mine % r.capacity()
	first := min(n, r.capacity()-at)
	*dst = append(*dst, r.data[at:at+first]...)
	*dst = append(*dst, r.data[:n-first]...)
	r.mine += n
	return n
}

// releaseRead gives what was read back to the writer. A writer that sleeps is woken once half of the ring is free, so
// that it does not wake for every frame.
func (r *FrameReader) releaseRead() {
	r.read.Store(r.mine)
	r.taken.Store(r.mine)
	if r.writerWaits.Load() == 1 && r.written.Load()-r.mine <= r.capacity()/2 && r.writerWaits.CompareAndSwap(1, 0) {
		r.bells.Room.Ring()
	}
}

// Arm asks the writer to ring when it writes. It reports false, and asks nothing, where something is there already.
func (r *FrameReader) Arm() bool {
	r.readerWaits.Store(1)
	if !r.Ready() {
		return true
	}
	r.readerWaits.Store(0)
	return false
}

// Disarm spares the writer the bell: the reader looks by itself.
func (r *FrameReader) Disarm() { r.readerWaits.Store(0) }

// Sleep waits for the bell.
func (r *FrameReader) Sleep() error { return r.bells.Data.Wait() }

// Close ends a Sleep, and all later ones, and fails later reads.
func (r *FrameReader) Close() {
	r.closed.Store(true)
	r.bells.Data.Close()
}
