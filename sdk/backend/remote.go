package backend

import "context"

// Remote is an optional interface of a Session, and of a Generator, whose model runs on other machines: the client of
// servers.
type Remote interface {
	// Nodes are these machines, in the order in which the options name them. It asks none of them.
	Nodes() []RemoteNode
}

// LocalWorker is an optional interface of a Remote that does more on this machine than to send inputs and to take
// outputs.
type LocalWorker interface {
	// LocalWork lists it, a phrase each.
	LocalWork() []string
}

// RemoteNode is a machine that a Remote is a client of. Its methods may be called from any goroutine while the session
// is open. Errors say what the user can mend; they need not name the address.
type RemoteNode interface {
	// Address is HOST:PORT, or a URL, as the options name it.
	Address() string
	// Name asks the node what it is called: one round trip of a small request and a small answer, at each call. It is
	// empty where the node answers and has no name to tell. peer is the network address that answered, IP:PORT; empty: not
	// known.
	Name(ctx context.Context) (name, peer string, err error)
	// Send sends a request of size bytes, which the node reads and makes nothing of, and returns when its short answer has
	// come.
	Send(ctx context.Context, size int) error
}
