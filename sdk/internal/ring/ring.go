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

// The layout of one ring. Counters of different owners are in separate cache lines.
const (
	// Version is the version of the layout.
	Version = 1

	writtenAt     = 0   // uint64: bytes written since the start; written by the writer
	readAt        = 128 // uint64: bytes read since the start; written by the reader
	readerWaitsAt = 256 // uint32: 1 while the reader sleeps until something is written
	writerWaitsAt = 384 // uint32: 1 while the writer sleeps until there is room
	dataAt        = 4096

	// toPlugin is the size of the ring to the plugin in bytes. It equals a stream's window, so a query of a million
	// samples is issued without waiting.
	toPlugin = 8 << 20
	// toHarness is the size of the ring to the harness in bytes. It fits in the cache. Larger frames are written in
	// pieces.
	toHarness = 1 << 20
	// headerBytes is the size of the length before each frame, a little-endian uint32.
	headerBytes = 4
)

// Bytes is the size of the memory of both rings: the ring to the plugin, then the ring to the harness.
const Bytes = dataAt + toPlugin + dataAt + toHarness

// Offsets for tests and programs that write the memory directly: the read counter of the ring to the plugin, the ring
// to the harness, and the data of that ring.
const (
	ToPluginRead  = readAt
	ToHarness     = dataAt + toPlugin
	ToHarnessData = ToHarness + dataAt
)

// maxKeptBytes is the maximum size of a frame buffer that is kept for later frames.
const maxKeptBytes = 8 << 20

var (
	// ErrClosed is returned to a side that sleeps or writes when its ring is closed.
	ErrClosed = errors.New("the ring is closed")
	// ErrCorrupt is wrapped by every error about invalid data from the other side.
	ErrCorrupt = errors.New("the shared memory holds what cannot be")
)

// Bell wakes the other process, for example with the kernel's eventfd.
type Bell interface {
	// Ring makes the current or the next Wait return.
	Ring()
	// Wait returns nil after a Ring, or ErrClosed.
	Wait() error
	// Close ends all waits, including blocked calls of Ring. It may be called again.
	Close()
}

// ringMemory is one ring in shared memory.
type ringMemory struct {
	written, read            *atomic.Uint64
	readerWaits, writerWaits *atomic.Uint32
	data                     []byte
}

// newMemory interprets b, which must start at a multiple of 8, as a ring.
func newMemory(b []byte) ringMemory {
	at := func(offset int) unsafe.Pointer { return unsafe.Pointer(&b[offset]) }
	return ringMemory{
		written: (*atomic.Uint64)(at(writtenAt)), read: (*atomic.Uint64)(at(readAt)),
		readerWaits: (*atomic.Uint32)(at(readerWaitsAt)), writerWaits: (*atomic.Uint32)(at(writerWaitsAt)),
		data: b[dataAt:len(b):len(b)],
	}
}

func (m *ringMemory) capacity() uint64 { return uint64(len(m.data)) }

// RingBells contains the bells of one ring.
type RingBells struct {
	Data Bell // rung by the writer when data is available
	Room Bell // rung by the reader when there is room
}

// ReuseBuffer empties a frame buffer and keeps its memory unless it is large.
func ReuseBuffer(b []byte) []byte {
	if cap(b) > maxKeptBytes {
		return nil
	}
	return b[:0]
}

// FrameWriter writes frames. Calls must not overlap.
type FrameWriter struct {
	ringMemory
	bells    RingBells
	position uint64 // number of bytes written; the reader uses the copy in the memory
	closed   atomic.Bool
}

// Write writes one frame. It blocks while the ring is full. It writes a frame larger than the ring in pieces.
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

// putBytes copies b after the written bytes. There must be room. publish makes it visible to the reader.
func (w *FrameWriter) putBytes(b []byte) {
	first := copy(w.data[w.position%w.capacity():], b)
	copy(w.data, b[first:])
	w.position += uint64(len(b))
}

