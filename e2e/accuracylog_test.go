package e2e

import "testing"

// entry is one line of an accuracy log.
type entry struct {
	Sequence int    `json:"seq_id"`
	Index    int    `json:"qsl_idx"`
	Data     string `json:"data"`
}

// loggedEntries reads an accuracy log by its sequence ids.
func loggedEntries(t *testing.T, path string) map[int]entry {
	t.Helper()
	var entries []entry
	readJSON(t, path, &entries)
	bySequence := make(map[int]entry, len(entries))
	for _, e := range entries {
		bySequence[e.Sequence] = e
	}
	return bySequence
}
