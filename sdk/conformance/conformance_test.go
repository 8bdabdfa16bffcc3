package conformance

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk"
)

// subject returns the plugin whose benchmark has a fault.
func subject(t *testing.T, fault string) Subject {
	t.Helper()
	return Subject{
		Binary: plugin("broken"), Queries: 3000, MemoryTime: 10 * time.Minute, Patience: time.Minute,
		Env: []string{"PLUMBLINE_TEST_BROKEN=" + fault, "PLUMBLINE_TEST_LOCK=" + filepath.Join(t.TempDir(), "device.lock")},
	}
}

func TestASoundPluginPasses(t *testing.T) {
	t.Parallel()
	s := subject(t, "none")
	s.Reference = &ReferencePlugin{}
	var names []string
	for _, r := range Run(t.Context(), s, func(r CheckResult) { names = append(names, r.Name) }) {
		if r.Outcome != Pass {
			t.Errorf("%s: %s: %s", r.Name, r.Outcome, r.Detail)
		}
		if r.Detail == "" || r.About == "" {
			t.Errorf("%s: about %q, detail %q", r.Name, r.About, r.Detail)
		}
	}
	if !slices.Equal(names, CheckNames()) {
		t.Errorf("reported %v, want %v", names, CheckNames())
	}
}

// TestAStreamPasses checks a workload whose samples are handed out in reverse order.
func TestAStreamPasses(t *testing.T) {
	t.Parallel()
	s := subject(t, "streams")
	s.Only = []string{"scenarios", "modes", "own-order", "order", "batch", "accuracy"}
	for _, r := range Run(t.Context(), s, nil) {
		if r.Outcome != Pass || r.Name == "own-order" && strings.Contains(r.Detail, "none") {
			t.Errorf("%s: %s: %s", r.Name, r.Outcome, r.Detail)
		}
	}
}

// TestEachCheckCanFail runs each check on a plugin that must fail it.
func TestEachCheckCanFail(t *testing.T) {
	cases := []struct{ check, fault, want string }{
		{"by-hand", "silent by hand", "exit status that is not 0"},
		{"description", "describes itself differently", "different plugins"},
		{"description", "works twice", "want letters, digits and - in action and name, once"},
		{"errors", "copies nothing", "convert copy of an input that is not there: error <nil>, want one of class"},
		{"reality", "size", "the description says 200"},
		{"modes", "by scenario", "payloads differ"},
		{"payloads", "cut", "its own scorer refuses its payloads"},
		{"payloads", "scores anything", "without its last byte"},
		{"payloads", "scores any text", "as if they were whole"},
		{"determinism", "by process", "payloads differ"},
		{"order", "by position", "payloads differ"},
		{"own-order", "leaves one out", "its order leaves out 1 of"},
		{"batch", "by batch", "payloads differ"},
		{"accuracy", "wrong", "the description says 100"},
		{"back-pressure", "hoards", "the process grew"},
		{"cancellation", "never closes", "Close takes more than"},
		{"kill", "locks", "in use by another process"},
		{"memory", "leaks", "the process grew"},
		{"caching", "caches", "answers seem to be kept"},
		{"leftovers", "litters", "files are left"},
		{"leftovers", "daemon", "processes are left"},
	}
	// see below
	tested := map[string]bool{"handshake": true, "heartbeats": true, "scenarios": true, "loading": true, "errors": true,
		"reference": true}
	for _, c := range cases {
		tested[c.check] = true
		t.Run(c.check+", "+c.fault, func(t *testing.T) {
			t.Parallel()
			s := subject(t, c.fault)
			switch c.check {
			case "cancellation": // it waits without result
				s.Patience = 3 * time.Second
			case "back-pressure": // with few samples in progress before the flood
				s.Open.Batch, s.Open.Sessions = 256, 1
			}
			wantFailure(t, c.check, s, c.want)
		})
	}
	for _, name := range CheckNames() {
		if !tested[name] {
			t.Errorf("check %s has no broken plugin", name)
		}
	}
}

