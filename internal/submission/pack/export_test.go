package pack

import (
	"github.com/plumbline-ml/plumbline/internal/fetch"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// Unpackable is unpackable of divisions, for tests.
func Unpackable(t *tree.Tree, file string, most fetch.Limits) []error {
	return packScope{folders: tree.Divisions()}.unpackFaults(t, file, most)
}

// Fits is fits, for tests.
func (p Packed) Fits(draft string) error { return p.checkLimits(draft) }
