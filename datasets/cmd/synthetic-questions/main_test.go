package main

import (
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/squad"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/questions"
)

func TestRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), squad.FileName)
	if err := run([]string{"-set", "eval", "-n", "5", "-out", path}, io.Discard); err != nil {
		t.Fatal(err)
	}
	s, err := squad.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(s.Paragraphs(), questions.Eval().Paragraphs(0, 5)) {
		t.Error("the file is not what the set writes")
	}
}

func TestRunRefuses(t *testing.T) {
	out := filepath.Join(t.TempDir(), "x.json")
	cases := []struct {
		args []string
		want string
	}{
		{nil, "want -out FILE"},
		{[]string{"-out", out, "more"}, `"more"`},
		{[]string{"-out", out, "-set", "test"}, `"test"`},
		{[]string{"-out", out, "-set", "eval", "-n", "251"}, "at most the 250"},
		{[]string{"-out", filepath.Join(out, "none"), "-set", "eval", "-n", "1"}, "write the data set"},
		{[]string{"-n", "some"}, "invalid value"},
	}
	for _, c := range cases {
		if err := run(c.args, io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want one with %q", c.args, err, c.want)
		}
	}
}
