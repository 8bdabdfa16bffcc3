package mllog_test

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// endless is a reader that repeats a text forever.
type endless struct{ text string }

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e.text)
	}
	return n, nil
}

// TestAccuracyReaderIsBounded reads endless entries. The reader must return an error, and its memory must be
// proportional to the limits of an entry.
func TestAccuracyReaderIsBounded(t *testing.T) {
	for name, c := range map[string]struct {
		head, text, says string
		most             uint64
	}{
		"payload": {`[{ "data" : "`, "ABCDEF01", "more than 268435456 bytes, the most that an entry may have", 1100},
		"name":    {`[{ "`, "ABCDEF01", "a string without its closing quote", 4},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := mllog.NewAccuracyReader(io.MultiReader(strings.NewReader(c.head), endless{c.text})).Next()
			runtime.ReadMemStats(&after)
			if !errors.Is(err, mllog.ErrFormat) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %q", err, c.says)
			}
			if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > c.most {
				t.Errorf("%d MiB were allocated in all, want at most %d", used, c.most)
			}
		})
	}
}
