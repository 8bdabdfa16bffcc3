package metrics

// The distributions of a point, with their names in records and objectives.
const (
	TTFT     = "ttft"      // from the due time of a request to its first token
	TTFTSent = "ttft_sent" // from sending to the first token: TTFT in most other tools
	TTFO     = "ttfo"      // from the due time to the first token after the reasoning
	TPOT     = "tpot"      // from the first token to the last, divided by the number of tokens after the first
	E2E      = "e2e"       // from the due time to the last token
	E2ESent  = "e2e_sent"  // from sending to the last token
	Queue    = "queue"     // from the due time to sending
	Stall    = "stall"     // the largest gap of a request
	User     = "user"      // tokens per second of a request's stream, after the first token
	Gap      = "gap"       // between consecutive token events, of all requests
	Out      = "out"       // tokens of an answer
)

// Distributions lists the names of the distributions. The unit is nanoseconds, except for User (tokens per second) and
// Out (tokens).
func Distributions() []string {
	return []string{TTFT, TTFTSent, TTFO, TPOT, E2E, E2ESent, Queue, Stall, User, Gap, Out}
}

// RequestLimits contains limits of each request, by the names of distributions: a maximum in nanoseconds or, for User,
// a minimum in tokens per second. A value equal to the limit meets it.
type RequestLimits map[string]float64

// Window is the time from From (included) to To (excluded), in nanoseconds.
type Window struct {
	From int64 `json:"from"`
	To   int64 `json:"to"`
}

// Has reports whether a time is within the window.
func (w Window) Has(at int64) bool { return w.From <= at && at < w.To }

// FigureRules determines how figures are computed from records.
type FigureRules struct {
	// Window is the time window of the measurement. Rates count the output that arrived in it. Distributions include the
	// requests that were due in it, even if they end later. If it is nil, the window is from the first due time to the
	// last token and includes every request.
	Window *Window
	// Least is the minimum length of the window of all requests in nanoseconds: the time that the requests take at the
	// requested rate. Without it, a few requests that arrive together would yield a higher rate than the requested one.
	Least int64
	// Shares counts each answer in the rates of a Window in proportion to its tokens in the window, so that requests,
	// tokens and goodput per second describe the same answers. Without it, an answer counts when it ends.
	Shares bool
	// Untimed means that an answer whose tokens all arrived at once has no TPOT and no gaps. Without it, its TPOT is 0.
	Untimed bool
	// NoTokens means that answers are unstreamed and have no tokens: embeddings, ranks.
	NoTokens bool
	// Tokenizer uses Request.Retokenized if the server does not count tokens.
	Tokenizer bool
	// HourPrice is the price of an hour of the server, in any currency; 0: unknown.
	HourPrice float64
	// GPUs is the number of accelerators by which token rates are divided; 0: unknown.
	GPUs int
	// LoadGen is the scenario whose headline numbers are also computed: "Server", "Offline" or "".
	LoadGen string
	// OpenLoop states that due times did not depend on the server, so that LoadGen's early-stopping estimates apply.
	OpenLoop bool
	// Limits contains the limits of each request. Goodput counts the requests that meet all. If it is empty, there is no
	// goodput.
	Limits RequestLimits
	// Percentiles contains requested percentiles in addition to the usual ones, as fractions in (0, 1), by distribution.
	Percentiles map[string][]float64
	// Servers contains the servers' names. If there are several, each figure is also computed per server.
	Servers []string
}
