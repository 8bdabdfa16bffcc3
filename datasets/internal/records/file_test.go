package records

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFileOfAFolder(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		want  string // the file found
		says  string // the error
	}{
		{"JSON", []string{"table.json", "other.json", "README"}, "table.json", ""},
		{"JSONL", []string{"table.jsonl", "table.pkl"}, "table.jsonl", ""},
		{"Parquet", []string{"table.parquet"}, "table.parquet", ""},
		{"none", []string{"other.json"}, "", "the folder has no table with .json, .jsonl, .parquet: name the file itself"},
		{"two", []string{"table.json", "table.parquet"}, "", "table.json and table.parquet: name the one to read"},
		{"a pickle", []string{"table.pkl.gz"}, "", "convert.py converts it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range c.files {
				if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, err := FindFile(dir, "table")
			switch {
			case c.says == "" && (err != nil || got != filepath.Join(dir, c.want)):
				t.Errorf("%q, %v, want %s", got, err, c.want)
			case c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
				t.Errorf("%v, want one that says %q", err, c.says)
			}
		})
	}
}
