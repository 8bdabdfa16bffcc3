package batch

import (
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
)

func TestWorkersTakeTheirShare(t *testing.T) {
	for _, c := range []struct {
		policy BatchPolicy
		queued int
		want   []int // the batches in order
	}{
		{BatchPolicy{Sessions: 2, MaxBatch: 8, Share: true}, 1, []int{1}},
		{BatchPolicy{Sessions: 2, MaxBatch: 8, Share: true}, 2, []int{1, 1}},
		{BatchPolicy{Sessions: 2, MaxBatch: 8, Share: true}, 5, []int{3, 1, 1}},
		{BatchPolicy{Sessions: 2, MaxBatch: 2, Share: true}, 9, []int{2, 2, 2, 2, 1}},
		{BatchPolicy{Sessions: 1, MaxBatch: 8, Share: true}, 5, []int{5}},
		{BatchPolicy{Sessions: 2, MaxBatch: 8}, 5, []int{5}},
	} {
		q := newQueue(16, c.policy)
		q.push(make([]loadgen.QuerySample, c.queued), 0, c.policy.MaxBatch, false)
		var got []int
		for left := c.queued; left > 0; {
			n := q.takeBatch(make([]loadgen.QuerySample, c.policy.MaxBatch), make([]int64, c.policy.MaxBatch))
			got, left = append(got, n), left-n
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v, %d queued: batches of %v, want %v", c.policy, c.queued, got, c.want)
		}
	}
}
