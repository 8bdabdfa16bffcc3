package cli

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSubmissionRepository(t *testing.T) {
	s := newShell(t)
	root, log := scored(t)
	s.want(0, s.run("submission", "repository", root), "nothing that the repository would not take")
	s.want(0, s.run("submission", "repository", root, "--compatible"))
	if s.stdout.String() != "" {
		t.Errorf("the script prints nothing, not %q", s.stdout.String())
	}
	if err := os.Symlink(log, filepath.Join(root, "closed", "a link")); err != nil {
		t.Skip(err)
	}
	s.want(3, s.run("submission", "repository", root), "closed/a link is a symbolic link: put the file itself there",
		"closed/a link has a blank in its name", "2 findings")
	s.want(0, s.run("submission", "repository", root, "--compatible"), "SYMBOLIC LINKS:\n"+root+"/closed/a link;")
	s.want(2, s.run("submission", "repository", filepath.Join(root, "none")), "none")
}
