package host

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestNetworkNameAsksEachTime(t *testing.T) {
	asked := 0
	n := &networkName{ask: func(ctx context.Context) ([]string, error) {
		if _, bounded := ctx.Deadline(); !bounded {
			t.Error("the question has no end")
		}
		asked++
		return []string{"node-a", ""}, nil
	}}
	for range 2 {
		if got, want := n.sutName("Plumbline m (kserve)"),
			"Network SUT Plumbline m (kserve): node-a, (no name)"; got != want {
			t.Errorf("name %q, want %q", got, want)
		}
	}
	if asked != 2 || n.nameError() != nil {
		t.Errorf("asked %d times, fault %v", asked, n.nameError())
	}
}

func TestNetworkNameKeepsItsFault(t *testing.T) {
	asked, gone := 0, errors.New("node h:1: gone")
	n := &networkName{ask: func(context.Context) ([]string, error) { asked++; return nil, gone }}
	for range 2 {
		if got := n.sutName("x"); !strings.Contains(got, "Network SUT") {
			t.Errorf("name %q", got)
		}
	}
	if asked != 1 || !errors.Is(n.nameError(), gone) {
		t.Errorf("asked %d times, fault %v", asked, n.nameError())
	}
	var none *networkName
	if none.nameError() != nil {
		t.Error("a SUT of another division has a fault")
	}
}
