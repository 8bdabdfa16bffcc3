// Package metrics contains the records of requests to a server of language models and computes their figures.
//
// In scope: times, token events, counts, failures; definitions of figures. Out of scope: sending (package engine),
// requests (package prompts), and limits on figures (package objective).
package metrics

// Request is the record of one request. Times are nanoseconds of one monotonic clock, from the start of the
// measurement. Times of events that did not happen are meaningless; Status tells how far a request came.
type Request struct {
	// Index counts the requests of a point from 0 in the order of Due; Row is the row of the data, from 0.
	Index, Row int
	// User is the user's number in a closed loop, from 0; Turn counts the turns of a session from 0. Session is empty
	// without a session.
	User, Turn int
	Session    string
	Server     int // which of the servers, from 0

	// Due is when it should have been sent; Sent is just before its first byte was written, or a connection for it was
	// opened; End is when its stream was closed.
	Due, Sent, End int64
	Status         Status
	// Fault is the error text of the server or the connection, if any.
	Fault string
	// Finish is the server's reason for the end of the answer: stop, length, and so on; empty: not given.
	Finish string
	// WarmUp marks requests that count in no figure.
	WarmUp bool
	// Whole marks a request for an answer in one piece, which has no first token.
	Whole bool

	Events TokenEvents
	Usage  Usage
	// Retokenized is a tokenizer's count of the answer's text; Unknown without a tokenizer.
	Retokenized int64
	// AskedIn and AskedOut are the requested lengths in tokens, or Unknown.
	AskedIn, AskedOut int64
	// Read is the longest time from a read's return to its record, in nanoseconds.
	Read int64
}

// Unknown is the value of a number that is not known.
const Unknown = -1

// Status is the outcome of a request.
type Status string

// The outcomes of requests. A request answered with an HTTP status other than 200 has http_NNN; see HTTP.
const (
	OK         Status = "ok"
	Refused    Status = "refused"    // no connection
	Faulty     Status = "error"      // an error within the stream, or an answer that cannot be read
	Cut        Status = "cut"        // the stream ended before the answer did
	Timeout    Status = "timeout"    // it took longer than it may
	Empty      Status = "empty"      // an answer without a token
	Count      Status = "count"      // ids and usage disagree
	Unfinished Status = "unfinished" // under way when the grace period ended
	Cancelled  Status = "cancelled"  // by the client's own plan; not a failure
)

// Usage is the server's own count of tokens; Unknown where the server sent none.
type Usage struct {
	Prompt, Completion, Reasoning, Cached int64
}

// NoUsage returns the Usage of a server that sends no counts.
func NoUsage() Usage { return Usage{Unknown, Unknown, Unknown, Unknown} }

// EventKind is the kind of content of a stream's event.
type EventKind uint8

// Kinds of events.
const (
	Role      EventKind = iota // nothing generated: a role, the usage record
	Content                    // text of the answer
	Reasoning                  // text before the answer
	Tool                       // part of a tool call
	Comment                    // a comment of the stream
)

// StreamEvent is one event of a stream.
type StreamEvent struct {
	At   int64 // ns, as in Request
	Kind EventKind
	Text bool // it has text
	IDs  int  // how many token ids it has
}

// IsToken reports whether the event contains generated output.
func (e StreamEvent) IsToken() bool {
	return e.IDs > 0 || e.Text && (e.Kind == Content || e.Kind == Reasoning || e.Kind == Tool)
}

// IsAnswer reports whether the event is part of the answer, not of the reasoning.
func (e StreamEvent) IsAnswer() bool { return e.Text && (e.Kind == Content || e.Kind == Tool) }
