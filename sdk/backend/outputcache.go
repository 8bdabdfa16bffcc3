package backend

import (
	"slices"
	"sync/atomic"
)

// OutputCache is an optional interface of a Session that can keep outputs in its own memory as inputs of later runs,
// such as a decoder's state or the encoder output that a decoder reads at every step. Their bytes then never pass
// through the caller.
//
// An output tensor of Run with KeepOutput set, and without Data, returns without Data: DType and Shape describe it,
// Handles contains its handle, and Release frees it. As an input of another Run, unchanged, it represents the kept
// tensor.
//
// An input with Handles has no Data. Its rows, along the first dimension, are the concatenated rows of all handles. If
// Rows is set, it selects from these rows by number, in its order, with repetitions. Rows can thus be reordered,
// repeated for beams, dropped, and joined from several runs. Shape is the shape of the result. All handles must have
// the same dimensions after the first.
//
// Handles belong to the caller, who releases each one when no Run in progress uses it. Several concurrent Runs may use
// a handle. It is valid until it is released or its session is closed. Later use causes an error, and so do handles of
// another memory and rows out of range (ErrTensors).
type OutputCache interface {
	// CacheMemory returns a comparable value that identifies the memory of kept tensors. Sessions with equal values, of
	// one model or several, accept one another's handles. nil means that the session keeps no tensors.
	CacheMemory() any
}

// CacheMemory returns the memory in which a session keeps tensors, or nil if it keeps none.
func CacheMemory(s Session) any {
	if k, ok := s.(OutputCache); ok {
		return k.CacheMemory()
	}
	return nil
}

// OutputHandle is the handle of a tensor that an OutputCache keeps. Its methods may be called from any goroutine.
type OutputHandle struct {
	memory   any
	dtype    DType
	shape    []int64
	key      any
	free     func()
	released atomic.Bool
}

// NewOutputHandle returns a handle for an OutputCache. memory is its CacheMemory, and key its own identification of the
// tensor. free may be nil and is called once.
func NewOutputHandle(memory any, d DType, shape []int64, key any, free func()) *OutputHandle {
	return &OutputHandle{memory: memory, dtype: d, shape: slices.Clone(shape), key: key, free: free}
}

// Key returns the OutputCache's identification of the tensor.
func (k *OutputHandle) Key() any { return k.key }

// DType returns the element type.
func (k *OutputHandle) DType() DType { return k.dtype }

// Shape returns the shape of the whole kept tensor. The caller must not change it.
func (k *OutputHandle) Shape() []int64 { return k.shape }

// Release frees the tensor. Calls after the first do nothing.
func (k *OutputHandle) Release() {
	if !k.released.Swap(true) && k.free != nil {
		k.free()
	}
}

// rowCount returns the number of rows, which is 1 for a tensor without dimensions.
func (k *OutputHandle) rowCount() int64 {
	if len(k.shape) == 0 {
		return 1
	}
	return k.shape[0]
}

// SetHandle sets the handle of t, an output with KeepOutput.
func (t *Tensor) SetHandle(k *OutputHandle) {
	t.DType, t.Shape = k.dtype, append(t.Shape[:0], k.shape...)
	t.Data, t.Handles, t.Rows, t.Free = nil, []*OutputHandle{k}, nil, k.Release
}
