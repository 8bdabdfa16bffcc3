package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/openimages"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/scenes"
)

func TestRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if err := program().Run(t.Context(), []string{"-set", "eval", "-first", "495", "-out", dir}, io.Discard); err != nil {
		t.Fatal(err)
	}
	set, err := openimages.Open(dir, openimages.Options{Classes: scenes.Classes})
	if err != nil {
		t.Fatal(err)
	}
	if set.Len() != 5 || set.Image(0).Name != "scene_00000495.png" {
		t.Errorf("%d pictures from %s on", set.Len(), set.Image(0).Name)
	}
}

func TestRunOfBadArguments(t *testing.T) {
	dir := t.TempDir()
	tests := []struct{ args, want string }{
		{"-set train", "want -out DIR"},
		{"-set test -out " + dir, `unknown set "test", want train, calibration or eval`},
		{"-out " + dir + " more", `have ["more"]`},
		{"-out " + dir + " -first 7999 -n 2", "want 0 <= first < end <= 8000"},
		{"-what", "not defined"},
	}
	for _, tt := range tests {
		err := program().Run(t.Context(), strings.Fields(tt.args), io.Discard)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.args, err, tt.want)
		}
	}
}
