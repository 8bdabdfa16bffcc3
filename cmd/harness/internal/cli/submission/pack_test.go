package submission_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
)

func TestSubmissionPack(t *testing.T) {
	s := clitest.New(t)
	root, file := measured(t), s.Out()+".tar.gz"
	s.Want(3, s.Run("submission", "pack", root, "--out", file), "to reject this tree: it is not packed",
		"--allow-rejected")
	if _, err := os.Stat(file); err == nil {
		t.Error("a rejected tree was packed")
	}
	if err := os.WriteFile(filepath.Join(root, "notes"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s.Want(0, s.Run("submission", "pack", root, "--out", file, "--allow-rejected"), "packed all the same", "2 files",
		"read again and compared", file+".sha256", "left out, as it is in no division: notes")
	s.Want(6, s.Run("submission", "pack", root, "--out", file, "--allow-rejected"), "is there already")
	s.Want(0, s.Run("submission", "pack", "--unpack", file, "--out", s.Out()), "as expected; unpacked into")
	if _, err := os.Stat(filepath.Join(s.Out(), "closed", "Lab", "systems", "box.json")); err != nil {
		t.Error(err)
	}
	if err := os.Truncate(file, 100); err != nil {
		t.Fatal(err)
	}
	s.Want(6, s.Run("submission", "pack", "--unpack", file, "--out", s.Out()+"2"), "damaged or another one")
}

func TestSubmissionPackWrongly(t *testing.T) {
	s := clitest.New(t)
	root := measured(t)
	for text, args := range map[string][]string{
		"is missing; see":           {},
		"--out is missing":          {root},
		"its value is empty":        {"--unpack", "", "--out", "x"},
		"does not go with --unpack": {"--unpack", "x", "--out", "x", "--allow-rejected"},
		"goes with --unpack only":   {root, "--out", "x", "--sha256", "x"},
		"takes no argument":         {root, "--unpack", "x", "--out", "y"},
	} {
		s.Want(2, s.Run(append([]string{"submission", "pack"}, args...)...), text)
	}
	s.Want(2, s.Run("submission", "pack", t.TempDir(), "--out", s.Out()), "no submission")
	s.Want(2, s.Run("submission", "pack", filepath.Join(root, "none"), "--out", s.Out()), "none")
}
