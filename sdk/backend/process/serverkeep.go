package process

import (
	"fmt"
	"sync"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// keptTensors are what the process keeps, by handle.
type keptTensors struct {
	mu   sync.Mutex
	last uint64
	all  map[uint64]*keptTensor
}

// keptTensor is one of them. The plugin may release it while a batch that it has given up still reads it.
type keptTensor struct {
	kept     *backend.Kept
	readers  int
	released bool
}

// uses are the tensors that one batch reads.
type uses struct{ all []*keptTensor }

// add returns the handle of what is kept from now on.
func (k *keptTensors) add(kept *backend.Kept) uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil {
		k.all = map[uint64]*keptTensor{}
	}
	k.last++
	k.all[k.last] = &keptTensor{kept: kept}
	return k.last
}

// use returns what handles stand for, and keeps it from being freed until done.
func (k *keptTensors) use(handles []uint64, by *uses) ([]*backend.Kept, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept := make([]*backend.Kept, len(handles))
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

// done ends the use, and frees what was released meanwhile.
func (k *keptTensors) done(by *uses) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, t := range by.all {
		t.readers--
		t.free()
	}
}

// release frees what handles stand for, as soon as no batch reads it.
func (k *keptTensors) release(handles []uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, h := range handles {
		if t := k.all[h]; t != nil {
			delete(k.all, h)
			t.released = true
			t.free()
		}
	}
}

func (t *keptTensor) free() {
	if t.released && t.readers == 0 {
		t.kept.Release()
	}
}

// clear frees everything; no batch is at work.
func (k *keptTensors) clear() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, t := range k.all {
		t.kept.Release()
	}
	clear(k.all)
}
