package ring

import "errors"

// ErrUnsupported says that this system has no rings: frames go another way.
var ErrUnsupported = errors.New("no shared memory rings on this system")

// Ends are one process's ends of both rings.
type Ends struct {
	Writer *Writer
	Reader *Reader
	unmap  func() error
}

// newEnds views memory as two rings. The plugin's ends are the harness's the other way round. most is the largest
// frame.
func newEnds(b []byte, bells [4]Bell, plugin bool, most int, unmap func() error) *Ends {
	to, from := newMemory(b[:dataAt+toPlugin]), newMemory(b[dataAt+toPlugin:])
	toBells, fromBells := Bells{bells[0], bells[1]}, Bells{bells[2], bells[3]}
	if plugin {
		to, from, toBells, fromBells = from, to, fromBells, toBells
	}
	return &Ends{
		Writer: &Writer{ringMemory: to, bells: toBells}, Reader: &Reader{ringMemory: from, bells: fromBells,
			most: most}, unmap: unmap,
	}
}

// Close ends what waits at either end. It may be called again: while the other process lives it can hold a side back,
// and no longer once it has ended.
func (e *Ends) Close() {
	e.Writer.Close()
	e.Reader.Close()
	// The other two bells are only ever rung here.
	e.Writer.bells.Data.Close()
	e.Reader.bells.Room.Close()
}

// Unmap gives the memory and the bells back. Nobody may write or read any more.
func (e *Ends) Unmap() error { return e.unmap() }
