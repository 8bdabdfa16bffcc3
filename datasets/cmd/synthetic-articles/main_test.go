package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/cnndm"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/articles"
)

// TestRun reads what the command writes as the official summarisation set is read.
func TestRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "eval.jsonl")
	if err := run([]string{"-set", "eval", "-first", "490", "-out", path}, io.Discard); err != nil {
		t.Fatal(err)
	}
	set, err := cnndm.Open(path, cnndm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if set.Len() != 10 {
		t.Fatalf("%d articles, want 10", set.Len())
	}
	for i := range 10 {
		want, got := articles.Eval().At(490+i), set.Article(i)
		if got.Input != want.Text || got.Output != want.Summary {
			t.Errorf("article %d is %+v, want %+v", i, got, want)
		}
	}
}

func TestRunOfBadArguments(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.jsonl")
	tests := []struct{ args, want string }{
		{"-set train", "want -out FILE"},
		{"-set test -out " + path, `unknown set "test", want train, calibration or eval`},
		{"-out " + path + " more", `have ["more"]`},
		{"-set eval -out " + path + " -first 499 -n 2", "want 0 <= first <= end <= 500"},
		{"-set eval -out " + filepath.Join(path, "none", "x"), "write articles"},
		{"-what", "not defined"},
	}
	for _, tt := range tests {
		err := run(strings.Fields(tt.args), io.Discard)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.args, err, tt.want)
		}
	}
}
