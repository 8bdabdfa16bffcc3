package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/check"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/testkit/madetrees"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// official is a process with the official checker and visualizer, which waits for folders.
type official struct {
	in  io.Writer
	out *bufio.Scanner
}

// answer is what the official programs say of a folder.
type answer struct {
	Rows    [][4]string // rule, severity, path, section
	Code    *int
	Strict  *int
	Died    string
	Bundle  bool
	VizDied string `json:"viz_died"`
}

// startOfficial starts the official programs of the Python that the environment names: make test-official
// OF=endpoints-1.0. Without it the test is skipped.
func startOfficial(t *testing.T) official {
	t.Helper()
	python := os.Getenv("PLUMBLINE_ENDPOINTS_PYTHON")
	if python == "" {
		t.Skip("PLUMBLINE_ENDPOINTS_PYTHON names no Python with endpoints-submission-cli and mlperf-viz: " +
			"make test-official OF=endpoints-1.0 PYTHON=")
	}
	cmd := exec.Command(python, filepath.Join("testdata", "official.py"))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
			t.Error(err)
		}
	})
	o := official{in, bufio.NewScanner(out)}
	o.out.Buffer(nil, 64<<20)
	return o
}

// ask gives what the programs say of a folder.
func (o official) ask(t *testing.T, org, bundle string) (a answer) {
	t.Helper()
	line, err := json.Marshal(map[string]string{"org": org, "bundle": bundle})
	if err == nil {
		_, err = fmt.Fprintf(o.in, "%s\n", line)
	}
	if err == nil && !o.out.Scan() {
		err = fmt.Errorf("the process of the official programs ended: %w", o.out.Err())
	}
	if err == nil {
		err = json.Unmarshal(o.out.Bytes(), &a)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// tally counts what was compared.
type tally struct {
	trees, rows, accepted, died, bundles, blind int
}

func (n tally) String() string {
	return fmt.Sprintf("%d trees, %d rows, %d accepted; the official checker dies of %d; %d bundles, none of %d", n.trees,
		n.rows, n.accepted, n.died, n.bundles, n.blind)
}

// compare runs both checkers and both makers of bundles on a folder ORG, and gives by what they differ.
func (o official) compare(t *testing.T, org string, n *tally) (all []string) {
	t.Helper()
	bundle := filepath.Join(t.TempDir(), "bundle.json")
	want := o.ask(t, org, bundle)
	r, err := check.Check(org, endpoints.NewestRules())
	if err != nil {
		t.Fatal(err)
	}
	n.trees++
	if want.Died != "" {
		n.died++
		t.Logf("the official checker dies: %s", want.Died)
	} else {
		n.rows += len(want.Rows)
		all = append(all, rowDifferences(r, want)...)
	}
	if want.Code != nil && *want.Code == 0 {
		n.accepted++
	}
	if !want.Bundle {
		n.blind++
		return all
	}
	n.bundles++
	read, err := Read(org, endpoints.NewestRules())
	if err != nil {
		return append(all, fmt.Sprintf("the bundle: %v", err))
	}
	var out bytes.Buffer
	if err := read.WriteViz(&out, time.Unix(0, 0)); err != nil {
		return append(all, fmt.Sprintf("the bundle: %v", err))
	}
	return append(all, bundleDifferences(t, out.Bytes(), bundle)...)
}

// rowDifferences are the rows, counts and exit codes by which a report is not the official one.
func rowDifferences(r *check.Report, want answer) (all []string) {
	left := map[[4]string]int{}
	for _, row := range want.Rows {
		left[row]++
	}
	for _, row := range r.Rows {
		key := [4]string{row.Rule, string(row.Severity), row.Path, row.Section}
		if left[key]--; left[key] < 0 {
			all = append(all, fmt.Sprintf("too much: %v: %s", key, row.Message))
		}
	}
	for key, n := range left {
		if n > 0 {
			all = append(all, fmt.Sprintf("missing %d of %v", n, key))
		}
	}
	code, strict := 0, 0
	if r.Count(check.Error) > 0 {
		code, strict = 1, 1
	}
	if r.Count(check.Warning) > 0 {
		strict = 1
	}
	if *want.Code != code || *want.Strict != strict {
		all = append(all, fmt.Sprintf("exit codes %d and, strict, %d, want %d and %d", code, strict, *want.Code,
			*want.Strict))
	}
	return all
}

// notFinite are numbers that JSON has no form for, which the visualizer writes as Python does; ours are null.
var notFinite = strings.NewReplacer(": NaN", ": null", ": Infinity", ": null", ": -Infinity", ": null",
	"[NaN", "[null", " NaN", " null", " Infinity", " null", " -Infinity", " null")

func bundleDifferences(t *testing.T, ours []byte, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got, want map[string]any
	finite := notFinite.Replace(string(text))
	if err := errors.Join(json.Unmarshal(ours, &got), json.Unmarshal([]byte(finite), &want)); err != nil {
		return []string{fmt.Sprintf("the bundle: %v", err)}
	}
	for _, b := range []map[string]any{got, want} {
		delete(b, "generated_at")
		delete(b, "source_root") // ours is where the golden bundles were made from
		warnings, _ := b["warnings"].([]any)
		for i, w := range warnings { // the words are ours
			warnings[i], _, _ = strings.Cut(fmt.Sprint(w), ": ")
		}
	}
	return slices.DeleteFunc(differences("bundle", got, want), func(d string) bool {
		// Over a duration that is not finite, the visualizer's figures are 0, and ours are not known.
		return strings.HasSuffix(d, "qps: [null,0]") || strings.HasSuffix(d, "system_tps: [null,0]")
	})
}

// TestOfficialTools: of every golden tree, of TREES random ones (300), and of the submissions in PLUMBLINE_TREE, our
// check and our bundle are those of the official programs.
func TestOfficialTools(t *testing.T) {
	o := startOfficial(t)
	for _, tree := range filepath.SplitList(os.Getenv("PLUMBLINE_TREE")) {
		o.compareOwn(t, tree)
	}
	golden.Each(t, "endpoints/cases.jsonl", func(t *testing.T, file string) {
		all, bases := madetrees.ReadCases(t, file)
		var n tally
		for i, c := range all {
			o.compareTree(t, fmt.Sprintf("golden case %d", i), bases[c.Base], c.Ops, &n)
		}
		t.Logf("golden: %v", n)
		n = tally{}
		seed := setting(t, "SEED", uint64(time.Now().UnixNano()))
		random := rand.New(rand.NewPCG(seed, 0))
		names := slices.Sorted(maps.Keys(bases))
		for i := range setting(t, "TREES", 300) {
			base := bases[names[random.IntN(len(names))]]
			o.compareTree(t, fmt.Sprintf("random tree %d of SEED=%d", i, seed), base,
				madetrees.RandomChanges(t, base, random), &n)
		}
		t.Logf("random, SEED=%d: %v", seed, n)
	})
}

// compareTree compares a changed base.
func (o official) compareTree(t *testing.T, name string, base fstest.MapFS, ops []madetrees.Change, n *tally) {
	t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
		org := filepath.Join(t.TempDir(), "org")
		madetrees.Write(t, madetrees.ChangedTree(t, base, ops), org)
		all := o.compare(t, org, n)
		for _, d := range all {
			t.Error(d)
		}
		if len(all) > 0 {
			text, _ := json.Marshal(ops)
			t.Logf("%s", text)
		}
	})
}

// compareOwn compares a submission of the user's, ORG with a folder SUBMISSION_ID.
func (o official) compareOwn(t *testing.T, tree string) {
	var n tally
	org := filepath.Join(t.TempDir(), "org")
	if err := os.CopyFS(filepath.Join(org, "sub"), os.DirFS(tree)); err != nil {
		t.Fatal(err)
	}
	for _, d := range o.compare(t, org, &n) {
		t.Error(d)
	}
	t.Logf("%s: %v", tree, n)
}

// setting is a number of the environment.
func setting(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(name, err)
	}
	return n
}
