package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/submission/tree"
)

// ErrRequest is wrapped by every error about the request itself: an unknown test, a type that the test does not take.
var ErrRequest = errors.New("audit")

// Verify judges the logs of an audit. What is wrong with the logs is in the verdict; an error says that the request
// makes no sense ([ErrRequest]), or that ctx ended.
func Verify(ctx context.Context, r Request) (Verdict, error) {
	if !slices.Contains(tree.AuditTests(), r.Test) {
		return Verdict{}, fmt.Errorf("%w: unknown test %q, want one of %s", ErrRequest, r.Test,
			strings.Join(tree.AuditTests(), ", "))
	}
	d, err := dtypeOf(r.Test, r.DType)
	if err != nil {
		return Verdict{}, err
	}
	if r.Compatible {
		return official(ctx, r, d)
	}
	return strict(ctx, r, d)
}

func official(ctx context.Context, r Request, d dtype) (Verdict, error) {
	switch r.Test {
	case "TEST01":
		return officialTEST01(r, d), nil
	case "TEST04", "TEST05":
		return officialTEST04(r), nil
	case "TEST06":
		return officialTEST06(r, d), nil
	case "TEST07":
		return officialTEST07(ctx, r), nil
	case "TEST08":
		return officialTEST08(r), nil
	case "TEST09":
		return officialTEST09(r), nil
	}
	return Verdict{}, fmt.Errorf("%w: %s", ErrRequest, r.Test)
}
