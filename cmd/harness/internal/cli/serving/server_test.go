package serving_test

import (
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
)

// lateServer is a server that answers 503 to the first requests, as one that loads its model does.
func lateServer(t *testing.T, late int64) string {
	t.Helper()
	var asked atomic.Int64
	whole := openaitest.New(openaitest.Options{Owner: "vllm", IDs: true})
	return handle(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) <= late {
			http.Error(w, `{"error": {"message": "Loading model"}}`, http.StatusServiceUnavailable)
			return
		}
		whole.ServeHTTP(w, r)
	}))
}

// TestWait waits for servers that are not ready, and says how long it took.
func TestWait(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	asked := []string{"--concurrency", "1", "--requests", "2", "--isl", "4", "--osl", "2"}
	s.Want(6, bench(s, lateServer(t, 1<<40), append(asked, "--out", "once")...), "Loading model")
	s.Want(6, bench(s, lateServer(t, 1<<40), append(asked, "--out", "never", "--wait", "300ms")...),
		"is not ready after 0.3 s", "Loading model")
	s.Want(2, bench(s, lateServer(t, 0), append(asked, "--wait", "-1s")...), "--wait -1s")
	s.Want(0, bench(s, lateServer(t, 3), append(asked, "--out", "late", "--wait", "10m")...),
		"waiting up to 10 min for http", "cold start: ready after ", "first answer in ")
	if c := readSweep(t, "late").ColdStart; c == nil || c.Waited <= 0 || c.FirstAnswer <= 0 {
		t.Errorf("the cold start: %+v", c)
	}
	s.Want(0, bench(s, lateServer(t, 0), append(asked, "--out", "ready", "--wait", "10m")...))
	if c := readSweep(t, "ready").ColdStart; c != nil || strings.Contains(s.Stdout.String(), "cold start") {
		t.Errorf("of a server that was ready: %+v", c)
	}
	s.Want(0, s.Run("probe", lateServer(t, 2), "--wait", "10m"), "mock")
}

// TestPrice shows what a million tokens cost on a server of a price, and takes the cost as a condition.
func TestPrice(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true})
	asked := []string{"--concurrency", "1", "--requests", "4", "--isl", "4", "--osl", "2"}
	s.Want(0, bench(s, url, append(asked, "--out", "priced", "--price", "3.6", "--fail-if", "cost > 1e12")...), "COST/M")
	f := readSweep(t, "priced").Points[0].Serving.Figures
	want := 3.6 / 3600 * 1e6 / *f.TokensPerSec
	if f.MillionTokenCost == nil || math.Abs(*f.MillionTokenCost/want-1) > 1e-9 {
		t.Errorf("the cost is %v, want %v", f.MillionTokenCost, want)
	}
	for _, bad := range []string{"0", "-1", "much", "NaN", "Inf"} {
		s.Want(2, bench(s, url, append(asked, "--out", "bad", "--price", bad)...), "is not a price: want a number above 0")
	}
}
