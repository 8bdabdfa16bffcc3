package openai

import "context"

// connExchange is a request on a connection, and its answer: of a Generator and of a Client.
type connExchange struct {
	*httpConn
	of      *connPool
	forget  func() bool // ends the watch of the context; false: the context has ended
	written chan error  // nil: the request is written
	failed  error       // how writing went, where written is nil
	closed  bool
}

// begin begins an exchange on a connection. Its reads and writes end with the context.
func (x *connExchange) begin(ctx context.Context, of *connPool, c *httpConn) {
	*x = connExchange{httpConn: c, of: of, forget: context.AfterFunc(ctx, func() { _ = c.SetDeadline(past) })}
}

// maxAheadBytes bounds the bodies that are written before anybody looks for an answer: a connection takes so many
// bytes, whether or not the server reads them.
const maxAheadBytes = maxKeptBytes / 2

// sendAhead writes a request whose body is longer than maxAheadBytes, while its answer is waited for: a server may
// refuse it, and read no more of it.
func (x *connExchange) sendAhead(write func() error) {
	x.written = make(chan error, 1)
	go func() { x.written <- write() }()
}

// endWriting ends the writing of the request, and says how it went.
func (x *connExchange) endWriting() error {
	if x.written == nil {
		return x.failed
	}
	select {
	case x.failed = <-x.written:
	default:
		x.keeps = false
		_ = x.SetWriteDeadline(past) // what is left of it is of no use
		x.failed = <-x.written
	}
	x.written = nil
	return x.failed
}

// end ends the exchange, and says how writing the request went. A connection that is of use still is kept.
func (x *connExchange) end() error {
	if x.closed {
		return nil
	}
	x.closed = true
	writing := x.endWriting()
	if uninterrupted := x.forget(); uninterrupted && writing == nil && x.isReusable() {
		x.of.putConn(x.httpConn)
	} else {
		_ = x.httpConn.Close() // the answer is complete, or has failed already
	}
	return writing
}
