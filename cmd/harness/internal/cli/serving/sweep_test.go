package serving_test

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// folders are those of a sweep's points.
func folders(f *sweepfile.Sweep) string {
	var all []string
	for _, r := range f.Points {
		all = append(all, r.Dir)
	}
	return strings.Join(all, " ")
}

// TestSweepGoesOn: Ctrl-C in the middle of the second point keeps the first, and the same command measures what is
// missing. Another one is refused.
func TestSweepGoesOn(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	first := int64(1 + 2 + 20) // the one that is tried, the warm-up and the requests of the first point
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true, Fault: func(n int64) openaitest.Fault {
		if n == first+9 {
			s.Signals <- syscall.SIGINT
			return openaitest.Fault{Stall: true}
		}
		return openaitest.Fault{}
	}})
	s.Want(130, bench(s, url, "--concurrency", "1,2,4"), "interrupted by signal", "the same command goes on")
	f := readSweep(t, "bench-1")
	if got := folders(f); got != "users-1 users-2" || f.Complete || f.Points[0].Status != record.Complete ||
		f.Points[1].Status != record.Interrupted || f.ExitCode != 130 {
		t.Fatalf("%s: %+v", got, f)
	}
	began := f.Points[0].Started
	s.Want(0, bench(s, url, "--concurrency", "1,2,4"), "bench-1: 1 point is there, and not measured again")
	f = readSweep(t, "bench-1")
	if got := folders(f); got != "users-1 users-2 users-4" || !f.Complete || !f.Points[0].Started.Equal(began) {
		t.Errorf("%s: %+v", got, f)
	}
	before := file(t, filepath.Join("bench-1", sweepfile.CSVName))
	s.Want(0, bench(s, url, "--concurrency", "1,2,4", "--out", "bench-1"), "3 points are there")
	if file(t, filepath.Join("bench-1", sweepfile.CSVName)) != before {
		t.Error("a complete sweep was changed")
	}
	s.Want(2, bench(s, url, "--concurrency", "1,2", "--out", "bench-1"), "another measurement",
		"there with --concurrency=1,2,4", "--force")
	s.Want(0, bench(s, url, "--concurrency", "3", "--out", "bench-1", "--force"))
	if got := folders(readSweep(t, "bench-1")); got != "users-3" {
		t.Error(got)
	}
	if _, err := os.Stat(filepath.Join("bench-1", "users-4")); err == nil {
		t.Error("a point of the sweep that was replaced is left")
	}
	s.Want(0, bench(s, url, "--concurrency", "1,2,4"), filepath.Join("bench-2", "index.html"))
}

// TestFailingServer: failures end a point with a code of their own, and what the server said; a sweep ends with its
// first point.
func TestFailingServer(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true, Fault: func(n int64) openaitest.Fault {
		switch {
		case n == 0: // the one that is tried
			return openaitest.Fault{}
		case n%3 == 0:
			return openaitest.Fault{Status: 500}
		case n%3 == 1:
			return openaitest.Fault{}
		}
		return openaitest.Fault{Status: 429}
	}})
	s.Want(5, bench(s, url, "--concurrency", "2,4", "--requests", "30"), "the server fails", "requests failed", "http_429",
		"http_500", "told to refuse", "too many failures")
	if f := readSweep(t, "bench-1"); folders(f) != "users-2" || f.ExitCode != 5 || f.Points[0].Serving.Ended != "errors" {
		t.Errorf("%+v", f)
	}
	s.Want(0, bench(s, url, "--concurrency", "2", "--max-errors", "100%"), "requests failed; http_")
	s.Want(3, bench(s, url, "--concurrency", "2", "--max-errors", "100%", "--fail-if", "failed > 50%"),
		"failed: failed > 50%")
	s.Want(3, bench(s, url, "--concurrency", "2", "--max-errors", "100%", "--slo", "failed < 50%"), "misses failed < 50%")
}

// TestServersThatDoOtherwise: what a server does otherwise than it was asked to is said, and measured all the same.
func TestServersThatDoOtherwise(t *testing.T) {
	for name, c := range map[string]struct {
		server openaitest.Options
		says   []string
	}{
		"streams nothing": {openaitest.Options{Owner: "vllm", NoStream: true}, []string{"the server does not stream"}},
		"counts nothing":  {openaitest.Options{NoUsage: true}, []string{"the server counts no tokens", "--tokenizer FILE"}},
		"ends early": {openaitest.Options{Tokens: 2, Owner: "vllm", IDs: true},
			[]string{"answers have 2 tokens on average, 4 were asked for"}},
		"sends more": {openaitest.Options{Extra: 4, Owner: "vllm", IDs: true},
			[]string{"answers have 8 tokens on average, 4 were asked for"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := clitest.New(t)
			t.Chdir(s.Dir)
			s.Want(0, bench(s, serve(t, c.server), "--concurrency", "2"), c.says...)
			if f := readSweep(t, "bench-1").Points[0].Serving.Figures; f.OK == 0 || f.FailedTotal() > 0 {
				t.Errorf("%d answered, %d failed", f.OK, f.FailedTotal())
			}
		})
	}
}

// TestTooLong: prompts beyond the context are refused before anything is measured, or by the server's own words.
func TestTooLong(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true, MaxLength: 10})
	s.Want(2, bench(s, url, "--concurrency", "2"), "8 tokens of a prompt and 4 of its answer are more than the 10")
	s.File("long.txt", strings.Repeat("word ", 100)+"\n")
	s.Want(2, s.Run("bench", url, "--data", "long.txt", "--osl", "4", "--concurrency", "2", "--quiet"),
		"the server refuses the request: ", "10")
	if _, err := os.Stat("bench-1"); err == nil {
		t.Error("a folder is left of what was not measured")
	}
}

