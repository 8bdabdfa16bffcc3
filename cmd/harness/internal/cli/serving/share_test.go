package serving_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/record/requests"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// shares runs so many shares of a load at once, each in a folder DIR/share-I-of-N, and returns these. On a machine that
// is so busy that a start passes before all are ready, they begin anew, later.
func shares(t *testing.T, url string, of int, more ...string) (dirs []string) {
	t.Helper()
	for lead := 2 * time.Second; ; lead *= 2 {
		dir, start := t.TempDir(), time.Now().Add(lead).UTC().Format(time.RFC3339Nano)
		shells, codes := make([]*clitest.Shell, of), make([]int, of)
		var group sync.WaitGroup
		dirs = nil
		for i := range of {
			shells[i] = clitest.New(t)
			dirs = append(dirs, filepath.Join(dir, fmt.Sprintf("share-%d-of-%d", i, of)))
			group.Go(func() {
				codes[i] = bench(shells[i], url, append([]string{"--shard", fmt.Sprintf("%d/%d", i, of), "--start-at", start,
					"--out", dirs[i]}, more...)...)
			})
		}
		group.Wait()
		late := false
		for i, s := range shells {
			late = late || strings.Contains(s.Stderr.String(), "--start-at "+start)
			if !late {
				s.Want(0, codes[i], fmt.Sprintf("share %d/%d: these figures are of its part alone", i, of))
			}
		}
		if !late {
			return dirs
		}
	}
}

// records are the requests of the one point of a folder.
func records(t *testing.T, dir string) []metrics.Request {
	t.Helper()
	in, err := os.Open(filepath.Join(dir, readSweep(t, dir).Points[0].Dir, requests.JSONLName))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }() // opened for reading
	all, err := requests.Read(in)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// asked are the measured requests of folders: their rows and tokens and, of a schedule, when they were due.
func asked(t *testing.T, timed bool, dirs ...string) (all []string) {
	t.Helper()
	for _, dir := range dirs {
		zero := readSweep(t, dir).Points[0].Started
		for _, r := range records(t, dir) {
			text := fmt.Sprintf("row %d of %d tokens", r.Row, r.AskedIn)
			if timed {
				text += fmt.Sprintf(" after %v", zero.Add(time.Duration(r.Due)).Sub(readSweep(t, dir).Share.Start))
			}
			if !r.WarmUp {
				all = append(all, text)
			}
		}
	}
	slices.Sort(all)
	return all
}

