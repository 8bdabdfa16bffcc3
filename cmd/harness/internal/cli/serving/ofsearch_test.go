package serving

import (
	"testing"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/internal/serving/search"
)

// TestOfSearch: what ends a search has an exit code of its own.
func TestOfSearch(t *testing.T) {
	for ended, want := range map[search.EndReason]exitcode.Code{
		search.EndedByServer: 0, search.EndedByMax: 0, search.EndedByNone: 3, search.EndedByClient: 7, search.EndedByFew: 8,
		"": 3,
	} {
		if got := exitcode.Of(searchOutcome(ended)); got != want {
			t.Errorf("ended by %q: %d, want %d", ended, got, want)
		}
	}
}
