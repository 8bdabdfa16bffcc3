//go:build !linux

package process

import "errors"

var errNoRegion = errors.New("shared memory is for Linux only: tensors go through the stream")

type region struct{ data []byte }

func newRegion(int) (*region, error) { return nil, errNoRegion }

func (r *region) path() string                 { return "" }
func (r *region) close()                       {}
func (r *region) discard()                     {}
func (r *region) offset([]byte) (uint64, bool) { return 0, false }

func mapRegion(string, uint64) ([]byte, error) { return nil, errNoRegion }
func unmapRegion([]byte) error                 { return nil }
