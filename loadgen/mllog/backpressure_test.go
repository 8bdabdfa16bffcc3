package mllog

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"testing"
)

// TestAccuracyWriterConcurrently writes far more entries than may wait, from several goroutines that reuse their
// payloads, through a slow writer. Each entry must be written once and completely.
func TestAccuracyWriterConcurrently(t *testing.T) {
	const writers, each, size = 4, 50, 50_000
	pr, pw := io.Pipe()
	w := newAccuracyWriter(pw, 1<<20)
	var wg sync.WaitGroup
	for g := range writers {
		wg.Go(func() {
			payload := make([]byte, size)
			for i := range each {
				id := uint64(g*each + i)
				pattern(payload, id)
				if err := w.Write(id, id+1, payload); err != nil {
					t.Error(err)
				}
			}
		})
	}
	go func() {
		wg.Wait()
		pw.CloseWithError(w.Close())
	}()
	seen := map[uint64]bool{}
	want := make([]byte, size)
	r := NewAccuracyReader(pr)
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		pattern(want, e.SeqID)
		if err != nil || seen[e.SeqID] || e.QSLIndex != e.SeqID+1 || !bytes.Equal(e.Data, want) {
			t.Fatalf("entry %d twice, or with other data: %v", e.SeqID, err)
		}
		seen[e.SeqID] = true
	}
	if len(seen) != writers*each {
		t.Errorf("%d entries, want %d", len(seen), writers*each)
	}
}

// pattern fills a payload with bytes that identify its id.
func pattern(payload []byte, id uint64) {
	for i := range payload {
		payload[i] = byte(id + uint64(i)*7)
	}
}