// TestFaultyData: all faults of a file at once, before the first request.
func TestFaultyData(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true, Fault: func(int64) openaitest.Fault {
		t.Error("a request was sent")
		return openaitest.Fault{}
	}})
	s.File("columns.jsonl", "{\"words\": \"a\"}\n{\"words\": \"b\"}\n")
	s.File("faulty.jsonl", "{\"prompt\": \"a\"}\n{\"prompt\": \n[]\n")
	s.File("empty.jsonl", "")
	for file, says := range map[string][]string{
		"columns.jsonl": {"the columns are words", "--column prompt=NAME"},
		"faulty.jsonl":  {"line 2"}, "empty.jsonl": {"empty.jsonl"},
		"none.jsonl": {"no such file"},
	} {
		s.Want(6, s.Run("bench", url, "--data", file, "--concurrency", "2", "--quiet"), says...)
	}
}

// TestObjectives decide the exit code: one point that keeps them is enough.
func TestObjectives(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true})
	s.Want(0, bench(s, url, "--concurrency", "1,2", "--slo", "p99 ttft < 1000s, failed < 1%"), "GOODPUT")
	f := readSweep(t, "bench-1")
	_, below, _ := strings.Cut(file(t, filepath.Join("bench-1", "index.html")), "</h1>")
	if c := f.Conclusion(); c == "" || f.Ended != "" ||
		!strings.HasPrefix(strings.TrimSpace(html.UnescapeString(below)), `<p class="answer">`+c+"</p>") {
		t.Errorf("the sweep is ended by %q, the conclusion is %q, and the page begins with %.200s", f.Ended, c, below)
	}
	s.Want(3, bench(s, url, "--concurrency", "1,2", "--slo", "p99 ttft < 1ns"), "misses p99 ttft < 1ns",
		"no point counts and keeps p99 ttft < 1ns")
	f = readSweep(t, "bench-2")
	if h := f.Points[0].Serving.Holds; h == nil || *h || f.Best != nil || f.ExitCode != 3 {
		t.Errorf("%+v", f)
	}
	s.Want(0, bench(s, url, "--concurrency", "1", "--slo", "ttft < 1000s"), "GOODPUT") // no point can miss it
	wantSearch(s, 3, "no load keeps all objectives", bench(s, url, "--find", "concurrency", "--slo", "p99 ttft < 1ns"))
	f = readSweep(t, "bench-4")
	if f.Find == nil || f.Find.Found != 0 || len(f.Find.Trials) == 0 || len(f.Points) != len(f.Find.Trials) {
		t.Errorf("%+v", f.Find)
	}
	// Trials of 20 requests tell nothing of a 99th percentile that all of them keep.
	few := []string{"--find", "rate", "--slo", "p99 ttft < 1000s", "--max-requests-per-point", "20", "--out", "few"}
	if wantSearch(s, 8, "not enough data: ", bench(s, url, few...)) {
		s.Want(8, bench(s, url, few...), "needs 100 requests; --max-requests-per-point 100 would do",
			"points are there, and not measured again", "not enough data: ")
	}
	s.Want(3, bench(s, url, "--concurrency", "2", "--fail-if", "requests > 5"), "failed: requests > 5")
	s.Want(0, bench(s, url, "--concurrency", "2", "--fail-if", "requests > 500"))
	s.Want(2, bench(s, url, "--concurrency", "2", "--fail-if", "p98 > 500"), "p98")
}

// wantSearch wants a search to end with a code and a sentence. On a busy machine it may end by the client as well,
// which says so.
func wantSearch(s *clitest.Shell, code int, says string, got int) (told bool) {
	if got == int(exitcode.Client) {
		s.Want(got, got, "the client is the limit")
		return false
	}
	s.Want(code, got, says)
	return true
}

// TestLostFolder: what cannot be written ends the sweep; what is there is kept, and the same command goes on.
func TestLostFolder(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true})
	s.File("out/users-2", "a file in the way")
	s.Want(2, bench(s, url, "--concurrency", "1,2,4", "--out", "out"), "users-2", "the same command goes on")
	if f := readSweep(t, "out"); folders(f) != "users-1" || f.Complete {
		t.Errorf("%+v", f)
	}
	if err := os.Remove(filepath.Join("out", "users-2")); err != nil {
		t.Fatal(err)
	}
	s.Want(0, bench(s, url, "--concurrency", "1,2,4", "--out", "out"), "1 point is there")
	if got := folders(readSweep(t, "out")); got != "users-1 users-2 users-4" {
		t.Error(got)
	}
}

// TestDryRun asks nothing and writes nothing.
func TestDryRunOfBench(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	for flags, says := range map[string]string{
		"": "16 users, 1m0s or 100 requests", "--rate 5 --duration 2m": "5 requests/s, 2m0s",
		"--concurrency 1..4": "4 users", "--sweep": "one user, the maximum",
		"--find rate --slo ttft<1s --rate 3": "from 3 on", "--max --requests 7": "all at once, 7 requests",
	} {
		s.Want(0, s.Run(append([]string{"bench", "127.0.0.1:1", "--dry-run"}, strings.Fields(flags)...)...), says,
			"512 tokens in, 128 out", "nothing is asked")
	}
	if _, err := os.Stat("bench-1"); err == nil {
		t.Error("a folder is left")
	}
}

// TestAutoSweep begins with one user and the maximum.
func TestAutoSweep(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true})
	s.Want(0, bench(s, url, "--sweep"), "LOAD", "maximum")
	got := folders(readSweep(t, "bench-1"))
	if !strings.HasPrefix(got, "users-1 maximum") {
		t.Error(got)
	}
	s.Want(0, bench(s, url, "--sweep", "--out", "bench-1"), fmt.Sprintf("%d points are there", len(strings.Fields(got))))
}
