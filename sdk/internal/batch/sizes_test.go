package batch_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
)

// sizing returns a policy that gives sample i the size of[i].
func sizing(of []int, maxSum int, alike bool) *batch.SizePolicy {
	return &batch.SizePolicy{MaxSum: maxSum, Alike: alike, Sizes: func(dst []int, samples []loadgen.QuerySample) []int {
		for _, s := range samples {
			dst = append(dst, of[s.Index])
		}
		return dst
	}}
}

// sizedBatches runs queries of one sample each on a scheduler and returns the sizes in each batch, in the order of the
// runs. With a Server policy the first query runs alone while the others are queued.
func sizedBatches(t *testing.T, p batch.BatchPolicy, of []int) [][]int {
	t.Helper()
	r, err := schedule(t, p, "", func(s *batch.Scheduler, _ *record) {
		if p.Full {
			s.Submit(query(0, len(of)), false)
			return
		}
		for _, q := range query(0, len(of)) {
			s.Submit([]loadgen.QuerySample{q}, false)
			synctest.Wait()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	var batches [][]int
	rest := r.answered
	for _, n := range r.batches {
		var sizes []int
		for _, id := range rest[:n] {
			sizes = append(sizes, of[id])
		}
		batches, rest = append(batches, sizes), rest[n:]
	}
	wantAnswers(t, r, len(of))
	return batches
}

func TestBatchesBySize(t *testing.T) {
	server := batch.BatchPolicy{Sessions: 1, Workers: 1, MaxBatch: 3}
	offline := batch.BatchPolicy{Sessions: 1, Workers: 1, MaxBatch: 3, Full: true}
	for _, c := range []struct {
		name   string
		policy batch.BatchPolicy
		maxSum int
		alike  bool
		sizes  []int
		want   [][]int
	}{
		{"a sum", server, 10, false, []int{1, 4, 4, 4, 9, 2, 1}, [][]int{{1}, {4, 4}, {4}, {9}, {2, 1}}},
		{"a sum, offline", offline, 10, false, []int{5, 5, 5, 1, 1, 1, 1}, [][]int{{5, 5}, {5, 1, 1}, {1, 1}}},
		{"above the sum alone", server, 10, false, []int{1, 99, 99, 1}, [][]int{{1}, {99}, {99}, {1}}},
		{"no rule", server, 0, false, []int{1, 9, 1, 9}, [][]int{{1}, {9, 1, 9}}},
		{"alike, the oldest first", server, 0, true, []int{1, 9, 1, 8, 2, 9, 1}, [][]int{{1}, {9, 9, 8}, {1, 2, 1}}},
		{"few wait: all join", server, 0, true, []int{1, 9, 1, 5}, [][]int{{1}, {9, 1, 5}}},
		{"alike and a sum", server, 10, true, []int{1, 5, 1, 5, 1, 4, 1}, [][]int{{1}, {5, 5}, {1, 1, 1}, {4}}},
		{"alike, offline: the largest first", offline, 0, true, []int{1, 9, 2, 8, 3, 7, 4},
			[][]int{{9, 8, 7}, {4, 3, 2}, {1}}},
		{"alike and a sum, offline", offline, 10, true, []int{1, 9, 2, 8, 3, 7, 4}, [][]int{{9}, {8}, {7}, {4, 3, 2}, {1}}},
		{"sizes below 0 count as 0", server, 10, false, []int{1, -5, -5, 10}, [][]int{{1}, {-5, -5, 10}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.policy.Sizing = sizing(c.sizes, c.maxSum, c.alike)
			if got := sizedBatches(t, c.policy, c.sizes); !slices.EqualFunc(got, c.want, slices.Equal) {
				t.Errorf("batches %v, want %v", got, c.want)
			}
		})
	}
}

// Every worker that a query can occupy is woken, although the number of samples does not determine the number of
// batches.
func TestSizesOccupyAllSessions(t *testing.T) {
	sizes := []int{9, 9, 9, 9}
	p := batch.BatchPolicy{Sessions: 4, Workers: 4, MaxBatch: 100, Sizing: sizing(sizes, 10, false)}
	r, err := schedule(t, p, "", func(s *batch.Scheduler, _ *record) {
		synctest.Wait()
		s.Submit(query(0, 4), false)
	})
	if err != nil || r.most != 4 {
		t.Errorf("%d batches at a time, want 4; error %v", r.most, err)
	}
	wantAnswers(t, r, 4)
}

// A sample whose size matches no other is not overtaken forever.
func TestNobodyStarves(t *testing.T) {
	const n = 2000
	sizes := make([]int, n)
	for i := range sizes {
		sizes[i] = 10 + i%3
	}
	const odd = 500
	sizes[odd] = 5000
	p := batch.BatchPolicy{Sessions: 1, Workers: 1, MaxBatch: 4, Sizing: sizing(sizes, 0, true)}
	r, err := schedule(t, p, "", func(s *batch.Scheduler, _ *record) { s.Submit(query(0, n), false) })
	if err != nil {
		t.Fatal(err)
	}
	for id, at := range positions(r.answered) {
		if at > id+4*p.MaxBatch {
			t.Fatalf("sample %d (size %d) was answered as number %d", id, sizes[id], at)
		}
	}
	wantAnswers(t, r, n)
}

// positions returns the position at which each id was answered.
func positions(answered []loadgen.ResponseID) []int {
	at := make([]int, len(answered))
	for i, id := range answered {
		at[id] = i
	}
	return at
}

func TestAlikePadsLittle(t *testing.T) {
	const n = 4000
	rng := rand.New(rand.NewPCG(1, 2))
	sizes := make([]int, n)
	for i := range sizes {
		sizes[i] = 20 + rng.IntN(364)
	}
	for name, c := range map[string]struct {
		full, alike bool
		least, most float64 // padded size over the sum of sizes
	}{
		"server":           {false, true, 1, 1.08},
		"offline":          {true, true, 1, 1.02},
		"server, unsorted": {false, false, 1.3, 2},
	} {
		p := batch.BatchPolicy{Sessions: 1, Workers: 1, MaxBatch: 8, Full: c.full, Sizing: sizing(sizes, 0, c.alike)}
		r, err := schedule(t, p, "", func(s *batch.Scheduler, _ *record) { s.Submit(query(0, n), false) })
		if err != nil {
			t.Fatal(err)
		}
		if share := padding(r, sizes); share < c.least || share > c.most {
			t.Errorf("%s: padded by a factor of %.3f, want %v to %v", name, share, c.least, c.most)
		}
	}
}

// padding returns the padded size of all batches, with each sample as large as the largest of its batch, divided by the
// sum of the sizes.
func padding(r *record, sizes []int) float64 {
	sum, padded, rest := 0, 0, r.answered
	for _, n := range r.batches {
		largest := 0
		for _, id := range rest[:n] {
			sum += sizes[id]
			largest = max(largest, sizes[id])
		}
		padded, rest = padded+n*largest, rest[n:]
	}
	return float64(padded) / float64(sum)
}

func TestOfflineSortsAcrossFrames(t *testing.T) {
	sizes := []int{5, 1, 9, 2, 8, 3}
	p := batch.BatchPolicy{Sessions: 1, Workers: 1, MaxBatch: 4, Full: true, Sizing: sizing(sizes, 0, true)}
	r, err := schedule(t, p, "", func(s *batch.Scheduler, r *record) {
		q := query(0, 6)
		s.Submit(q[:3], true)
		synctest.Wait()
		if len(r.batches) > 0 {
			t.Errorf("ran %v before a batch was full", r.batches)
		}
		s.Submit(q[3:], false)
	})
	if err != nil || !slices.Equal(r.answered, []loadgen.ResponseID{2, 4, 0, 5, 3, 1}) {
		t.Errorf("answered in the order %v, error %v", r.answered, err)
	}
}
