package submission_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
)

func TestSubmissionRepository(t *testing.T) {
	s := clitest.New(t)
	root, log := scored(t)
	s.Want(0, s.Run("submission", "repository", root), "nothing that the repository would not take")
	s.Want(0, s.Run("submission", "repository", root, "--compatible"))
	if s.Stdout.String() != "" {
		t.Errorf("the script prints nothing, not %q", s.Stdout.String())
	}
	if err := os.Symlink(log, filepath.Join(root, "closed", "a link")); err != nil {
		t.Skip(err)
	}
	s.Want(3, s.Run("submission", "repository", root), "closed/a link is a symbolic link: put the file itself there",
		"closed/a link has a blank in its name", "2 findings")
	s.Want(0, s.Run("submission", "repository", root, "--compatible"), "SYMBOLIC LINKS:\n"+root+"/closed/a link;")
	s.Want(2, s.Run("submission", "repository", filepath.Join(root, "none")), "none")
}
