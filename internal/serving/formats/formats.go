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

// ErrInexpressible reports that a format cannot express a measurement.
var ErrInexpressible = errors.New("not written")

// Run is a measured point with its records and its requests.
type Run struct {
	// Requests contains the records, including warm-up, in order of their Index.
	Requests []metrics.Request
	// Rules contains the limits of each request, and whether answers have tokens.
	Rules metrics.FigureRules
	Load  arrival.Pattern
	// WarmUp is the number of planned warm-up requests. Grace is the maximum wait for answers in flight at the end.
	WarmUp int
	Grace  time.Duration

	API       prompts.API
	Stream    bool
	MaxTokens int // requested maximum number of tokens of an answer; 0: the server's own limit
	// Fields contains fields of every request's body as JSON, such as temperature and seed.
	Fields map[string]string

	Model                string
	Tokenizer            string   // empty: not used
	Servers              []string // addresses
	HasKey               bool     // requests contained an API key
	ServerKind           string   // kind of server: vllm, sglang; empty: unknown
	UncheckedCertificate bool     // the server's certificate was not checked
	Label                string
	Version              string // version of the measuring program
	Commit               string // commit of its sources; empty: unknown

	Data Data

	// Began is the wall-clock time at time 0 of the records.
	Began       time.Time
	Interrupted bool
}

// Data names the source of the prompts.
type Data struct {
	Name string
	Path string // empty: the prompts were generated
	// Columns lists the columns that the user named, as FIELD=NAME.
	Columns []string
}
