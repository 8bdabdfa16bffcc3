package treeops

import "context"

// ContextEndingAfter returns a context that ends after its error was requested a number of times. It tests the
// interruption of work at each possible moment. It must be used by one goroutine at a time.
func ContextEndingAfter(after int) context.Context {
	return &endingContext{context.Background(), after}
}

type endingContext struct {
	context.Context
	left int
}

func (e *endingContext) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}
