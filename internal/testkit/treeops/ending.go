package treeops

import "context"

// Ending returns a context that ends after its error was requested a number of times. It tests the interruption of work
// at each possible moment. It must be used by one goroutine at a time.
func Ending(after int) context.Context { return &ending{context.Background(), after} }

type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}
