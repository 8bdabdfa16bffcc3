package process

import (
	"fmt"
	"sync"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// keptTensors contains the tensors that the process keeps, by handle.
type keptTensors struct {
	mu   sync.Mutex
	last uint64
	all  map[uint64]*keptTensor
}

// keptTensor is a kept tensor. The plugin may release it while an abandoned batch still reads it.
type keptTensor struct {
	kept     *backend.OutputHandle
	readers  int
	released bool
}

// tensorUses contains the kept tensors that one batch reads.
type tensorUses struct{ all []*keptTensor }

// addKept stores a tensor and returns its handle.
func (k *keptTensors) addKept(kept *backend.OutputHandle) uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil {
		k.all = map[uint64]*keptTensor{}
	}
	k.last++
	k.all[k.last] = &keptTensor{kept: kept}
	return k.last
}

// acquireTensors returns the tensors of handles and prevents that they are freed until endUses.
func (k *keptTensors) acquireTensors(handles []uint64, by *tensorUses) ([]*backend.OutputHandle, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept := make([]*backend.OutputHandle, len(handles))
	for i, h := range handles {
		t := k.all[h]
		if t == nil {
			return nil, fmt.Errorf("nothing is kept by the handle %d: it was released, or never given", h)
		}
		t.readers++
		kept[i], by.all = t.kept, append(by.all, t)
	}
	return kept, nil
}

// endUses ends the uses of a batch and frees tensors that were released in the meantime.
func (k *keptTensors) endUses(by *tensorUses) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, t := range by.all {
		t.readers--
		t.freeIfUnused()
	}
}

// releaseHandles frees the tensors of handles as soon as no batch reads them.
func (k *keptTensors) releaseHandles(handles []uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, h := range handles {
		if t := k.all[h]; t != nil {
			delete(k.all, h)
			t.released = true
			t.freeIfUnused()
		}
	}
}

func (t *keptTensor) freeIfUnused() {
	if t.released && t.readers == 0 {
		t.kept.Release()
	}
}

// freeAll frees all tensors. No batch may be in progress.
func (k *keptTensors) freeAll() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, t := range k.all {
		t.kept.Release()
	}
	clear(k.all)
}
