package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/criteo"
)

func TestRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if err := run([]string{"-set", "eval", "-first", "271595", "-out", dir}, io.Discard); err != nil {
		t.Fatal(err)
	}
	set, err := criteo.Open(dir, criteo.Options{Variant: criteo.Sample})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	if set.Len() != 5 {
		t.Errorf("%d pairs, want 5", set.Len())
	}
}

func TestRunOfBadArguments(t *testing.T) {
	dir := t.TempDir()
	tests := []struct{ args, want string }{
		{"-set train", "want -out DIR"},
		{"-set test -out " + dir, `unknown set "test", want train or eval`},
		{"-out " + dir + " more", `have ["more"]`},
		{"-out " + dir + " -first 4999999 -n 2", "want pairs within 0 to 5000000"},
		{"-what", "not defined"},
	}
	for _, tt := range tests {
		err := run(strings.Fields(tt.args), io.Discard)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.args, err, tt.want)
		}
	}
}
