package results

import (
	"encoding/hex"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Entry is one line of an accuracy log.
type Entry struct {
	Sequence int    `json:"seq_id"`
	Index    int    `json:"qsl_idx"`
	Data     string `json:"data"`
}

// LoggedEntries reads an accuracy log by its sequence ids.
func LoggedEntries(t *testing.T, path string) map[int]Entry {
	t.Helper()
	var entries []Entry
	testfile.ReadJSON(t, path, &entries)
	bySequence := make(map[int]Entry, len(entries))
	for _, e := range entries {
		bySequence[e.Sequence] = e
	}
	return bySequence
}

// LoggedClasses reads an accuracy log by qsl_idx, without the project's own reader.
func LoggedClasses(t *testing.T, path string) map[int]float64 {
	t.Helper()
	var entries []struct {
		Index int    `json:"qsl_idx"`
		Data  string `json:"data"`
	}
	testfile.ReadJSON(t, path, &entries)
	classes := make(map[int]float64, len(entries))
	for _, e := range entries {
		data, err := hex.DecodeString(e.Data)
		if err != nil || len(data) != 4 {
			t.Fatalf("sample %d: payload %q: %v", e.Index, e.Data, err)
		}
		classes[e.Index] = float64(backend.View[float32](data)[0])
	}
	return classes
}
