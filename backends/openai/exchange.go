package openai

import "context"

// connExchange is a request on a connection, with its answer. Generator and Client use it.
type connExchange struct {
	*httpConn
	of        *connPool
	stopWatch func() bool // stops watching the context; returns false if the context has ended
	written   chan error  // nil: the request has been written
	writeErr  error       // result of writing, if written is nil
	closed    bool
}

// begin starts an exchange on a connection. Its reads and writes end with the context.
func (x *connExchange) begin(ctx context.Context, of *connPool, c *httpConn) {
	*x = connExchange{httpConn: c, of: of, stopWatch: context.AfterFunc(ctx, func() { _ = c.SetDeadline(pastDeadline) })}
}

// maxAheadBytes is the maximum size of bodies that are written before reading the answer: a connection buffers this
// number of bytes even if the server does not read them.
const maxAheadBytes = maxKeptBytes / 2

// sendAhead writes a request with a longer body while waiting for its answer, because a server may refuse the request
// without reading all of it.
func (x *connExchange) sendAhead(write func() error) {
	x.written = make(chan error, 1)
	go func() { x.written <- write() }()
}

// endWriting ends the writing of the request and returns its result.
func (x *connExchange) endWriting() error {
	if x.written == nil {
		return x.writeErr
	}
	select {
	case x.writeErr = <-x.written:
	default:
		x.keepsAlive = false
		_ = x.SetWriteDeadline(pastDeadline) // the rest of the request is useless
		x.writeErr = <-x.written
	}
	x.written = nil
	return x.writeErr
}

// end ends the exchange and returns the result of writing the request. It keeps a reusable connection.
func (x *connExchange) end() error {
	if x.closed {
		return nil
	}
	x.closed = true
	writing := x.endWriting()
	if uninterrupted := x.stopWatch(); uninterrupted && writing == nil && x.isReusable() {
		x.of.putConn(x.httpConn)
	} else {
		_ = x.httpConn.Close() // the answer is complete or has already failed
	}
	return writing
}
