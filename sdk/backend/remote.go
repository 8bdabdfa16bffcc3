package backend

import "context"

// Remote is an optional interface of a Session or a Generator that is a client of other machines, which run the model.
type Remote interface {
	// Nodes returns these machines in the order of the options. It does not contact them.
	Nodes() []RemoteNode
}

// LocalWorker is an optional interface of a Remote that does more on this machine than send inputs and receive outputs.
type LocalWorker interface {
	// LocalWork lists that work, one phrase each.
	LocalWork() []string
}

// RemoteNode is a machine that serves a Remote. Its methods may be called from any goroutine while the session is open.
// Errors state what the user can fix; they need not include the address.
type RemoteNode interface {
	// Address returns HOST:PORT or a URL, as given in the options.
	Address() string
	// Name requests the node's name. Each call costs one round trip of a small request and a small answer. The name is
	// empty if the node answers without one. peer is the network address that answered, IP:PORT; empty: not known.
	Name(ctx context.Context) (name, peer string, err error)
	// Send sends a request of size bytes, which the node reads and discards, and returns when the node's short answer
	// has arrived.
	Send(ctx context.Context, size int) error
}
