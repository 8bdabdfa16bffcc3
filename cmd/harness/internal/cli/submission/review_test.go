package submission_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/submission/review"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// roundTree writes a tree of runs with the seeds of a round: submitter and rate by turns. They ran as audits.
func roundTree(t *testing.T, root, round string, rates ...any) string {
	t.Helper()
	rules, err := mlconf.Round(round)
	if err != nil {
		t.Fatal(err)
	}
	for pair := range slices.Chunk(rates, 2) {
		var log []byte
		for _, e := range []mllog.DetailEntry{
			{Key: "loadgen_version", Value: strings.TrimPrefix(round, "v")}, {Key: "effective_scenario", Value: "Offline"},
			{Key: "effective_qsl_rng_seed", Value: rules.Seeds.QSL}, {Key: "result_samples_per_second", Value: pair[1]},
			{Key: "effective_performance_issue_same", Value: true},
			{Key: "warning_generic_message", Value: "Found Audit Config file (audit.config).", Warning: true},
		} {
			log = mllog.AppendDetail(log, e)
		}
		folder := filepath.Join(root, "closed", pair[0].(string), "results/box/resnet/Offline/performance/run_1")
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "mlperf_log_detail.txt"), log, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestSubmissionReview(t *testing.T) {
	s := clitest.New(t)
	root := roundTree(t, t.TempDir(), "v6.0", "Lab", 200, "Lob", 300)
	then := roundTree(t, t.TempDir(), "v5.1", "Lab", 100)
	dir := t.TempDir()
	all, pages := filepath.Join(dir, "all.html"), filepath.Join(dir, "pages")
	s.Want(3, s.Run("submission", "review", root, "--against", then, "--html", all, "--pages", pages),
		"round v6.0, by the seeds of 2 of 2 runs", "audit-filed-as-result: an audit's run is filed as the result; "+
			"2 results of 2 submitters", "  closed/Lob, 1 result\n    results/box/resnet/Offline/performance/run_1/"+
			"mlperf_log_detail.txt: an audit's run is filed as the result; found 'Found Audit Config file (audit.config).'; "+
			"expected 'a run without audit.config'",
		"against round v5.1: 1 result of the same systems, 1 without a counterpart",
		"closed/Lab/results/box/resnet/Offline: 200.00 Samples/s, was 100.00: +100.0 %, better; LoadGen '6.0', was '5.1'",
		"round v6.0: 2 results, 2 to act on, of ")
	for name, has := range map[string][]string{all: {"closed/Lab", "closed/Lob"}, pages + "/Lab.html": {"closed/Lab"},
		pages + "/Lob.html": {"closed/Lob"}} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, submitter := range []string{"closed/Lab", "closed/Lob"} {
			if strings.Contains(string(text), submitter) != slices.Contains(has, submitter) {
				t.Errorf("%s should be of %q alone", name, has)
			}
		}
	}
	s.Want(3, s.Run("submission", "review", filepath.Join(root, "closed", "Lob"), "--json"))
	var r review.Review
	if err := json.Unmarshal([]byte(s.Stdout.String()), &r); err != nil || r.Round != "v6.0" || r.Results != 1 ||
		r.Kinds[0].Submitters[0].Folder != "closed/Lob" || len(r.Kinds[0].Submitters) != 1 {
		t.Errorf("%v: %+v", err, r)
	}
	s.Want(3, s.Run("submission", "review", root, "--submitter", "Lab", "--rules", "v6.1"), "round v6.1, as --rules says",
		"a seed is not the round's")
}

// TestSubmissionReviewOfNoLogs: a result whose logs are pointers to what was not downloaded is not passed.
func TestSubmissionReviewOfNoLogs(t *testing.T) {
	s := clitest.New(t)
	root := roundTree(t, t.TempDir(), "v6.0", "Lab", 200)
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n"
	log := filepath.Join(root, "closed/Lab/results/box/resnet/Offline/performance/run_1/mlperf_log_detail.txt")
	for text, reason := range map[string]string{pointer: "git lfs pull", "": "--rules", "x": "--rules"} {
		if err := os.WriteFile(log, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		s.Want(2, s.Run("submission", "review", root), "the round is not known", reason)
		s.Want(3, s.Run("submission", "review", root, "--rules", "v6.0"),
			"logs: a log is missing or cannot be read, and its run is not judged; 1 result", "1 result, 1 to act on")
	}
}

// TestSubmissionReviewOfNoRound: what is wrong with the tree is the first line.
func TestSubmissionReviewOfNoRound(t *testing.T) {
	s := clitest.New(t)
	root := roundTree(t, t.TempDir(), "v6.0", "Lab", 200)
	both := t.TempDir()
	roundTree(t, filepath.Join(both, "six"), "v6.0", "Lab", 1)
	roundTree(t, filepath.Join(both, "five"), "v5.1", "Lab", 1)
	mixed := roundTree(t, roundTree(t, t.TempDir(), "v6.0", "Lab", 200), "v5.1", "Lob", 100)
	silent := t.TempDir()
	for _, folder := range []string{silent + "/closed/Lab/results/box", root + "/closed/Lab/src"} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{t.TempDir()}, "no submission in"},
		{[]string{filepath.Join(root, "none")}, "none"},
		{[]string{s.File("text.txt", "x")}, "not a directory"},
		{[]string{both}, "it holds the trees five, six: name one of them"},
		{[]string{mixed}, "holds runs of v"},
		{[]string{filepath.Join(root, "closed/Lab/src")}, "no result in"},
		{[]string{filepath.Join(silent, "closed/Lab"), "--rules", "v6.0", "--submitter", "Lab"}, "no result in"},
		{[]string{silent}, "name the round with --rules"},
		{[]string{root, "--rules", "v0.1"}, `"v0.1"`},
		{[]string{root, "--submitter", "Lap"}, "Lab"},
		{[]string{root, "--against", t.TempDir()}, "--against"},
		{[]string{root, "--against", mixed}, "--against"},
		{[]string{root, "--html", filepath.Join(root, "none", "x.html")}, "none"},
	} {
		code := s.Run(append([]string{"submission", "review"}, c.args...)...)
		want := 2
		if slices.Contains(c.args, "--html") {
			want = code
		}
		first, _, _ := strings.Cut(s.Stderr.String(), "\n")
		if code == 0 || code == 3 || code != want || !strings.Contains(first, c.want) || s.Stdout.String() != "" {
			t.Errorf("%q: exit code %d, %q, want %q", c.args, code, first, c.want)
		}
	}
}
