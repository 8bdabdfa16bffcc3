package treeops

import "context"

// Ending is a context that ends when its error was asked for so many times: work that is given up at each moment in
// which it could be. One goroutine at a time may use it.
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
