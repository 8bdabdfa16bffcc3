package metric

import "github.com/plumbline-ml/plumbline/sdk"

// Figures of a measurement of a server without a benchmark, in addition to tokens per second and the distributions of
// times. Package measure defines each.
var (
	RequestsPerSecond = rateInfo("requests_per_second", "requests per second", "requests/s",
		"requests answered per second").withSource(
		"answered requests / window", "serving/metrics.Figures.RequestsPerSec")
	TokensPerGPU = minorRate("tokens_per_second_per_gpu", "tokens per second of an accelerator", "tokens/s",
		"tokens answered per second, for each accelerator that the server was said to have").withSource(
		"tokens per second / accelerators", "serving/metrics.Figures.TokensPerSecPerGPU")
	MillionTokenCost = Info{Name: "cost", Title: "cost of a million tokens", Better: sdk.LowerBetter,
		About: "the cost of a million answered tokens, in the currency of --price"}.withSource(
		"price of an hour / 3600 * 1,000,000 / tokens per second", "serving/metrics.Figures.MillionTokenCost")
	User = rateInfo("user", "tokens per second of a user", "tokens/s",
		"how fast one answer comes: 1 / median TPOT").withSource(
		"1 / median TPOT", "serving/metrics.Figures.UserRate")
	Goodput = rateInfo("goodput", "goodput", "requests/s",
		"requests per second that keep all limits that were asked for").withSource(
		"requests within all limits / window", "serving/metrics.Figures.Goodput")
	Attainment = Info{Name: "attainment", Title: "attainment", Unit: "%", Better: sdk.HigherBetter, Main: true,
		About: "the share of all requests, failed ones too, that keep all limits that were asked for"}.withSource(
		"100 * requests within all limits / requests", "serving/metrics.Figures.Attainment")
	FailedRequests = Info{Name: "failed", Title: "failed requests", Unit: "%", Better: sdk.LowerBetter, Main: true,
		About: "the share of requests that had no answer, or a wrong one"}.withSource(
		"100 * failed requests / requests", "serving/metrics.Figures.FailedTotal")
	Requests = Info{Name: "requests", Title: "requests", Better: sdk.NeitherBetter,
		About: "requests that were begun in the window"}.withSource(
		"", "serving/metrics.Figures.Requests")
	Concurrency = Info{Name: "concurrency", Title: "requests at the server", Better: sdk.NeitherBetter,
		About: "how many requests were with the server, on average"}.withSource(
		"sum of the time from sent to end in the window / window", "serving/metrics.Figures.ConcurrencyMean")
	ConcurrencyPeak = Info{Name: "concurrency_peak", Title: "most requests at the server", Better: sdk.NeitherBetter,
		About: "how many requests were with the server, at most"}.withSource(
		"", "serving/metrics.Figures.ConcurrencyPeak")
	CachedTokens = Info{Name: "cached", Title: "cached tokens of prompts", Unit: "%", Better: sdk.NeitherBetter,
		About: "the share of prompts' tokens that the server had kept"}.withSource(
		"100 * cached tokens / tokens of prompts", "serving/metrics.Figures.CachedShare")
)

// ServingFigures lists the figures of a measurement of a server that are not statistics of times.
func ServingFigures() []Info {
	return []Info{
		RequestsPerSecond, TokensPerSecond, TokensPerGPU, MillionTokenCost, User, Goodput, Attainment, FailedRequests,
		Requests, Concurrency, ConcurrencyPeak, CachedTokens,
	}
}

// Distributions of a measurement of a server, in addition to TTFT and TPOT.
var (
	TTFO = Times{Key: "ttfo", Prefix: "ttfo.", Title: "time to first token of the answer", Short: "TTFO",
		Signal:  "plumbline.answer.first",
		About:   "Times to the first token that is no reasoning (TTFO), from the time the request was due",
		Formula: "first token of the answer - due", Code: "serving/metrics.Measured.Value"}
	E2E = Times{Key: "e2e", Prefix: "e2e.", Title: "time to the last token", Short: "time to the last token",
		Signal: "plumbline.request.latency", About: "Times to the last token, from the time the request was due",
		Formula: "last token - due", Code: "serving/metrics.Measured.Value"}
	Gap = Times{Key: "gap", Prefix: "gap.", Title: "gap between events", Short: "gap", Signal: "plumbline.event.gap",
		About:   "Times between two events with tokens of one answer, whatever number of tokens they have",
		Formula: "event with tokens - event with tokens before it", Code: "serving/metrics.Measured.TokenGaps"}
	Stall = Times{Key: "stall", Prefix: "stall.", Title: "largest gap of an answer", Short: "stall",
		Signal: "plumbline.event.stall", About: "The largest time between two events with tokens of each answer",
		Formula: "largest gap of an answer", Code: "serving/metrics.Measured.Stall"}
	Queueing = Times{Key: "queue", Prefix: "queue.", Title: "waiting at the client", Short: "waiting at the client",
		Signal: "plumbline.request.queue", About: "How much later than due requests were sent",
		Formula: "sent - due", Code: "serving/metrics.Measured.Value", OfHarness: true}
	TTFTSent = Times{Key: "ttft_sent", Prefix: "ttft_sent.", Title: "time to first token since sending",
		Short: "TTFT since sending", Signal: "plumbline.token.first_sent",
		About:   "Times to the first token from the time the request was sent, as other tools have it",
		Formula: "first token - sent", Code: "serving/metrics.Measured.Value"}
	E2ESent = Times{Key: "e2e_sent", Prefix: "e2e_sent.", Title: "time from sending to the last token",
		Short: "time to the last token since sending", Signal: "plumbline.request.latency_sent",
		About:   "Times to the last token from the time the request was sent, as other tools have it",
		Formula: "last token - sent", Code: "serving/metrics.Measured.Value"}
)

// ServingDistributions lists the distributions of a measurement of a server.
func ServingDistributions() []Times {
	return []Times{TTFT, TTFO, TPOT, E2E, Gap, Stall, Queueing, TTFTSent, E2ESent}
}
