package metrics

// The distributions of a point, by their names in records and objectives.
const (
	TTFT     = "ttft"      // from when a request was due to its first token
	TTFTSent = "ttft_sent" // from when it was sent to its first token: what most other tools call TTFT
	TTFO     = "ttfo"      // from when it was due to the first token that is no reasoning
	TPOT     = "tpot"      // from the first token to the last, for each token after the first
	E2E      = "e2e"       // from when it was due to its last token
	E2ESent  = "e2e_sent"  // from when it was sent to its last token
	Queue    = "queue"     // from when it was due to when it was sent
	Stall    = "stall"     // its largest gap
	User     = "user"      // tokens per second of its stream, after the first
	Gap      = "gap"       // between neighbouring token events, of all requests
	Out      = "out"       // tokens of its answer
)

// Distributions lists them. All are nanoseconds but User, in tokens per second, and Out, in tokens.
func Distributions() []string {
	return []string{TTFT, TTFTSent, TTFO, TPOT, E2E, E2ESent, Queue, Stall, User, Gap, Out}
}

// RequestLimits are those of each request, by the names of distributions: at most so many nanoseconds; of User at least
// so many tokens per second. A value that is the limit keeps it.
type RequestLimits map[string]float64

// Window is from From, in nanoseconds, to before To.
type Window struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Has says whether a time is within.
func (w Window) Has(at int64) bool { return w.From <= at && at < w.To }

// FigureRules say how figures are made of records.
type FigureRules struct {
	// Window bounds the measurement: rates are of what came in it, distributions of the requests that were due in it,
	// followed to their ends. Nil: it is from the first due time to the last token, and takes every request.
	Window *Window
	// Least is how long the window of all requests is at least, in nanoseconds: as long as so many take at the rate that
	// was asked for. A few that came at once would seem to be more per second than were sent.
	Least int64
	// Shares lets each answer count in the rates of a Window by the share of its tokens that came in it, so that requests,
	// tokens and goodput per second are of the same answers. Without it an answer counts where it ends.
	Shares bool
	// Untimed says that an answer all of whose tokens came at once has no TPOT and no gaps. Without it TPOT is 0.
	Untimed bool
	// NoTokens says that answers are whole and have no tokens: embeddings, ranks.
	NoTokens bool
	// Tokenizer lets Request.Retokenized count where the server does not.
	Tokenizer bool
	// HourPrice is the price of an hour of the server, in any currency; 0: unknown.
	HourPrice float64
	// GPUs is how many accelerators the tokens are shared out among; 0: none was told.
	GPUs int
	// LoadGen is the scenario whose headline numbers are wanted, too: "Server", "Offline" or none.
	LoadGen string
	// OpenLoop says that requests were due whatever the server did: LoadGen's early-stopping estimates apply.
	OpenLoop bool
	// Limits are each request's; goodput is made of those that keep all. None: there is no goodput.
	Limits RequestLimits
	// Percentiles are wanted beside the usual ones, as fractions of (0, 1), by the names of distributions.
	Percentiles map[string][]float64
	// Servers are the servers' names. With more than one every figure is made by server, too.
	Servers []string
}
