// Package metrics contains the records of requests to a server of language models and computes their figures.
//
// In scope: times, token events, counts, failures; definitions of figures. Out of scope: sending (package engine),
// requests (package prompts), and limits on figures (package objective).
package metrics

// Request is what was recorded of one request. Times are nanoseconds of one monotonic clock, from the start of the
// measurement; of what did not happen they are meaningless, and Status says how far a request came.
type Request struct {
	// Index counts the requests of a point from 0 in the order of Due; Row is the row of the data, from 0.
	Index, Row int
	// User is who asked in a closed loop, from 0; Turn counts the turns of a session from 0. Session is empty where there
	// is none.
	User, Turn int
	Session    string
	Server     int // which of the servers, from 0

	// Due is when it should have been sent; Sent is just before its first byte was written, or a connection for it was
	// opened; End is when its stream was closed.
	Due, Sent, End int64
	Status         Status
	// Fault is what the server or the connection said; empty: nothing.
	Fault string
	// Finish is why the answer ended, as the server says: stop, length, and so on; empty: it does not say.
	Finish string
	// WarmUp marks requests that count in no figure.
	WarmUp bool
	// Whole marks one that asked for its answer in one piece: it has no first token.
	Whole bool

	Events TokenEvents
	Usage  Usage
	// Retokenized is what a tokenizer counted in the answer's text; Unknown where none was asked.
	Retokenized int64
	// AskedIn and AskedOut are the lengths that were asked for, in tokens; Unknown where none was.
	AskedIn, AskedOut int64
	// Read is the longest time from a read's return to its record, in nanoseconds.
	Read int64
}

// Unknown is a number that nobody told.
const Unknown = -1

// Status is how a request ended.
type Status string

// The ends of requests. One that a server answered with another status than 200 has http_NNN: HTTP.
const (
	OK         Status = "ok"
	Refused    Status = "refused"    // no connection
	Faulty     Status = "error"      // an error within the stream, or an answer that cannot be read
	Cut        Status = "cut"        // the stream ended before the answer did
	Timeout    Status = "timeout"    // it took longer than it may
	Empty      Status = "empty"      // an answer without a token
	Count      Status = "count"      // ids and usage disagree
	Unfinished Status = "unfinished" // under way when the grace period ended
	Cancelled  Status = "cancelled"  // by the client's own plan: nobody's failure
)

// Usage is the server's own count of tokens; Unknown where it did not tell.
type Usage struct {
	Prompt, Completion, Reasoning, Cached int64
}

// NoUsage is the count of a server that tells none.
func NoUsage() Usage { return Usage{Unknown, Unknown, Unknown, Unknown} }

// EventKind is what an event of a stream brought.
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

// IsToken tells whether something was generated.
func (e StreamEvent) IsToken() bool {
	return e.IDs > 0 || e.Text && (e.Kind == Content || e.Kind == Reasoning || e.Kind == Tool)
}

// IsAnswer tells whether it is part of the answer, and no reasoning.
func (e StreamEvent) IsAnswer() bool { return e.Text && (e.Kind == Content || e.Kind == Tool) }
