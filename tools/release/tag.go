package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// tagAll commits the go.mod and go.sum files of the release in a separate work tree without a branch, and tags every
// module on that commit. It pushes nothing and does not change the checkout.
func tagAll(modules []*releaseModule) (err error) {
	changed, err := commandOutput("git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if strings.TrimSpace(changed) != "" {
		return fmt.Errorf("the checkout has changes that are not committed:\n%s", changed)
	}
	dir, err := os.MkdirTemp("", "plumbline-release-")
	if err != nil {
		return err
	}
	tree := filepath.Join(dir, "tree")
	if _, err := commandOutput("git", "worktree", "add", "--quiet", "--detach", tree); err != nil {
		return err
	}
	defer func() {
		_, failed := commandOutput("git", "worktree", "remove", "--force", tree)
		err = errors.Join(err, failed, os.RemoveAll(dir))
	}()
	for _, m := range modules {
		if err := m.place(tree); err != nil {
			return err
		}
	}
	version := modules[0].version
	if _, err := commandOutput("git", "-C", tree, "commit", "-qam", "Release "+version); err != nil {
		return err
	}
	for _, m := range modules {
		if _, err := commandOutput("git", "-C", tree, "tag", m.tag()); err != nil {
			return err
		}
	}
	fmt.Println("the tags are made; git push --tags releases them")
	return nil
}

// place writes the module's files of the release into a work tree.
func (m *releaseModule) place(tree string) error {
	dir := filepath.Join(tree, filepath.FromSlash(m.dir))
	err := os.WriteFile(filepath.Join(dir, "go.mod"), m.goMod, 0o644)
	if len(m.goSum) > 0 {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, "go.sum"), m.goSum, 0o644))
	}
	return err
}
