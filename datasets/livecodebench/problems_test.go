package livecodebench

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func TestGoldenProblems(t *testing.T) {
	golden.Each(t, "reasoning/code/problems.jsonl", func(t *testing.T, path string) {
		s, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for id, want := range map[string]CodeProblem{
			"made_a": {Inputs: []string{"1 2\n", "5 6\n"}, Outputs: []string{"3\n", "11\n"}},
			"made_b": {
				Inputs: []string{"3\n1 2 3\n", "1\n9\n", "2\n-1 1\n"}, Outputs: []string{"6\n", "9\n", "0\n"},
			},
			"2728": {
				Function: "least", Inputs: []string{"[3, 1, 2]\n2", "[5]\n1"}, Outputs: []string{"[1, 2]", "[5]"},
			},
			"no_tests": {},
		} {
			p, err := s.Problem(id)
			want.ID = id
			if err != nil || !reflect.DeepEqual(p, want) {
				t.Errorf("%s: %+v, %v, want %+v", id, p, err, want)
			}
		}
		if s.Len() != 10 {
			t.Errorf("%d problems, want 10", s.Len())
		}
		if _, err := s.Problem("none"); !errors.Is(err, ErrUnknown) {
			t.Errorf("%v, want %v", err, ErrUnknown)
		}
	})
}

// packed are private tests in the packed form.
func packed(pickled string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write([]byte(pickled)) // to memory
	_ = z.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// line is a problem with some private tests.
func line(id, metadata, private string) string {
	text, err := json.Marshal(map[string]string{
		"question_id": id, "metadata": metadata, "private_test_cases": private,
		"public_test_cases": `[{"input": "1", "output": "2", "testtype": "stdin"}]`,
	})
	if err != nil {
		panic(err)
	}
	return string(text) + "\n"
}

const tests = `[{"input": "é", "output": "4", "testtype": "stdin"}]`

func TestPrivateTests(t *testing.T) {
	short := fmt.Sprintf("\x80\x04\x8c%c%s\x94.", len(tests), tests)
	for name, c := range map[string]struct{ private, want string }{
		"plain":  {tests, ""},
		"pickle": {packed(short), ""},
		"framed": {packed("\x80\x05\x95" + string(rune(len(tests)+4)) +
			"\x00\x00\x00\x00\x00\x00\x00" + short[2:]), ""},
		"protocol 2":     {packed(fmt.Sprintf("\x80\x02X%c\x00\x00\x00%sq\x00.", len(tests), tests)), ""},
		"not base64":     {"%%", "neither JSON nor base64"},
		"not zlib":       {"AAAA", "zlib"},
		"cut":            {packed(short)[:40], "unexpected EOF"},
		"a call":         {packed("\x80\x04cos\nsystem\n\x8c\x02ls\x85R."), `it names "os.system"`},
		"a list":         {packed("\x80\x04]."), "want a str"},
		"no JSON inside": {packed("\x80\x04\x8c\x01x."), "in the pickle"},
		"no output":      {`[{"input": "x"}]`, "test 2 has no text as input or output"},
		"no function":    {`[{"input": "x", "output": "y", "testtype": "functional"}]`, "no func_name"},
	} {
		path := filepath.Join(t.TempDir(), "test.jsonl")
		if err := os.WriteFile(path, []byte("\n"+line("a", "{}", c.private)), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Problem("a")
		switch {
		case c.want != "":
			if !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), ":2: ") {
				t.Errorf("%s: %v, want line 2 and %q", name, err, c.want)
			}
		case err != nil || !slices.Equal(p.Inputs, []string{"1", "é"}) || !slices.Equal(p.Outputs, []string{"2", "4"}):
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

// TestInflatedBomb: what is packed small may be large, and is read no further than the bound.
func TestInflatedBomb(t *testing.T) {
	zeros := strings.Repeat("\x00", 4<<20)
	small, err := base64.StdEncoding.DecodeString(packed(zeros))
	if err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int64]string{4 << 20: "", 4<<20 - 1: "more than 4194303 bytes inflated"} {
		z, err := zlib.NewReader(bytes.NewReader(small))
		if err != nil {
			t.Fatal(err)
		}
		all, err := readLimited(z, most)
		if want == "" && (err != nil || len(all) != len(zeros)) || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("at most %d: %d bytes, %v, want %q", most, len(all), err, want)
		}
	}
}

func TestFolderAndFaults(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(dir); !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), "test.jsonl") {
		t.Errorf("an empty folder: %v", err)
	}
	put("test.jsonl", line("a", "{}", "[]")+line("b", "{}", "[]"))
	put("test2.jsonl", line("c", "{}", "[]")+line("a", `{"func_name": "f"}`, "[]"))
	s, err := Open(dir)
	if err != nil || s.Len() != 3 {
		t.Fatalf("%v, %v, want three problems", s, err)
	}
	if p, err := s.Problem("a"); err != nil || p.Function != "f" {
		t.Errorf("%+v, %v, want the last line's", p, err)
	}
	put("test2.jsonl", "{\n"+`{"question_id": "x"}`+"\n"+line("y", "{", "[]"))
	_, err = Open(dir)
	var faults *FaultError
	if !errors.As(err, &faults) || len(faults.Faults) != 3 {
		t.Fatalf("%v, want three faults", err)
	}
	for i, want := range []string{"no problem in JSON", "public_test_cases, private_test_cases, metadata", "metadata: "} {
		text := faults.Faults[i].String()
		if !strings.HasPrefix(text, fmt.Sprintf("test2.jsonl, line %d: ", i+1)) || !strings.Contains(text, want) {
			t.Errorf("%s, want line %d and %q", text, i+1, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(line("a", "{}", packed("\x80\x04\x8c\x02[]\x94."))))
	f.Add([]byte(line("a", `{"func_name": "f"}`, tests)))
	f.Fuzz(func(t *testing.T, text []byte) {
		if p, err := parseProblem(text); err == nil && len(p.Inputs) != len(p.Outputs) {
			t.Errorf("%d inputs, %d outputs", len(p.Inputs), len(p.Outputs))
		}
	})
}
