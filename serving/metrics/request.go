// Package metrics contains the records of requests to a server of language models and computes their figures.
//
// In scope: times, token events, counts, failures; definitions of figures. Out of scope: sending (package engine),
// requests (package prompts), and limits on figures (package objective).
package metrics

// Request is the record of one request. Times are nanoseconds of one monotonic clock, from the start of the
// measurement. Times of events that did not happen are meaningless; Status shows how far a request came.
type Request struct {
	// Index numbers the requests of a point from 0 in the order of Due. Row is the row of the data, from 0.
	Index, Row int
	// User is the user's number in a closed loop, from 0. Turn is the turn of a session, from 0. Session is empty without
	// a session.
	User, Turn int
	Session    string
	Server     int // index of the server, from 0

	// Due is the time at which the request should have been sent. Sent is the time just before its first byte was written
	// or a connection for it was opened. End is the time at which its stream was closed.
	Due, Sent, End int64
	Status         Status
	// Fault is the error text of the server or the connection, if any.
	Fault string
	// Finish is the server's reason for the end of the answer: stop, length, and so on; empty: not given.
	Finish string
	// WarmUp marks requests that figures exclude.
	WarmUp bool
	// Whole marks a request for an unstreamed answer, which has no first token.
	Whole bool

	Events TokenEvents
	Usage  Usage
	// Retokenized is a tokenizer's count of the answer's text, or Unknown without a tokenizer.
	Retokenized int64
	// AskedIn and AskedOut are the requested lengths in tokens, or Unknown.
	AskedIn, AskedOut int64
	// Read is the longest time between the return of a read and its recording, in nanoseconds.
	Read int64
}

// Unknown is the value of an unknown number.
const Unknown = -1

// Status is the outcome of a request.
type Status string

// The outcomes of requests. A request answered with an HTTP status other than 200 has the outcome http_NNN.
const (
	OK         Status = "ok"
	Refused    Status = "refused"    // no connection
	Faulty     Status = "error"      // an error within the stream, or an unreadable answer
	Cut        Status = "cut"        // the stream ended before the answer did
	Timeout    Status = "timeout"    // the request exceeded its time limit
	Empty      Status = "empty"      // an answer without a token
	Count      Status = "count"      // ids and usage disagree
	Unfinished Status = "unfinished" // in flight when the grace period ended
	Cancelled  Status = "cancelled"  // by the client according to plan; not a failure
)

// Usage contains the server's own token counts, or Unknown for counts that the server did not send.
type Usage struct {
	Prompt, Completion, Reasoning, Cached int64
}

// NoUsage returns the Usage of a server that sends no counts.
func NoUsage() Usage { return Usage{Unknown, Unknown, Unknown, Unknown} }

// EventKind is the kind of content of a stream's event.
type EventKind uint8

// The kinds of events.
const (
	Role      EventKind = iota // no generated output: a role, the usage record
	Content                    // text of the answer
	Reasoning                  // text that precedes the answer
	Tool                       // a part of a tool call
	Comment                    // a comment in the stream
)

// StreamEvent is one event of a stream.
type StreamEvent struct {
	At   int64 // in ns, as in Request
	Kind EventKind
	Text bool // the event contains text
	IDs  int  // number of token ids in the event
}

// IsToken reports whether the event contains generated output.
func (e StreamEvent) IsToken() bool {
	return e.IDs > 0 || e.Text && (e.Kind == Content || e.Kind == Reasoning || e.Kind == Tool)
}

// IsAnswer reports whether the event is part of the answer, not of the reasoning.
func (e StreamEvent) IsAnswer() bool { return e.Text && (e.Kind == Content || e.Kind == Tool) }
