// Package published runs the submission tools on whole published rounds (make test-published). Its tests need copies of
// the rounds' repositories and are skipped without them. The expected results name no submitter.
package published

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/submission/official/checker"
	"github.com/plumbline-ml/plumbline/internal/submission/official/former"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// expected is what is known of a published round. It names no submitter and no path.
type expected struct {
	Commit    string `json:"commit"` // the repository's, of which the rest is true
	Summaries int    `json:"summaries"`
	// Refused are summaries that cannot be read, each looked at by hand: empty ones, and runs that were broken off.
	Refused int       `json:"refused"`
	Logs    logCounts `json:"logs"`
	// Filed are the rows of the official checker's summaries that submitters have filed, and those of them that are ours.
	Filed   [2]int `json:"filed,omitzero"`
	*Judged        // nil: the round has no layout
}

// Judged is what the tools say of a round whose layout is known.
type Judged struct {
	Results int            `json:"results"` // that are judged
	Figures int            `json:"figures"` // of them that are published, in summary_results.json
	Rejects map[string]int `json:"rejects"` // by kind: each is a true finding
	Digest  string         `json:"sha256"`  // of the sorted list of rejects
}

const home = "testdata/expected.json"

// row is a line of the table that is printed.
type row struct {
	round                             string
	summaries, refused                int
	logs                              logCounts
	results, leftOut, published, same int
	rows, sameRows                    int // of DIR.csv; -1: no official summary is given
	filed, sameFiled                  int // of summaries in the tree; -1: there are none
	rejects, unknown                  int // unknown ones are false until they are looked at
}

// TestPublished reads whole rounds: see CONTRIBUTING.md.
func TestPublished(t *testing.T) {
	folder := os.Getenv("PLUMBLINE_RESULTS")
	if folder == "" {
		t.Skip("PLUMBLINE_RESULTS names no folder of published rounds")
	}
	known := map[string]expected{}
	readJSON(t, home, &known)
	found := map[string]expected{}
	var table []row
	for _, round := range slices.SortedFunc(maps.Keys(known), byVersion) {
		name := filepath.Join(folder, "inference_results_"+round)
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			t.Logf("%s: there is no %s", round, name)
			continue
		}
		t.Run(round, func(t *testing.T) {
			line, got := tryRound(t, name, round, known[round])
			table, found[round] = append(table, line), got
		})
	}
	if len(table) == 0 {
		t.Fatalf("%s has none of the folders inference_results_ROUND", folder)
	}
	printTable(table)
	keep(t, known, found)
}

// keep writes what was found into the folder PLUMBLINE_OUT, as a new testdata/expected.json.
func keep(t *testing.T, known, found map[string]expected) {
	t.Helper()
	out := os.Getenv("PLUMBLINE_OUT")
	if out == "" {
		return
	}
	all := maps.Clone(known)
	maps.Copy(all, found)
	text, err := json.MarshalIndent(all, "", " ")
	if err == nil {
		err = os.WriteFile(filepath.Join(out, "expected.json"), append(text, '\n'), 0o666)
	}
	if err != nil {
		t.Error(err)
	}
}

func readJSON(t *testing.T, name string, to any) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func byVersion(a, b string) int {
	number := func(round string) float64 {
		v, _ := strconv.ParseFloat(strings.TrimPrefix(round, "v"), 64)
		return v
	}
	return cmp.Compare(number(a), number(b))
}

func printTable(table []row) {
	printLogs(table)
	fmt.Println("| round | summaries read | refused | results judged | left out | figures equal |" +
		" rows of the official csv equal | rows of csv in the tree equal | rejects, true | false |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	of := func(n, all int) string {
		if all < 0 {
			return "no csv given"
		}
		return fmt.Sprintf("%d of %d", n, all)
	}
	for _, r := range table {
		if r.results == 0 {
			fmt.Printf("| %s | %d | %d | - | - | - | - | - | - | - |\n", r.round, r.summaries, r.refused)
			continue
		}
		fmt.Printf("| %s | %d | %d | %d | %d | %s | %s | %s | %d | %d |\n", r.round, r.summaries, r.refused, r.results,
			r.leftOut, of(r.same, r.published), of(r.sameRows, r.rows), of(r.sameFiled, r.filed), r.rejects-r.unknown, r.unknown)
	}
}

