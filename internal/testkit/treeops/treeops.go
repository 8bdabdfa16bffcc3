// Package treeops makes the trees of tests. It unpacks a reference tree and applies the changes that a case lists.
//
//	dir := treeops.Base(t, "edge")
//	treeops.Apply(t, dir, c.Ops)
//
// In scope: archives, folders, changes in the form of the golden cases. Out of scope: the verdict on a tree (the
// tests).
package treeops

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
)

// Op is a change of a tree. Paths are relative to the tree, with slashes. The kind of change, also called Op,
// determines the fields that are used.
type Op struct {
	Op     string
	Path   string // path of the change if From is empty; may contain *, ? and, across folders, **
	From   string
	To     string
	Text   *string
	Base64 []byte
	Old    string
	New    string
	Count  int // number of replacements; 0: all
	// Optional allows a replacement to find nothing.
	Optional  bool
	Prefix    string
	All       bool
	Size      int64
	Target    string
	At        json.RawMessage // a JSON pointer, or the position of acc-add's entry
	Value     json.RawMessage
	Key       string
	Flag      string
	IsError   bool   `json:"is_error"`
	IsWarning bool   `json:"is_warning"`
	QSLIndex  uint64 `json:"qsl_idx"`
	Set       json.RawMessage
	Del       json.RawMessage // a name or several names
	Drop      bool
	Entry     json.RawMessage
	N         int
}

// Apply applies the changes to the tree in dir, in their order, or fails the test.
func Apply(t testing.TB, dir string, ops []Op) {
	t.Helper()
	for i, op := range ops {
		if err := apply(dir, op); err != nil {
			t.Fatalf("change %d, %s %s%s: %v", i+1, op.Op, op.Path, op.From, err)
		}
	}
}

func apply(dir string, op Op) error {
	if do, ok := fileOps[op.Op]; ok {
		return do(dir, op)
	}
	edit, ok := textOps[op.Op]
	if !ok {
		return fmt.Errorf("unknown change %q", op.Op)
	}
	paths, err := match(dir, op.Path)
	if err != nil {
		return err
	}
	changed := 0
	for _, path := range paths {
		err := rewrite(path, func(text []byte) ([]byte, error) { return edit(text, op) })
		if err == nil {
			changed++
		} else if !errors.Is(err, errNothing) {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if changed == 0 && !op.Optional {
		return errNothing
	}
	return nil
}
