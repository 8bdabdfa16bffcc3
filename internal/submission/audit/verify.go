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

// ErrRequest is wrapped by every error about the request itself: an unknown test, a type that the test does not take.
var ErrRequest = errors.New("audit")

// Verify judges the logs of an audit. What is wrong with the logs is in the verdict; an error says that the request
// makes no sense ([ErrRequest]), or that ctx ended.
func Verify(ctx context.Context, r Request) (Verdict, error) {
	d, err := r.Elements()
	if err != nil {
		return Verdict{}, err
	}
	return judgeStrict(ctx, r, d)
}

// Elements is the type of the payloads' elements. An error, an [ErrRequest], says that there is no such test, or that
// it does not take the type.
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

// DTypes are the types of elements that a test takes, its default first; none where its payloads have one type.
func DTypes(test string) []string { return evidence.DTypes(test) }