// tryRound reads a round.
func tryRound(t *testing.T, dir, round string, want expected) (row, expected) {
	repository := openRepository(t, dir)
	if want.Commit != "" && repository.commit != want.Commit {
		t.Errorf("the newest commit is %s, what is expected is known of %s", repository.commit, want.Commit)
	}
	line := row{round: round, rows: -1, filed: -1}
	got := expected{Commit: repository.commit}
	readSummaries(t, repository, &line)
	readDetails(t, repository, &line.logs)
	got.Summaries, got.Refused, got.Logs = line.summaries, line.refused, line.logs
	if got.Logs != want.Logs {
		t.Errorf("detail logs: %+v, want %+v", got.Logs, want.Logs)
	}
	if got.Summaries != want.Summaries || got.Refused != want.Refused {
		t.Errorf("%d summaries are read and %d refused, want %d and %d", got.Summaries, got.Refused, want.Summaries,
			want.Refused)
	}
	root := t.TempDir()
	repository.checkOut(t, root)
	folders, absent := repository.incomplete()
	line.leftOut = len(folders)
	t.Logf("the copy lacks %d files; %d results are left out:\n%s", absent, len(folders), strings.Join(folders, "\n"))
	compareFigures(t, root, round, dir, folders, &line)
	if line.filed >= 0 {
		got.Filed = [2]int{line.filed, line.sameFiled}
	}
	if got.Filed != want.Filed {
		t.Errorf("%v rows of summaries in the tree, and those that are ours, want %v", got.Filed, want.Filed)
	}
	if line.rows >= 0 && line.sameRows != line.rows {
		t.Errorf("%d of %d rows are the official checker's", line.sameRows, line.rows)
	}
	if !slices.Contains(tree.Rounds(mlconf.ToCheck), round) {
		return line, got
	}
	j := &Judged{}
	got.Judged = j
	findRejects(t, root, round, folders, &line, j)
	j.Figures = line.published
	if want.Judged == nil {
		t.Error("nothing is expected of the round's results")
		return line, got
	}
	judge(t, &line, *j, *want.Judged)
	return line, got
}

