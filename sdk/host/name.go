package host

import (
	"context"
	"strings"
	"sync"
	"time"
)

// nameTimeout limits a request for the names of all nodes.
const nameTimeout = 30 * time.Second

// networkName creates the name of a SUT of the network division. The rules require that it contains "Network SUT" and
// the name of each node, requested over the network before it is returned.
type networkName struct {
	ask func(context.Context) ([]string, error)

	mu  sync.Mutex
	err error // of the first failed request, after which the nodes are not asked again
}

// sutName returns the name of a SUT on nodes. Because it cannot return an error, the first query fails if the request
// failed.
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

// nameError returns the error of the request for the nodes' names, or nil.
func (n *networkName) nameError() error {
	if n == nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.err
}
