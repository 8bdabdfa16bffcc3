// Package formats writes measurements of a server in the file formats and definitions of other tools. Each package
// below it covers one tool.
//
// In scope: the records and requests of a point; limits on a YAML text before it is read. Out of scope: the definitions
// of this project (serving/metrics), and measuring.
package formats

import (
	"errors"
	"time"

	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// ErrNoWords is the error of what a format cannot say.
var ErrNoWords = errors.New("not written")

// Run is a measured point with its records and its requests.
type Run struct {
	// Requests are the records, warm-up too, in the order of their Index.
	Requests []metrics.Request
	// Rules tell whether answers have tokens, and the limits of each request.
	Rules metrics.FigureRules
	Load  arrival.Pattern
	// WarmUp is how many requests of warm-up were asked for; Grace how long answers under way at the end were awaited.
	WarmUp int
	Grace  time.Duration

	API       prompts.API
	Stream    bool
	MaxTokens int // the most tokens of an answer that were asked for; 0: the server's own limit
	// Fields are fields of every request's body, such as temperature and seed, as JSON.
	Fields map[string]string

	Model     string
	Tokenizer string   // empty: none was needed
	Servers   []string // their addresses
	Secret    bool     // a key was sent
	Kind      string   // of server: vllm, sglang; empty: unknown
	Insecure  bool     // the server's certificate was not looked at
	Label     string
	Version   string // of the program that measured
	Commit    string // of its sources; empty: unknown

	Data Data

	// Began is the wall clock's time at time 0 of the records.
	Began       time.Time
	Interrupted bool
}

// Data names the source of the prompts.
type Data struct {
	Name string
	Path string // empty: they were made
	// Columns are those that were named, FIELD=NAME.
	Columns []string
}
