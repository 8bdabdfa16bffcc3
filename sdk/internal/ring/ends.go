package ring

import "errors"

// ErrUnsupported means that this system has no rings, so frames must use another transport.
var ErrUnsupported = errors.New("no shared memory rings on this system")

// RingEnds contains one process's ends of both rings.
type RingEnds struct {
	Writer *FrameWriter
	Reader *FrameReader
	unmap  func() error
}

// newEnds interprets memory as two rings. The plugin's ends are the reverse of the harness's. maxFrame is the maximum
// size of a frame.
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

// Close ends waits at both ends. It may be called again. A process that is alive can delay it; a process that has ended
// cannot.
func (e *RingEnds) Close() {
	e.Writer.Close()
	e.Reader.Close()
	// the other two bells are only rung here
	e.Writer.bells.Data.Close()
	e.Reader.bells.Room.Close()
}

// Unmap frees the memory and the bells. They must not be in use.
func (e *RingEnds) Unmap() error { return e.unmap() }
