package bounded

import (
	"context"
	"io"
)

// NewContextReader returns a reader of r that fails with ctx's cause once ctx has ended. It lets the writer of a large
// copy stop and remove the partial file at once.
func NewContextReader(ctx context.Context, r io.Reader) io.Reader { return contextReader{ctx, r} }

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
