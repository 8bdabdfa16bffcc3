package openai

import (
	"net/url"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func TestShares(t *testing.T) {
	a, b := &url.URL{Scheme: "http", Host: "a"}, &url.URL{Scheme: "http", Host: "b"}
	if got := newBalancer([]*url.URL{a}, 1).shares(); got != nil {
		t.Errorf("shares of one server alone: %v, want none", got)
	}
	both := newBalancer([]*url.URL{a, b}, 1)
	for _, i := range []int{0, 1, 1} {
		both.markHealthy(both.endpoints[i])
	}
	both.markLost(both.endpoints[0], nil)
	want := []backend.WorkShare{{Name: "http://a", Batches: 1, Samples: 1}, {Name: "http://b", Batches: 2, Samples: 2}}
	if got := both.shares(); !slices.Equal(got, want) {
		t.Errorf("shares %v, want %v", got, want)
	}
	both.resetShares()
	if got := both.shares(); got[0].Batches+got[1].Samples != 0 {
		t.Errorf("shares %v after restart, want none", got)
	}
}
