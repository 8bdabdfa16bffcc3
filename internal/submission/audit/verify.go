package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/internal/evidence"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// ErrRequest reports an error in the request itself: an unknown test, or a type that the test does not accept.
var ErrRequest = errors.New("audit")

// Verify judges the logs of an audit. The verdict contains the faults of the logs. Verify returns an error if the
// request is invalid ([ErrRequest]) or ctx ended.
func Verify(ctx context.Context, r Request) (Verdict, error) {
	d, err := r.Elements()
	if err != nil {
		return Verdict{}, err
	}
	return judgeStrict(ctx, r, d)
}

// Elements returns the type of the payloads' elements. The error is [ErrRequest] if the test does not exist or does not
// accept the type.
func (r Request) Elements() (evidence.DType, error) {
	if !slices.Contains(tree.AuditTests(), r.Test) {
		return evidence.DType{}, fmt.Errorf("%w: unknown test %q, want one of %s", ErrRequest, r.Test,
			strings.Join(tree.AuditTests(), ", "))
	}
	d, err := evidence.DTypeOf(r.Test, r.DType)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrRequest, err)
	}
	return d, err
}

// DTypes returns the element types that a test accepts, starting with its default. It returns none if the payloads have
// a fixed type.
func DTypes(test string) []string { return evidence.DTypes(test) }