// judge compares what was found with what is expected.
func judge(t *testing.T, line *row, got, want Judged) {
	if got.Results != want.Results || got.Figures != want.Figures {
		t.Errorf("%d results and %d published figures, want %d and %d", got.Results, got.Figures, want.Results, want.Figures)
	}
	if line.same != line.published {
		t.Errorf("%d of %d figures are as published", line.same, line.published)
	}
	for _, kind := range slices.Sorted(maps.Keys(got.Rejects)) {
		if more := got.Rejects[kind] - want.Rejects[kind]; more > 0 {
			line.unknown += more
			t.Errorf("%d rejects more than expected: %s", more, kind)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(want.Rejects)) {
		if fewer := want.Rejects[kind] - got.Rejects[kind]; fewer > 0 {
			t.Errorf("%d rejects fewer than expected: %s", fewer, kind)
		}
	}
	if got.Digest != want.Digest {
		t.Errorf("the list of rejects is another one: its sum is %s, want %s; OUT=folder writes it", got.Digest, want.Digest)
	}
}

// readSummaries reads every summary of a round.
func readSummaries(t *testing.T, r *repository, line *row) {
	var list []blob
	for _, b := range r.files {
		if path.Base(b.path) == tree.SummaryLog && !b.leftOut() && !b.link() {
			list = append(list, b)
		}
	}
	r.each(t, list, func(b blob, text []byte) {
		if _, err := mllog.ReadSummary(bytes.NewReader(text)); err != nil {
			t.Logf("%s: %v", b.path, err)
			line.refused++
			return
		}
		line.summaries++
	})
}

// findRejects checks a tree strictly. Findings of results that are left out do not count.
func findRejects(t *testing.T, root, round string, leftOut []string, line *row, j *Judged) {
	found, err := tree.Open(root, round)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	report, err := check.Run(context.Background(), found, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		if !slices.Contains(leftOut, r.Path) {
			j.Results++
		}
	}
	j.Rejects = map[string]int{}
	var list []string
	for _, f := range report.Findings {
		if f.Severity == check.Reject && !slices.Contains(leftOut, f.Result) {
			j.Rejects[kindOf(f)]++
			list = append(list, strings.Join([]string{f.Rule, f.Path, f.What, f.Found}, "\t"))
		}
	}
	slices.Sort(list)
	text := strings.Join(list, "\n") + "\n"
	j.Digest = fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	line.results, line.rejects = j.Results, len(list)
	if out := os.Getenv("PLUMBLINE_OUT"); out != "" {
		if err := os.WriteFile(filepath.Join(out, "rejects-"+round+".txt"), []byte(text), 0o666); err != nil {
			t.Error(err)
		}
	}
}

// kindOf is the kind of a finding, without names: those of the tree's names say them in what is wrong.
func kindOf(f check.Finding) string {
	if f.Rule == "repository" {
		return "repository: a name or a link that it does not take"
	}
	return f.Rule + ": " + f.What
}

// publication is a figure as summary_results.json has it.
type publication struct {
	Location string
	Accuracy string
	Result   float64 `json:"Performance_Result"`
	Units    string  `json:"Performance_Units"`
	Power    float64 `json:"Power_Result"`
}

// compareFigures holds the results to the published numbers, and the rows to an official summary where there is one:
// DIR.csv.
func compareFigures(t *testing.T, root, round, dir string, leftOut []string, line *row) {
	report, err := former.Check(root, checker.Options{Round: round, SkipPower: true})
	if err != nil {
		t.Fatal(err)
	}
	ours := map[string]result.Result{}
	for _, r := range result.Results(report.Rows) {
		ours[r.Folder] = r
	}
	line.results = len(ours)
	var all []publication
	if name := filepath.Join(root, "summary_results.json"); exists(name) { // rounds since v5.1 have it
		readJSON(t, name, &all)
	}
	seen := map[string]bool{}
	for _, p := range all {
		folder := path.Clean(p.Location)
		folder = strings.TrimSuffix(folder, "/performance/run_1")
		own, ok := ours[folder]
		if !ok || seen[folder] || slices.Contains(leftOut, folder) {
			continue
		}
		seen[folder] = true
		line.published++
		if p.is(own) {
			line.same++
		} else {
			t.Errorf("%s: %s %s, %s; published %v %s, %s", folder, own.Result.Text, own.Result.Unit, own.AccuracyFound(),
				p.Result, p.Units, p.Accuracy)
		}
	}
	compareRows(t, dir+".csv", report, leftOut, line)
	compareFiled(t, root, report, leftOut, line)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// is says whether a result is the published one. Units are not compared: the publication calls some tokens queries.
func (p publication) is(own result.Result) bool {
	v, err := strconv.ParseFloat(own.Result.Text, 64)
	words := func(text string) string {
		return strings.Join(strings.Fields(strings.NewReplacer(":", "", ",", "").Replace(text)), " ")
	}
	if err != nil || math.Abs(v-p.Result) > 1e-9*math.Abs(v) || words(own.AccuracyFound()) != words(p.Accuracy) {
		return false
	}
	if own.Power == nil {
		return true
	}
	power, err := strconv.ParseFloat(own.Power.Text, 64)
	return err == nil && math.Abs(power-p.Power) <= 1e-9*math.Abs(power)
}

// compareRows holds the rows to those of the official checker's summary.
func compareRows(t *testing.T, name string, report *checker.Report, leftOut []string, line *row) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var text bytes.Buffer
	if err := report.Form.WriteCSV(&text, report.Rows); err != nil {
		t.Fatal(err)
	}
	own := readRows(t, &text, leftOut)
	line.rows = 0
	var faults []string
	for _, r := range readRows(t, file, leftOut) {
		line.rows++
		if i := slices.Index(own, r); i >= 0 {
			line.sameRows++
			own = slices.Delete(own, i, i+1)
		} else {
			faults = append(faults, "the official checker's alone: "+r)
		}
	}
	for _, r := range own {
		faults = append(faults, "ours alone: "+r)
	}
	if len(faults) > 0 {
		t.Errorf("%d rows differ:\n%s", len(faults), strings.Join(faults[:min(len(faults), maxTold)], "\n"))
	}
}

// maxTold is how many differences are told.
const maxTold = 10

// readRows reads the rows of an official summary, without those of results that are left out.
func readRows(t *testing.T, from io.Reader, leftOut []string) []string {
	t.Helper()
	r := csv.NewReader(from)
	r.LazyQuotes, r.FieldsPerRecord = true, -1
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, fields := range all[min(1, len(all)):] {
		out := false
		for i, f := range fields {
			if place, ok := placeOf(f); ok {
				fields[i] = place
				out = out || slices.Contains(leftOut, strings.TrimSuffix(place, "/performance/run_1"))
			}
		}
		if !out {
			rows = append(rows, strings.Join(fields, "\t"))
		}
	}
	return rows
}

// placeOf is the path of a result's run below the tree, of a path that leads to it from anywhere.
func placeOf(text string) (string, bool) {
	parts := strings.Split(text, "/")
	i := slices.IndexFunc(parts, func(p string) bool { return slices.Contains(tree.Divisions(), p) })
	if i < 0 || len(parts) < i+6 {
		return text, false
	}
	return strings.Join(parts[i:], "/"), true
}
