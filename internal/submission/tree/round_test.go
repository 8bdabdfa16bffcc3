package tree

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

func put(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// seedOf is the first seed of a round.
func seedOf(t *testing.T, round string) uint64 {
	t.Helper()
	r, err := mlconf.Round(round)
	if err != nil {
		t.Fatal(err)
	}
	return r.Seeds.QSL
}

// TestFindRound finds every round by every form that its logs have.
func TestFindRound(t *testing.T) {
	const run = "closed/Lab/results/box/resnet/Offline/performance/run_1/"
	forms := map[string]func(seed uint64) (name, text string){
		"summary": func(seed uint64) (string, string) {
			return SummaryLog, fmt.Sprintf("samples_per_query : 1\nqsl_rng_seed : %d\nsample_index_rng_seed : 7\n", seed)
		},
		"detail": func(seed uint64) (string, string) {
			return DetailLog, fmt.Sprintf(`:::MLLOG {"key": "effective_qsl_rng_seed", "value": %d, "time_ms": 1.5}`, seed)
		},
		"old detail": func(seed uint64) (string, string) {
			return DetailLog, fmt.Sprintf("\"pid\": 7, \"tid\": 8, \"ts\": 120ns : qsl_rng_seed : %d\r\n", seed)
		},
	}
	for _, round := range mlconf.Rounds() {
		for form, log := range forms {
			root := t.TempDir()
			name, text := log(seedOf(t, round))
			put(t, root, run+name, text)
			got, err := FindRound(root)
			if err != nil || got != (FoundRound{Name: round, Runs: 1, RunsRead: 1}) {
				t.Errorf("%s by its %s: %+v, %v", round, form, got, err)
			}
		}
	}
}

// TestRoundsThatAreNotFound says why a round is not known.
func TestRoundsThatAreNotFound(t *testing.T) {
	log := func(round string) string { return fmt.Sprintf("qsl_rng_seed : %d\n", seedOf(t, round)) }
	run := func(submitter string) string {
		return "closed/" + submitter + "/results/box/resnet/Offline/performance/run_1/" + SummaryLog
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  error
		text  string
	}{
		"another project": {map[string]string{"src/main.c": ""}, ErrNoSubmission, "want closed, network or open there"},
		"pointers": {map[string]string{run("Lab"): "version https://git-lfs.github.com/spec/v1\noid sha256:00\n"}, ErrRound,
			"are pointers of Git LFS, closed/Lab/"},
		"seeds of no round": {map[string]string{run("Lab"): "qsl_rng_seed : 12\n"}, ErrRound,
			"seeds of no round from v0.5 to"},
		"two rounds": {map[string]string{run("Lab"): log("v5.1"), run("Lab2"): log("v5.1"), run("Lab3"): log("v6.0")},
			ErrRound, "holds runs of v5.1 and of v6.0"},
		"no results": {map[string]string{"open/Lab/systems/box.json": "{}"}, ErrRound, "has no log of a performance run"},
	} {
		root := t.TempDir()
		for file, text := range c.files {
			put(t, root, file, text)
		}
		if _, err := FindRound(root); !errors.Is(err, c.want) || !strings.Contains(fmt.Sprint(err), c.text) {
			t.Errorf("%s: %v, want %q", name, err, c.text)
		}
	}
	if _, err := FindRound(filepath.Join(t.TempDir(), "none")); !errors.Is(err, ErrOpen) {
		t.Errorf("no folder: %v", err)
	}
}

// TestOneStrangeRunDoesNotHideTheRound: a run of many with seeds of another round, or of none, does not count.
func TestOneStrangeRunDoesNotHideTheRound(t *testing.T) {
	root := t.TempDir()
	for i := range 12 {
		round := "v4.1"
		if i == 3 {
			round = "v5.0"
		}
		put(t, root, fmt.Sprintf("open/Lab%02d/results/box/bert-99/Server/performance/run_1/%s", i, SummaryLog),
			fmt.Sprintf("qsl_rng_seed : %d\n", seedOf(t, round)))
	}
	if got, err := FindRound(root); err != nil || got.Name != "v4.1" || got.Runs != 11 || got.RunsRead != 12 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestRootOf finds the tree of every folder in it, and none where a folder only has a division's name.
func TestRootOf(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	tree := filepath.Join(root, "open", "round")
	put(t, tree, "closed/Lab/results/box/resnet/Offline/performance/run_1/"+SummaryLog, "")
	put(t, tree, "closed/Lab/systems/box.json", "{}")
	for _, below := range []string{".", "closed", "closed/Lab", "closed/Lab/results/box", "closed/Lab/systems",
		"closed/Lab/results/box/resnet/Offline/performance/run_1"} {
		got, at, ok := RootOf(filepath.Join(tree, filepath.FromSlash(below)))
		if got != tree || at != below || !ok {
			t.Errorf("%s: %s, %s, %t", below, got, at, ok)
		}
	}
	if got, _, ok := RootOf(filepath.Join(root, "open")); ok {
		t.Errorf("a folder called open: %s", got)
	}
}
