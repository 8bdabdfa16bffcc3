//go:build !officialloadgen || !cgo

package official

import (
	"context"

	"github.com/plumbline-ml/plumbline/loadgen"
)

// BuiltIn says whether this program can drive the official LoadGen.
const BuiltIn = false

// Library is an official LoadGen. There is none in this program.
type Library struct{}

// Open is ErrNotBuiltIn in this program.
func Open(string) (*Library, error) { return nil, ErrNotBuiltIn }

// Build is empty in this program.
func (*Library) Build() Build { return Build{} }

// StartTest is ErrNotBuiltIn in this program.
func (*Library) StartTest(context.Context, loadgen.SUT, loadgen.QSL, loadgen.TestSettings, loadgen.LogSettings) (
	*loadgen.Result, error) {
	return nil, ErrNotBuiltIn
}
