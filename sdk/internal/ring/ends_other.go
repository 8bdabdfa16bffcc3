//go:build !linux

package ring

import "os"

// Supported says that this system has none.
const Supported = false

// Offer is what a harness offers: nothing, on this system.
type Offer struct{ Ends *Ends }

// NewOffer fails.
func NewOffer(int) (*Offer, error) { return nil, ErrUnsupported }

// Files are none.
func (o *Offer) Files() []*os.File { return nil }

// Release has nothing to do.
func (o *Offer) Release() error { return nil }

// Open fails.
func Open([]int, int) (*Ends, error) { return nil, ErrUnsupported }
