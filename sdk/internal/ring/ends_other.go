//go:build !linux

package ring

import "os"

// Supported says that this system has none.
const Supported = false

// RingOffer is what a harness offers: nothing, on this system.
type RingOffer struct{ Ends *RingEnds }

// NewOffer fails.
func NewOffer(int) (*RingOffer, error) { return nil, ErrUnsupported }

// Files are none.
func (o *RingOffer) Files() []*os.File { return nil }

// Release has nothing to do.
func (o *RingOffer) Release() error { return nil }

// OpenEnds fails.
func OpenEnds([]int, int) (*RingEnds, error) { return nil, ErrUnsupported }
