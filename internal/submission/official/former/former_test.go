package former_test

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/official/checker"
	"github.com/plumbline-ml/plumbline/internal/submission/official/former"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// said is what an official checker said of a made tree.
type said struct {
	Crash   bool     `json:"crash,omitempty"`
	Without []string `json:"without,omitempty"` // paths without a result, sorted
	CSV     string   `json:"csv,omitempty"`     // the summary: how many rows, and the checksum of them sorted
}

// eachUsually says which of the trees are judged where slow tests are left out: each of this many.
const eachUsually = 13

const home = "testdata/said.json"

// rounds are those whose checkers are known.
func rounds() []string {
	return slices.DeleteFunc(mlconf.Rounds(), func(r string) bool {
		rules, err := mlconf.Round(r)
		if err != nil {
			return true
		}
		known, err := rules.Section("former_checker", &map[string]any{})
		return !known || err != nil
	})
}

// TestMadeTrees holds the checkers to what the official ones said of trees with one change each. Where the official
// checkers are given, they are asked again: PLUMBLINE_FORMER names a folder with ROUND/tools/submission of each round,
// PYTHON a Python, PLUMBLINE_OUT a folder for a new testdata/said.json.
func TestMadeTrees(t *testing.T) {
	golden := map[string]map[string]said{}
	text, err := os.ReadFile(home)
	if err == nil {
		err = json.Unmarshal(text, &golden)
	}
	if err != nil {
		t.Fatal(err)
	}
	official, n := os.Getenv("PLUMBLINE_FORMER"), 0
	every := eachUsually
	if slow.All() || official != "" {
		every = 1
	}
	for _, round := range rounds() {
		all := map[string]said{}
		var asked *program
		if official != "" {
			asked = start(t, official, round)
		}
		for _, name := range slices.Sorted(maps.Keys(changes)) {
			if n++; n%every != 0 {
				continue
			}
			m := makeTree(t, round)
			changes[name](m)
			root := m.write(t)
			want := golden[round][name]
			if asked != nil {
				want = asked.ask(t, root)
			}
			all[name] = want
			if got := formerChecker(t, round, root); !same(got, want) {
				t.Errorf("%s, %s:\n%+v\nwant\n%+v", round, name, got, want)
			}
		}
		if every == 1 {
			golden[round] = all
		}
	}
	if n < 1000 {
		t.Errorf("%d trees were judged", n)
	}
	if out := os.Getenv("PLUMBLINE_OUT"); out != "" && official != "" {
		text, err := json.MarshalIndent(golden, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(out, "said.json"), append(text, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// same says whether two checkers said the same. Where one ends with a traceback it says nothing else.
func same(a, b said) bool {
	return a.Crash == b.Crash && (a.Crash || a.CSV == b.CSV && slices.Equal(a.Without, b.Without))
}

func formerChecker(t *testing.T, round, root string) said {
	t.Helper()
	r, err := former.Check(root, checker.Options{Round: round, SkipPower: true})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict == checker.Crash {
		return said{Crash: true}
	}
	var text bytes.Buffer
	if err := r.Form.WriteCSV(&text, r.Rows); err != nil {
		t.Fatal(err)
	}
	s := said{CSV: digest(text.String())}
	for _, w := range r.Rejected {
		s.Without = append(s.Without, w.Folder)
	}
	return s
}

// digest is what is kept of a summary; where PLUMBLINE_WHOLE is set, all of it is.
func digest(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	slices.Sort(lines[1:])
	text = strings.Join(lines, "\n")
	if os.Getenv("PLUMBLINE_WHOLE") != "" {
		return text
	}
	return fmt.Sprintf("%d rows, %x", len(lines)-1, sha256.Sum256([]byte(text)))[:24]
}

// program is the official checker of a round, in a process that waits for trees.
type program struct {
	in    io.Writer
	out   *bufio.Scanner
	round string
	args  []string
}

// start starts the official checker of a round. It ends with the test.
func start(t *testing.T, dir, round string) *program {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, round, "tools", "submission", "submission?checker.py"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s has %d checkers of %s, %v", dir, len(found), round, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	p := &program{round: round, args: []string{"--version", round}}
	if bytes.Contains(text, []byte("--skip-power-check")) {
		p.args = append(p.args, "--skip-power-check")
	}
	cmd := exec.Command(os.Getenv("PYTHON"), "testdata/inorder.py", found[0])
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
			t.Error(err)
		}
	})
	p.in, p.out = in, bufio.NewScanner(out)
	return p
}

// ask asks the official checker of a tree.
func (p *program) ask(t *testing.T, root string) (s said) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "summary.csv")
	if _, err := fmt.Fprintln(p.in, strings.Join(append([]string{root, file}, p.args...), "\t")); err != nil {
		t.Fatal(err)
	}
	if !p.out.Scan() {
		t.Fatalf("the checker of %s ended: %v", p.round, p.out.Err())
	}
	if err := json.Unmarshal(p.out.Bytes(), &s); err != nil {
		t.Fatalf("%s: %v", p.out.Bytes(), err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if s.CSV = digest(string(text)); s.Crash {
		s = said{Crash: true}
	}
	return s
}

// TestRoundsOfOtherCheckers: the present checker's rounds are none of these and go on to it; rounds that there are not
// are refused.
func TestRoundsOfOtherCheckers(t *testing.T) {
	for _, round := range []string{"v5.0", "v6.1", "v9.9", ""} {
		if slices.Contains(rounds(), round) {
			t.Errorf("%q has a former checker", round)
		}
		root, o := t.TempDir(), checker.Options{Round: round}
		got, gotErr := former.Check(root, o)
		want, wantErr := checker.Check(root, o)
		if !reflect.DeepEqual(got, want) || fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
			t.Errorf("%q: %+v (%v), package checker says %+v (%v)", round, got, gotErr, want, wantErr)
		}
		if exists := slices.Contains(mlconf.Rounds(), cmp.Or(round, mlconf.Rounds()[0])); exists != (gotErr == nil) {
			t.Errorf("%q: %v", round, gotErr)
		}
	}
	if _, err := former.Check(filepath.Join(t.TempDir(), "none"), checker.Options{Round: "v4.1"}); err == nil {
		t.Error("a folder that is not there is checked")
	}
}
