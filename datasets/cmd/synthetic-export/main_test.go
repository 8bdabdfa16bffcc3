package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/imagenet"
)

func TestRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if err := program().Run(t.Context(), []string{"-set", "eval", "-first", "995", "-out", dir}, io.Discard); err != nil {
		t.Fatal(err)
	}
	set, err := imagenet.Open(dir, imagenet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if set.Len() != 5 || set.Name(0) != "synthetic_00000995.png" {
		t.Errorf("%d pictures from %s on", set.Len(), set.Name(0))
	}
}

func TestRunOfBadArguments(t *testing.T) {
	dir := t.TempDir()
	tests := []struct{ args, want string }{
		{"-set train", "want -out DIR"},
		{"-set test -out " + dir, `unknown set "test", want train, calibration or eval`},
		{"-out " + dir + " more", `have ["more"]`},
		{"-out " + dir + " -first 19999 -n 2", "want 0 <= first <= end <= 20000"},
		{"-what", "not defined"},
	}
	for _, tt := range tests {
		err := program().Run(t.Context(), strings.Fields(tt.args), io.Discard)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.args, err, tt.want)
		}
	}
}
