package serving

import (
	"testing"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/internal/serving/search"
)

// TestOfSearch: what ends a search has an exit code of its own.
func TestOfSearch(t *testing.T) {
	for ended, want := range map[search.Ended]exitcode.Code{
		search.ByServer: 0, search.ByMost: 0, search.ByNone: 3, search.ByClient: 7, search.ByFew: 8, "": 3,
	} {
		if got := exitcode.Of(ofSearch(ended)); got != want {
			t.Errorf("ended by %q: %d, want %d", ended, got, want)
		}
	}
}
