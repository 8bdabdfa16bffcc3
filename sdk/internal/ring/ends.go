package ring

import "errors"

// ErrUnsupported says that this system has no rings: frames go another way.
var ErrUnsupported = errors.New("no shared memory rings on this system")

// RingEnds are one process's ends of both rings.
type RingEnds struct {
	Writer *FrameWriter
	Reader *FrameReader
	unmap  func() error
}

// newEnds views memory as two rings. The plugin's ends are the harness's the other way round. maxFrame is the largest
// frame.
func newEnds(b []byte, bells [4]Bell, plugin bool, maxFrame int, unmap func() error) *RingEnds {
	to, from := newMemory(b[:dataAt+toPlugin]), newMemory(b[dataAt+toPlugin:])
	toBells, fromBells := RingBells{bells[0], bells[1]}, RingBells{bells[2], bells[3]}
	if plugin {
		to, from, toBells, fromBells = from, to, fromBells, toBells
	}
	return &RingEnds{
		Writer: &FrameWriter{ringMemory: to, bells: toBells}, Reader: &FrameReader{ringMemory: from, bells: fromBells,
			maxFrame: maxFrame}, unmap: unmap,
	}
}

// Close ends what waits at either end. It may be called again: while the other process lives it can hold a side back,
// and no longer once it has ended.
func (e *RingEnds) Close() {
	e.Writer.Close()
	e.Reader.Close()
	// The other two bells are only ever rung here.
	e.Writer.bells.Data.Close()
	e.Reader.bells.Room.Close()
}

// Unmap gives the memory and the bells back. Nobody may write or read any more.
func (e *RingEnds) Unmap() error { return e.unmap() }