// TestLargeBatchesAreNoHoard checks a plugin whose full batches need the same 320 MB each time.
func TestLargeBatchesAreNoHoard(t *testing.T) {
	t.Parallel()
	s := subject(t, "large batches")
	s.Open.Batch, s.Open.Sessions, s.Only = 256, 1, []string{"back-pressure"}
	if results := Run(t.Context(), s, nil); len(results) != 1 || results[0].Outcome != Pass {
		t.Errorf("got %+v, want that it passes", results)
	}
}

// wantFailure runs one check, which must fail for the expected reason.
func wantFailure(t *testing.T, name string, s Subject, want string) {
	t.Helper()
	s.Only = []string{name}
	results := Run(t.Context(), s, nil)
	if len(results) != 1 || results[0].Outcome != Fail || !strings.Contains(results[0].Detail, want) {
		t.Errorf("got %+v, want a failure with %q", results, want)
	}
}

// TestFaultsOfTheWire checks plugins that cannot be made with the sdk.
func TestFaultsOfTheWire(t *testing.T) {
	for _, c := range []struct{ check, fault, want string }{
		{"handshake", "print-before-handshake", "Hello from a C library"},
		{"handshake", "old-version", "version"},
		{"scenarios", "twice", "twice"},
		{"scenarios", "unknown", "which was not issued"},
		{"scenarios", "drop", "not answered"},
		{"heartbeats", "silent-when-idle", "in which nothing was in work"},
		{"heartbeats", "counts-batches", "received 2, answered 2; want "},
		{"heartbeats", "counts-too-much", "received 0, answered 1; want 0 of both"},
		{"loading", "none-raw", "sample 1024 of 1024 was loaded"},
		{"errors", "none-raw", "unknown model"},
	} {
		t.Run(c.check+", "+c.fault, func(t *testing.T) {
			t.Parallel()
			s := Subject{Binary: plugin("faulty"), Env: []string{"PLUMBLINE_FAULT=" + c.fault}, Patience: time.Minute}
			if c.fault == "silent-when-idle" { // it waits without result
				s.Patience = 3 * time.Second
			}
			wantFailure(t, c.check, s, c.want)
		})
	}
}

func TestPayloadsOfText(t *testing.T) {
	s := subject(t, "writes text")
	s.Only = []string{"payloads"}
	for _, r := range Run(t.Context(), s, nil) {
		if r.Outcome != Pass || !strings.Contains(r.Detail, "of text; with bytes that are not UTF-8 it scores") {
			t.Errorf("%s: %s: %s", r.Name, r.Outcome, r.Detail)
		}
	}
}

func TestReferenceOfAnotherBackend(t *testing.T) {
	s := subject(t, "none")
	s.Open.Backend = "other"
	s.Reference = &ReferencePlugin{Open: sdk.Options{Backend: "null"}}
	wantFailure(t, "reference", s, "accuracy is too low")
}

func TestNothingIsTriedAfterAFailedStart(t *testing.T) {
	results := Run(t.Context(), Subject{Binary: "/no/such/plugin"}, nil)
	if CountFailures(results) != 1 || results[0].Name != "handshake" || results[1].Outcome != Skip {
		t.Errorf("%+v", results)
	}
}

func TestNothingIsTriedThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	s := subject(t, "none")
	s.Open.Backend = "no such backend"
	results := Run(t.Context(), s, nil)
	if last := results[len(results)-1]; CountFailures(results) != 1 || last.Outcome != Skip ||
		!strings.Contains(last.Detail, "see reality") {
		t.Errorf("%+v", results)
	}
}

func TestCalledOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, r := range Run(ctx, Subject{Binary: "/no/such/plugin"}, nil) {
		if r.Outcome != Skip || r.Detail != "called off" {
			t.Errorf("%+v", r)
		}
	}
}

