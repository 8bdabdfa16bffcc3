package cli

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSubmissionPack(t *testing.T) {
	s := newShell(t)
	root, file := measured(t), s.out()+".tar.gz"
	s.want(3, s.run("submission", "pack", root, "--out", file), "to reject this tree: it is not packed",
		"--allow-rejected")
	if _, err := os.Stat(file); err == nil {
		t.Error("a rejected tree was packed")
	}
	if err := os.WriteFile(filepath.Join(root, "notes"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s.want(0, s.run("submission", "pack", root, "--out", file, "--allow-rejected"), "packed all the same", "2 files",
		"read again and compared", file+".sha256", "left out, as it is in no division: notes")
	s.want(6, s.run("submission", "pack", root, "--out", file, "--allow-rejected"), "is there already")
	s.want(0, s.run("submission", "pack", "--unpack", file, "--out", s.out()), "as expected; unpacked into")
	if _, err := os.Stat(filepath.Join(s.out(), "closed", "Lab", "systems", "box.json")); err != nil {
		t.Error(err)
	}
	if err := os.Truncate(file, 100); err != nil {
		t.Fatal(err)
	}
	s.want(6, s.run("submission", "pack", "--unpack", file, "--out", s.out()+"2"), "damaged or another one")
}

func TestSubmissionPackWrongly(t *testing.T) {
	s := newShell(t)
	root := measured(t)
	for text, args := range map[string][]string{
		"is missing; see":           {},
		"--out is missing":          {root},
		"want the file":             {"--unpack", "", "--out", "x"},
		"does not go with --unpack": {"--unpack", "x", "--out", "x", "--allow-rejected"},
		"goes with --unpack only":   {root, "--out", "x", "--sha256", "x"},
		"takes no argument":         {root, "--unpack", "x", "--out", "y"},
	} {
		s.want(2, s.run(append([]string{"submission", "pack"}, args...)...), text)
	}
	s.want(2, s.run("submission", "pack", t.TempDir(), "--out", s.out()), "no submission")
	s.want(2, s.run("submission", "pack", filepath.Join(root, "none"), "--out", s.out()), "none")
}
