//go:build !officialloadgen || !cgo

package official

import (
	"context"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// BuiltIn reports whether this program can run the official LoadGen.
const BuiltIn = false

// Library represents an official LoadGen. This program contains none.
type Library struct{}

// Open returns ErrNotBuiltIn in this program.
func Open(string) (*Library, error) { return nil, ErrNotBuiltIn }

// Build returns an empty description in this program.
func (*Library) Build() Build { return Build{} }

// StartTest returns ErrNotBuiltIn in this program.
func (*Library) StartTest(context.Context, loadgen.SUT, loadgen.QSL, loadgen.TestSettings, loadgen.LogSettings) (
	*loadgen.Result, error) {
	return nil, ErrNotBuiltIn
}
