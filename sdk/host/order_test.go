package host

import (
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
)

func TestOrder(t *testing.T) {
	o := newOrder([]int64{2, 0, 1})
	next := loadgen.ResponseID(0)
	ask := func(n int) (got []loadgen.SampleIndex) {
		asked := make([]loadgen.QuerySample, n)
		for i := range asked {
			asked[i] = loadgen.QuerySample{ID: next, Index: 7}
			next++
		}
		for i, s := range o.handOut(asked) {
			if s.ID != asked[i].ID || asked[i].Index != 7 {
				t.Errorf("id %d for %+v", s.ID, asked[i])
			}
			got = append(got, s.Index)
		}
		return got
	}
	want := func(got []loadgen.SampleIndex, want ...loadgen.SampleIndex) {
		t.Helper()
		for i := range want {
			if len(got) != len(want) || got[i] != want[i] {
				t.Errorf("samples %v, want %v", got, want)
				return
			}
		}
	}
	want(ask(2), 2, 0)
	want(ask(1), 1)
	want(ask(4), 2, 0, 1, 2)
	o.restartOrder()
	want(ask(1), 2)
	o = newOrder(nil)
	o.restartOrder()
	want(ask(2), 7, 7)
}
