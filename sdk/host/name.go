package host

import (
	"context"
	"strings"
	"sync"
	"time"
)

// nameTimeout bounds a question for the names of all nodes.
const nameTimeout = 30 * time.Second

// networkName is the name of a SUT of the network division: the rules want it to hold "Network SUT" and the name of
// each node, asked for over the network before it is returned.
type networkName struct {
	ask func(context.Context) ([]string, error)

	mu  sync.Mutex
	err error // of the first time that the nodes could not be asked: they are not asked again
}

// sutName returns the name of a SUT on nodes. A name cannot fail: what keeps it from being asked for is an error of the
// first query.
func (n *networkName) sutName(sut string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.err != nil {
		return "Network SUT " + sut
	}
	ctx, cancel := context.WithTimeout(context.Background(), nameTimeout)
	defer cancel()
	names, err := n.ask(ctx)
	if n.err = err; err != nil {
		return "Network SUT " + sut
	}
	for i, name := range names {
		if name == "" {
			names[i] = "(no name)"
		}
	}
	return "Network SUT " + sut + ": " + strings.Join(names, ", ")
}

// nameError is why the nodes could not be asked for their names; nil: they could, or need not.
func (n *networkName) nameError() error {
	if n == nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.err
}
