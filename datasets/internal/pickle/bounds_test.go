package pickle

import (
	"bytes"
	"errors"
	"runtime"
	"strings"
	"testing"
)

// TestMemoryIsBounded gives pickles that make many objects or bytes of little: they are refused before they cost much.
func TestMemoryIsBounded(t *testing.T) {
	const size = 20 << 20
	text := append([]byte("\x80\x02X\x00\x00\x10\x00"), bytes.Repeat([]byte("a"), 1<<20)...)
	text = append(text, "q\x00"...)
	encode := []byte("c_codecs\nencode\nh\x00\x85R")
	for name, c := range map[string]struct {
		data []byte
		says string
	}{
		"empty tuples": {bytes.Repeat([]byte(")"), size), "more than 1048576 objects"},
		"lists":        {bytes.Repeat([]byte("]"), size), "more than 1048576 objects"},
		"memo":         {append([]byte("N"), bytes.Repeat([]byte{0x94}, size)...), "more than 1048576 objects"},
		"one str":      {append(text, bytes.Repeat(encode, 1000)...), "made to bytes many times"},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := NumPy().Load(c.data)
			runtime.ReadMemStats(&after)
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %q", err, c.says)
			}
			if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 250 {
				t.Errorf("%d MiB were allocated", used)
			} else {
				t.Logf("%d MiB", used)
			}
		})
	}
}