func (w *FrameWriter) publish() {
	w.written.Store(w.position)
	if w.readerWaits.Load() == 1 && w.readerWaits.CompareAndSwap(1, 0) {
		w.bells.Data.Ring()
	}
}

// awaitRoom waits for room and returns its size in bytes.
func (w *FrameWriter) awaitRoom() (int, error) {
	for {
		n, err := w.freeBytes()
		if n > 0 || err != nil {
			return n, err
		}
		w.publish() // for a frame in pieces: the reader makes room by taking the first pieces
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
	if used := w.position - read; used <= w.capacity() {
		return int(w.capacity() - used), nil
	}
	return 0, fmt.Errorf("%w: %d bytes are read of %d that were written", ErrCorrupt, read, w.position)
}

// Close ends a blocked Write and makes later ones fail.
func (w *FrameWriter) Close() {
	w.closed.Store(true)
	w.bells.Room.Close()
}

// FrameReader reads frames. Calls must not overlap, except for Close.
type FrameReader struct {
	ringMemory
	bells    RingBells
	position uint64 // number of bytes read
	maxFrame int    // maximum size of a frame
	header   []byte // received part of the current frame's header
	want     int    // length of the current frame
	frame    []byte // received part of the current frame
	taken    atomic.Uint64
	closed   atomic.Bool
}

// Taken returns the number of bytes read. Any goroutine may call it at any time, so the arrival of a large frame is
// visible.
func (r *FrameReader) Taken() uint64 { return r.taken.Load() }

// Ready reports whether there are written bytes that are not read.
func (r *FrameReader) Ready() bool { return r.written.Load() != r.position }

// TryRead returns the next frame if it is complete. The frame is valid until the next call.
func (r *FrameReader) TryRead() (frame []byte, ok bool, err error) {
	for r.Ready() {
		if ok, err := r.takeReady(); ok || err != nil {
			return r.frame, ok, err
		}
	}
	return nil, false, nil
}

// takeReady reads the available part of the header or the frame, and reports whether the frame is complete.
func (r *FrameReader) takeReady() (bool, error) {
	written := r.written.Load()
	if r.closed.Load() {
		return false, ErrClosed
	}
	n := written - r.position
	if n > r.capacity() {
		return false, fmt.Errorf("%w: %d bytes are written, %d were read, and the ring holds %d", ErrCorrupt, written,
			r.position, r.capacity())
	}
	from := r.position
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
	if complete || r.position-from > 0 {
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

// moveBytes appends the next n bytes to dst. The memory of a large frame grows with the received bytes, so a wrong
// length costs no memory.
func (r *FrameReader) moveBytes(dst *[]byte, n uint64) uint64 {
	at := r.position % r.capacity()
	first := min(n, r.capacity()-at)
	*dst = append(*dst, r.data[at:at+first]...)
	*dst = append(*dst, r.data[:n-first]...)
	r.position += n
	return n
}

// releaseRead releases the read bytes to the writer. It wakes a sleeping writer only when half of the ring is free, so
// the writer does not wake for every frame.
func (r *FrameReader) releaseRead() {
	r.read.Store(r.position)
	r.taken.Store(r.position)
	if r.writerWaits.Load() == 1 && r.written.Load()-r.position <= r.capacity()/2 && r.writerWaits.CompareAndSwap(1, 0) {
		r.bells.Room.Ring()
	}
}

// Arm makes the writer ring when it writes. If bytes are already available, it returns false and changes nothing.
func (r *FrameReader) Arm() bool {
	r.readerWaits.Store(1)
	if !r.Ready() {
		return true
	}
	r.readerWaits.Store(0)
	return false
}

// Disarm tells the writer not to ring, because the reader polls.
func (r *FrameReader) Disarm() { r.readerWaits.Store(0) }

// Sleep waits for the bell.
func (r *FrameReader) Sleep() error { return r.bells.Data.Wait() }

// Close ends a Sleep and makes later calls of Sleep and reads fail.
func (r *FrameReader) Close() {
	r.closed.Store(true)
	r.bells.Data.Close()
}
