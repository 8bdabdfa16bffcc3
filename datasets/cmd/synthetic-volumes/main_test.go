package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/kits19"
)

func TestRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if err := program().Run(t.Context(), []string{"-set", "eval", "-first", "42", "-out", dir}, io.Discard); err != nil {
		t.Fatal(err)
	}
	if set, err := kits19.Open(dir, kits19.Options{Cases: []string{"case_00042"}}); err != nil || set.Len() != 1 {
		t.Errorf("%v", err)
	}
}

func TestRunOfBadArguments(t *testing.T) {
	dir := t.TempDir()
	tests := []struct{ args, want string }{
		{"-set train", "want -out DIR"},
		{"-set test -out " + dir, `unknown set "test", want train, calibration or eval`},
		{"-out " + dir + " more", `have ["more"]`},
		{"-set calibration -out " + dir + " -first 11 -n 2", "want 0 <= first <= end <= 12"},
		{"-what", "not defined"},
	}
	for _, tt := range tests {
		err := program().Run(t.Context(), strings.Fields(tt.args), io.Discard)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.args, err, tt.want)
		}
	}
}
