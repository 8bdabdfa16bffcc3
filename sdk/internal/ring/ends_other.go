//go:build !linux

package ring

import "os"

// Supported reports whether this system has rings.
const Supported = false

// RingOffer is never created on this system.
type RingOffer struct{ Ends *RingEnds }

// NewOffer returns ErrUnsupported.
func NewOffer(int) (*RingOffer, error) { return nil, ErrUnsupported }

// Files returns no files.
func (o *RingOffer) Files() []*os.File { return nil }

// Release does nothing.
func (o *RingOffer) Release() error { return nil }

// OpenEnds returns ErrUnsupported.
func OpenEnds([]int, int) (*RingEnds, error) { return nil, ErrUnsupported }
