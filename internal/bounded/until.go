package bounded

import (
	"context"
	"io"
)

// Until is a reader of r that ends with ctx, whose cause is its error then: who copies a large file out of it can
// remove at once what is half written.
func Until(ctx context.Context, r io.Reader) io.Reader { return contextReader{ctx, r} }

type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.Reader.Read(p)
}