func TestCompare(t *testing.T) {
	one, two, text := []byte{0, 0, 0x80, 0x3f}, []byte{0, 0, 0, 0x40}, []byte("abc")
	cases := []struct {
		a, b [][]byte
		want string
	}{
		{[][]byte{one, text}, [][]byte{one, text}, "2 payloads are equal, byte for byte"},
		{[][]byte{text, one}, [][]byte{text, two}, "1 of 2 payloads differ, the first of them that of sample 1, float32 " +
			"values by up to 1"},
		{[][]byte{text}, [][]byte{one}, "1 of 1 payloads differ, the first of them that of sample 0, 1 of them in length"},
		{[][]byte{{1, 0, 0, 0}}, [][]byte{{2, 0, 0, 0}}, "1 of 1 payloads differ, the first of them that of sample 0, up " +
			"to 25 % of a payload's bytes"},
	}
	for _, c := range cases {
		if got := comparePayloads(c.a, c.b).String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestProcessesThatDisagree checks a plugin whose processes open data sets, or list metrics, that differ in number.
func TestProcessesThatDisagree(t *testing.T) {
	two, one := [][]byte{{1}, {2}}, [][]byte{{1}}
	for _, c := range [][2][][]byte{{two, one}, {one, two}} {
		_, err := new(pluginVisit).requireAgreement(t.Context(), nil, c[0], c[1])
		if err == nil || !strings.Contains(err.Error(), "want as many") {
			t.Errorf("%d and %d payloads: error %v", len(c[0]), len(c[1]), err)
		}
	}
	accuracy, loss := sdk.Metric{Name: "accuracy", Value: 90}, sdk.Metric{Name: "loss", Value: 90}
	score := func(metrics ...sdk.Metric) sdk.Score { return sdk.Score{Metrics: metrics} }
	for name, c := range map[string]struct {
		a, b sdk.Score
		same bool
	}{
		"equal":     {score(accuracy, loss), score(accuracy, loss), true},
		"rounding":  {score(accuracy), score(sdk.Metric{Name: "accuracy", Value: 90.01}), true},
		"value":     {score(accuracy), score(sdk.Metric{Name: "accuracy", Value: 89}), false},
		"no number": {score(accuracy), score(sdk.Metric{Name: "accuracy", Value: math.NaN()}), false},
		"fewer":     {score(accuracy, loss), score(accuracy), false},
		"more":      {score(accuracy), score(accuracy, loss), false},
		"others":    {score(accuracy), score(loss), false},
	} {
		if err := requireSameScores(c.a, c.b); (err == nil) != c.same {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestSlowSubjectsAreAskedForLess(t *testing.T) {
	for _, c := range []struct {
		took time.Duration
		want int
	}{{0, defaultSamples}, {time.Second, defaultSamples}, {8 * time.Second, 10}, {time.Hour, minSamples}} {
		if got := affordableSamples(c.took, 8); got != c.want {
			t.Errorf("8 samples in %v: %d, want %d", c.took, got, c.want)
		}
	}
	if got := allowedGrowth(7500, 10_000); got != growthBytes*3/4 {
		t.Errorf("three quarters of the queries may keep %d bytes, want %d", got, growthBytes*3/4)
	}
}

// TestTimeOfChecks requires that checks of the whole data set have no time limit, and that the memory check has the
// user's limit.
func TestTimeOfChecks(t *testing.T) {
	for name, least := range map[string]time.Duration{"accuracy": 0, "reference": 0, "order": checkTimeout,
		"memory": checkTimeout + time.Hour} {
		var until time.Time
		var bounded bool
		c := namedCheck{name: name, run: func(ctx context.Context, _ *pluginVisit) (string, error) {
			until, bounded = ctx.Deadline()
			return "", nil
		}}
		c.runCheck(t.Context(), Subject{MemoryTime: time.Hour}, &sharedResults{})
		if own := least > 0; bounded != own || own && time.Until(until) < least-time.Minute {
			t.Errorf("%s: a bound %v in %v, want one %v after %v", name, bounded, time.Until(until), own, least)
		}
	}
}

func TestDistinct(t *testing.T) {
	if got := distinctLines("one\ntwo\none\ntwo"); got != "one\ntwo" {
		t.Errorf("got %q", got)
	}
}

// TestGrowth requires that temporary memory does not count as growth, and permanent memory does.
func TestGrowth(t *testing.T) {
	for name, c := range map[string]struct {
		seen          []int64
		before, after int64
	}{
		"garbage": {[]int64{10, 90, 20, 80, 30, 95, 15, 85}, 90, 15},
		"leak":    {[]int64{10, 20, 30, 40, 50, 60, 70, 80}, 20, 70},
		"once":    {[]int64{10}, 10, 10},
	} {
		if before, after := quarterBounds(c.seen); before != c.before || after != c.after {
			t.Errorf("%s: %d and %d, want %d and %d", name, before, after, c.before, c.after)
		}
	}
}