// TestShares: what shares send is what one client would have sent, and merged they are one measurement.
func TestShares(t *testing.T) {
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true})
	for name, flags := range map[string]string{
		"users": "--concurrency 5", "rate": "--rate 200 --warmup 0",
	} {
		t.Run(name, func(t *testing.T) {
			more := append(strings.Fields(flags), "--slo", "p99 ttft < 1000s", "--label", "mine")
			dirs := shares(t, url, 3, more...)
			one := shares(t, url, 1, more...)
			timed := name == "rate"
			want, got := asked(t, timed, one...), asked(t, timed, dirs...)
			if len(want) != 20 || !slices.Equal(got, want) {
				t.Errorf("shares asked for\n%s\nand one client for\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			s := clitest.New(t)
			out := filepath.Join(s.Dir, "merged")
			s.Want(0, s.Run(append([]string{"bench", "merge", "--out", out, "--gpus", "2", "--also", "vllm", "--fail-if",
				"requests > 500"}, dirs...)...), "mock at "+url, "/GPU", "GOODPUT", filepath.Join(out, "index.html"))
			f := readSweep(t, out)
			r := f.Points[0].Serving
			if f.Shares == nil || len(f.Shares.Of) != 3 || f.Share != nil || f.Label != "mine" || !f.Complete ||
				r.Figures.Requests != 20 || r.Figures.OK != 20 || r.Holds == nil || !*r.Holds {
				t.Errorf("%+v: %+v", f, r)
			}
			for i, r := range records(t, out) {
				if r.Index != i || r.User > 4 {
					t.Errorf("request %d has the number %d, and is of user %d", i, r.Index, r.User)
				}
			}
			for _, name := range []string{requests.ParquetName, requests.GapsName, "vllm.json", "result.json"} {
				if file(t, filepath.Join(out, f.Points[0].Dir, name)) == "" {
					t.Errorf("%s is empty", name)
				}
			}
			s.Want(0, s.Run("report", out, "--text"), "mock")
			s.Want(3, s.Run(append([]string{"bench", "merge", "--out", out, "--fail-if", "requests > 5"}, dirs...)...),
				"failed: requests > 5")
		})
	}
}

// TestSharesThatDoNotFit are refused, with all that is wrong; nothing is written then.
func TestSharesThatDoNotFit(t *testing.T) {
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true})
	dirs := shares(t, url, 2, "--concurrency", "2")
	s := clitest.New(t)
	t.Chdir(s.Dir)
	merge := func(dirs ...string) int { return s.Run(append([]string{"bench", "merge"}, dirs...)...) }
	s.Want(6, merge(dirs[0]), "these are not the shares of one measurement", "missing: 1/2")
	s.Want(6, merge(dirs[0], dirs[1], dirs[0]), "share 0/2 is there twice")
	s.Want(6, merge(dirs[0], "nothing"), "nothing has no sweep.json")
	path := filepath.Join(dirs[1], sweepfile.Name)
	text := file(t, path)
	for what, c := range map[string]struct{ says, from, to string }{
		"version":  {"version differs", `"version": "`, `"version": "2 `},
		"model":    {`model differs: "mock"`, `"model": "mock"`, `"model": "other"`},
		"server":   {"server differs: ", url + "/v1", "http://other/v1"},
		"seed":     {`seed differs: "1"`, `"seed": 1,`, `"seed": 7,`},
		"load":     {`--concurrency differs: "2"`, "--concurrency=2", "--concurrency=3"},
		"schedule": {`--isl differs: "8"`, "--isl=8", "--isl=9"},
		"prompts":  {"the digest of the prompts differs", `"prompts": "`, `"prompts": "0`},
		"start":    {"start differs", `"start": "2`, `"start": "3`},
		"number":   {"another number of shares", `"of": 2`, `"of": 3`},
	} {
		changed := strings.ReplaceAll(text, c.from, c.to)
		if changed == text {
			t.Fatalf("%s: %q is not in\n%s", what, c.from, text)
		}
		if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		if s.Want(6, merge(dirs...), c.says); t.Failed() {
			t.Fatal(what)
		}
	}
	if _, err := os.Stat("bench-1"); err == nil {
		t.Error("a folder is left of shares that do not fit")
	}
}

// TestSharesAreRefused where no share could be sent.
func TestSharesAreRefused(t *testing.T) {
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true})
	s := clitest.New(t)
	t.Chdir(s.Dir)
	soon := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	past := fmt.Sprint(time.Now().Add(-time.Minute).Unix())
	for flags, says := range map[string]string{
		"--shard 0/2 --concurrency 4 --start-at " + past:             "that is over; this machine's clock says",
		"--shard 0/2 --concurrency 4 --start-at 99999999999":         "more than a day from now",
		"--shard 0/2 --concurrency 4 --start-at soon":                "want a time as",
		"--shard 0/2 --concurrency 1,2 --start-at " + soon:           "--shard takes one load, 2 were given",
		"--shard 0/2 --concurrency 1 --start-at " + soon:             "want one user for each of 2 shares",
		"--shard 0/64 --rate 4 --start-at " + soon:                   "want one request for each of 64 shares",
		"--shard 0/2 --sweep --start-at " + soon:                     "leave --sweep and --find out",
		"--shard 0/2 --rate 4 --loadgen --start-at " + soon:          "LoadGen's tests have one client",
		"--shard 0/2 --rate 4 --fail-if failed>1 --start-at " + soon: "--fail-if needs the whole load",
	} {
		s.Want(2, bench(s, url, strings.Fields(flags)...), says)
	}
	if entries, err := filepath.Glob("*-*"); err != nil || len(entries) > 0 {
		t.Errorf("%v are left, %v", entries, err)
	}
}
