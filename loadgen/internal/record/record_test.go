package record

import (
	"context"
	"sync"
	"testing"
)

func TestCompleteTellsFaults(t *testing.T) {
	r := New(10, 4, Latencies, 1)
	r.Issue(0, 2)
	for _, c := range []struct {
		id   uint32
		want Fault
	}{{10, None}, {11, None}, {10, Twice}, {12, NotIssued}, {13, NotIssued}, {14, NotIssued}, {1 << 31, NotIssued}, {9,
		Twice}, {0, Twice}} {
		if got := r.Complete(c.id, 5); got != c.want {
			t.Errorf("Complete(%d) = %v, want %v", c.id, got, c.want)
		}
	}
	if r.Done(0) != 5 || r.Done(1) != 5 || r.Done(2) != 0 {
		t.Errorf("times %d %d %d", r.Done(0), r.Done(1), r.Done(2))
	}
}

// Of three lanes, the first has issued samples 0 and 3, the second 1.
func TestLanes(t *testing.T) {
	r := New(100, 9, Latencies, 3)
	r.Issue(0, 2)
	r.Issue(1, 1)
	for id, want := range map[uint32]Fault{100: None, 101: None, 102: NotIssued, 103: None, 104: NotIssued, 106: NotIssued,
		200: NotIssued, 99: Twice} {
		if got := r.Complete(id, 5); got != want {
			t.Errorf("Complete(%d) = %v, want %v", id, got, want)
		}
	}
	r.Finish(3)
	r.Issue(1, 3)
	if r.Issued() != 5 || r.Completed() != 3 || r.Outstanding(0) != 0 || r.Outstanding(1) != 2 || r.Outstanding(2) != 0 {
		t.Errorf("%d issued, %d completed; outstanding %d %d %d",
			r.Issued(), r.Completed(), r.Outstanding(0), r.Outstanding(1), r.Outstanding(2))
	}
}

func TestTokens(t *testing.T) {
	r := New(0, 3, FirstTokens, 1)
	r.Issue(0, 2)
	for _, c := range []struct {
		what      string
		got, want Fault
	}{
		{"few", r.CompleteTokens(0, 5, 1), FewTokens},
		{"negative", r.CompleteTokens(0, 5, -1), FewTokens},
		{"many", r.CompleteTokens(0, 5, 1<<32), ManyTokens},
		{"no first", r.CompleteTokens(0, 5, 2), NoFirstToken},
		{"first", r.FirstToken(0, 3), None},
		{"again", r.FirstToken(0, 4), Again},
		{"complete", r.CompleteTokens(0, 5, 1<<32-1), None},
		{"twice", r.CompleteTokens(0, 6, 2), Twice},
		{"late", r.FirstToken(0, 7), Late},
		{"first of none", r.FirstToken(2, 3), NotIssued},
		{"none", r.CompleteTokens(2, 3, 2), NotIssued},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
	if first, n := r.TokensOf(0); first != 3 || n != 1<<32-1 || r.FirstTokenTimes(1)[0] != 3 || r.TokenCounts(1)[0] != n {
		t.Errorf("first token at %d, %d tokens", first, n)
	}
	if r := New(0, 1, Latencies, 1); r.FirstTokenTimes(1) != nil || r.TokenCounts(1) != nil {
		t.Error("tokens are recorded unasked")
	}
}

// Many goroutines answer while the issuing one waits for each sample in turn; no wake-up is lost.
func TestAwaitSeesEveryAnswer(t *testing.T) {
	const n = 20000
	r := New(0, n, Latencies, 1)
	work := make(chan uint32, 64)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for id := range work {
				if r.Complete(id, int64(id)+1) != None {
					t.Errorf("fault for %d", id)
				}
				r.Finish(1)
			}
		})
	}
	for id := range uint32(n) {
		r.Issue(0, uint64(id)+1)
		work <- id
		if id%3 == 0 && !r.Await(t.Context(), uint64(id)+1) {
			t.Fatalf("gave up on %d", id)
		}
	}
	if !r.Await(t.Context(), n) {
		t.Fatal("gave up on the last")
	}
	close(work)
	wg.Wait()
	for i, at := range r.Times(n) {
		if at != int64(i)+1 {
			t.Fatalf("sample %d at %d", i, at)
		}
	}
}

func TestAwaitEndsWithContext(t *testing.T) {
	r := New(0, 1, Latencies, 1)
	r.Issue(0, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r.Await(ctx, 1) {
		t.Error("Await reports an answer that never came")
	}
}

func BenchmarkComplete(b *testing.B) {
	r := New(0, b.N, Latencies, 1)
	r.Issue(0, uint64(b.N))
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		r.Complete(uint32(i), 7)
		r.Finish(1)
	}
}
