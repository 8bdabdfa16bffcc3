//go:build !linux

package process

import "errors"

var errNoRegion = errors.New("shared memory is for Linux only: tensors go through the stream")

type sharedRegion struct{ data []byte }

func newRegion(int) (*sharedRegion, error) { return nil, errNoRegion }

func (r *sharedRegion) procPath() string               { return "" }
func (r *sharedRegion) close()                         {}
func (r *sharedRegion) discardPages()                  {}
func (r *sharedRegion) offsetOf([]byte) (uint64, bool) { return 0, false }

func mapRegion(string, uint64) ([]byte, error) { return nil, errNoRegion }
func unmapRegion([]byte) error                 { return nil }
