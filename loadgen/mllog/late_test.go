package mllog

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// lockedText is a log in memory that a test may read while it is written.
type lockedText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedText) entries() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), "seq_id")
}

// TestEntriesAreHandedOverInTime checks that a killed process would lose only the entries of the last second. It does
// not kill a process.
func TestEntriesAreHandedOverInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log lockedText
		w := NewAccuracyWriter(&log)
		for i := range 50 {
			if err := w.Write(uint64(i), 7, []byte{1}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(accuracyDelay / 10)
			synctest.Wait()
			if behind := i + 1 - log.entries(); behind > 10 {
				t.Fatalf("%d entries of %d are not handed over, want those of a second at most", behind, i+1)
			}
		}
		time.Sleep(accuracyDelay)
		synctest.Wait()
		if n := log.entries(); n != 50 {
			t.Errorf("%d entries a second after the last of 50", n)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if n := log.entries(); n != 50 || !strings.HasSuffix(log.text.String(), " }\n]\n") {
			t.Errorf("%d entries, end %q", n, log.text.String())
		}
	})
}
