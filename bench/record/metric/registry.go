package metric

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Figures of a timed run that are not statistics of times.
var (
	// Result is the headline. ResultOf returns it with the title, unit and direction of a scenario.
	Result = Info{Name: "result", Title: "result", Main: true,
		About: "the scenario's result, as LoadGen's summary has it"}.withSource(
		"", "loadgen.Result.Metric")
	TargetQPS = Info{Name: "target_qps", Title: "target_qps", Unit: "queries/s", Better: sdk.HigherBetter, Main: true,
		About: "the highest target_qps that was found to meet the latency limit"}.withSource(
		"the largest rate whose trials meet the limit", "loadgen.Trial")

	SamplesPerSecond = rateInfo("samples_per_second", "samples per second", "samples/s",
		"samples answered per second").withSource(
		"samples / largest latency (Offline)", "loadgen.Result.SamplesPerSec")
	// CompletedSamplesPerSecond has the name of SamplesPerSecond. A run has only one of them.
	CompletedSamplesPerSecond = rateInfo(SamplesPerSecond.Name, "completed samples per second", "samples/s",
		"samples answered per second, up to the last answer").withSource(
		"(queries - 1) / completion time of the last query (Server)", "loadgen.Result.CompletedSamplesPerSec")
	ScheduledSamplesPerSecond = minorRate("scheduled_samples_per_second", "scheduled samples per second", "samples/s",
		"samples per second that the schedule asks for").onlyIn(server).withSource(
		"(queries - 1) / due time of the last query", "loadgen.Result.ScheduledSamplesPerSec")
	QueriesPerSecond = rateInfo("queries_per_second", "queries per second with LoadGen overhead", "queries/s",
		"queries per second of the whole run").onlyIn(singleStream).withSource(
		"(queries - 1) / issue time of the last query", "loadgen.Result.QPSWithOverhead")
	QueriesPerSecondWithout = minorRate("queries_per_second_without_overhead",
		"queries per second without LoadGen overhead",
		"queries/s", "queries per second of the time that answers took").onlyIn(singleStream).withSource(
		"1 / mean latency", "loadgen.Result.QPSWithoutOverhead")
	TokensPerSecond = rateInfo("tokens_per_second", "tokens per second", "tokens/s",
		"tokens answered per second").withSource(
		"tokens / largest latency (Offline); tokens of answered requests / window (harness bench)",
		"loadgen.TokenResult.PerSec")
	// CompletedTokensPerSecond has the name of TokensPerSecond. A run has only one of them.
	CompletedTokensPerSecond = rateInfo(TokensPerSecond.Name, "completed tokens per second", "tokens/s",
		"tokens answered per second, up to the last answer").withSource(
		"tokens / completion time of the last query (Server)", "loadgen.TokenResult.PerSec")
	TokensPerSecondWith = minorRate("tokens_per_second_with_overhead", "tokens per second with LoadGen overhead",
		"tokens/s",
		"tokens per second of the whole run").onlyIn(singleStream).withSource(
		"tokens / issue time of the last query", "loadgen.TokenResult.WithOverhead")
	TokensPerSecondWithout = minorRate("tokens_per_second_without_overhead", "tokens per second without LoadGen overhead",
		"tokens/s", "tokens per second of the time that answers took").onlyIn(singleStream).withSource(
		"tokens / sum of the latencies", "loadgen.TokenResult.WithoutOverhead")
	InferredTokensPerSecond = minorRate("inferred_tokens_per_second", "inferred tokens per second", "tokens/s",
		"tokens per second, reckoned from the mean length of the data set's answers").withSource(
		"token_latency_scaling_factor * samples per second", "loadgen.Result.InferredTokensPerSec")
	TargetLatency = Info{Name: "target_percentile_latency", Title: "target percentile latency", Unit: Millis,
		Better: sdk.LowerBetter, About: "the latency at the percentile that the run is judged at",
		In: []string{singleStream, multiStream,
			server}}.withSource( // all samples of Offline are due at once and have no limit
		"sorted latencies[trunc(n * target_latency_percentile)]", "loadgen.Result.TargetPercentile")

	OverLatency = Info{Name: "overlatency", Better: sdk.NeitherBetter, Title: "queries over the latency limit",
		About: "queries over the latency limit", In: []string{multiStream, server}}.withSource(
		"", "loadgen.Result.OverlatencyCount")
	Queries = Info{Name: "queries", Better: sdk.NeitherBetter, Title: "queries",
		About: "queries that were issued"}.withSource(
		"", "loadgen.Result.QueryCount")
	Samples = Info{Name: "samples", Better: sdk.NeitherBetter, Title: "samples",
		About: "samples that were issued"}.withSource(
		"", "loadgen.Result.SampleCount")
	Tokens = Info{Name: "tokens", Better: sdk.NeitherBetter, Title: "tokens",
		About: "tokens of all answered samples"}.withSource(
		"", "loadgen.TokenResult.Count")
	Duration = Info{Name: "duration", Better: sdk.NeitherBetter, Title: "duration", Unit: "s",
		About: "how long the run took by LoadGen's clock"}.withSource(
		"", "loadgen.Result.Duration")

	PowerAverage = Info{Name: Power + "average", Title: "average power", Unit: "W", Better: sdk.LowerBetter, Main: true,
		About: "average power, informal"}.withSource(
		"mean of the readings in the window of the run", "internal/power/spl.Average")
	PowerEnergy = Info{Name: Power + "energy", Title: "energy per query", Unit: "mJ", Better: sdk.LowerBetter, Main: true,
		About: "energy of a query, informal (SingleStream, MultiStream and harness bench)"}.withSource(
		"average power * duration / queries", "internal/power/spl.Average.Metric")
	PowerToken = Info{Name: Power + "token", Title: "energy per token", Unit: "J", Better: sdk.LowerBetter, Main: true,
		About: "energy of a token of answers, informal (harness bench)"}.withSource(
		"average power / tokens per second", "bench/record.Run.FromMeter")
	// PowerEfficiency has the unit of the work divided by joules, which Info.As sets.
	PowerEfficiency = Info{Name: Power + "efficiency", Title: "efficiency", Better: sdk.HigherBetter, Main: true,
		About: "what is done for the energy, informal"}.withSource(
		"performance / average power", "internal/power/spl.Average.Metric")
)

func rateInfo(name, title, unit, about string) Info {
	return Info{Name: name, Title: title, Unit: unit, Better: sdk.HigherBetter, Main: true, About: about}
}

// minorRate returns a throughput that a comparison shows only with --all.
func minorRate(name, title, unit, about string) Info {
	i := rateInfo(name, title, unit, about)
	i.Main = false
	return i
}

// Power is the prefix of the names of a power meter's measurements.
const Power = "power."

// IsPower reports whether a power meter measures the figure.
func IsPower(i Info) bool { return strings.HasPrefix(i.Name, Power) }

// Scenarios of figures.
const (
	singleStream = "SingleStream"
	multiStream  = "MultiStream"
	server       = "Server"
)

// withSource returns the figure with its formula and the code that computes it.
func (i Info) withSource(formula, code string) Info {
	i.Formula, i.Code = formula, code
	return i
}

// onlyIn returns the figure restricted to one scenario.
func (i Info) onlyIn(scenario string) Info {
	i.In = []string{scenario}
	return i
}

// As returns the figure with another title and unit.
func (i Info) As(title, unit string) Info {
	i.Title, i.Unit = title, unit
	return i
}

// ResultOf returns the headline of a scenario. Lower is better for latencies, higher for all others.
func ResultOf(title, unit string) Info {
	r := Result.As(title, unit)
	if r.Better = sdk.HigherBetter; unit == Millis {
		r.Better = sdk.LowerBetter
	}
	for _, same := range []Info{SamplesPerSecond, TokensPerSecond} {
		if unit == same.Unit {
			r.Also = []string{same.Name}
		}
	}
	return r
}

// Estimate is the title of LoadGen's estimate of a percentile.
const Estimate = "early-stopping estimate"

// EstimateOf returns the result of SingleStream and MultiStream: LoadGen's early-stopping estimate of a percentile p, a
// fraction in (0, 1). It is not the measured percentile but an upper bound that this number of queries permits.
func EstimateOf(of Times, p float64, queries uint64) Info {
	r := ResultOf(Estimate+" of the "+ordinalText(p)+" percentile "+of.Short, Millis)
	r.About = fmt.Sprintf("upper bound of the %s percentile, %s queries", ordinalText(p), figure.Count(queries))
	return r
}

// Figures lists the figures that are not statistics of times.
func Figures() []Info {
	return []Info{
		Result, TargetQPS, SamplesPerSecond, CompletedSamplesPerSecond, ScheduledSamplesPerSecond, QueriesPerSecond,
		QueriesPerSecondWithout, TokensPerSecond, CompletedTokensPerSecond, TokensPerSecondWith, TokensPerSecondWithout,
		InferredTokensPerSecond,
		TargetLatency, OverLatency, Queries, Samples, Tokens, Duration, PowerAverage, PowerEnergy, PowerToken,
		PowerEfficiency,
	}
}

// Named returns the figure with the given name. ok is false if there is none.
func Named(name string) (i Info, ok bool) {
	return findInfo(func(i Info) bool { return i.Name == name })
}

// Titled returns the figure with the given title, for records of versions that did not write names. ok is false if
// there is none.
func Titled(title string) (i Info, ok bool) {
	return findInfo(func(i Info) bool { return i.Title == title })
}

func findInfo(is func(Info) bool) (i Info, ok bool) {
	all := Figures()
	if at := slices.IndexFunc(all, is); at >= 0 {
		return all[at], true
	}
	return Info{}, false
}

// Times is a distribution of times.
type Times struct {
	Key     string // name in files and events: "issue_delay"
	Prefix  string // prefix of the names of its statistics: "issue_delay."
	Title   string // "issue delay"
	Short   string // name in titles of statistics: "issue delay", "TTFT"
	Signal  string // name in monitoring systems: "plumbline.issue.delay"
	About   string // its meaning, a sentence without a full stop
	Formula string // the formula of one of the times
	Code    string // the code that computes it: "loadgen.TokenResult.TTFT"
	// OfHarness marks times of the harness, not of the system under test.
	OfHarness bool
}

// The distributions of a run.
var (
	Latency = Times{Key: "latency", Title: "latency", Short: "latency", Signal: "plumbline.sample.latency",
		About:   "Latencies of samples, from the time the query was due",
		Formula: "completion - due", Code: "loadgen.Result.Latency"}
	QueryLatency = Times{Key: "query_latency", Prefix: "query.", Title: "latency of queries", Short: "latency of a query",
		Signal: "plumbline.query.latency", About: "Latencies of queries, up to the last of their samples (MultiStream)",
		Formula: "completion of the last sample - due", Code: "loadgen.Result.QueryLatency"}
	IssueDelay = Times{Key: "issue_delay", Prefix: "issue_delay.", Title: "issue delay", Short: "issue delay",
		Signal: "plumbline.issue.delay", About: "How much later than due queries were issued (Server)",
		Formula: "issued - due", Code: "loadgen.Result.IssueDelay", OfHarness: true}
	TTFT = Times{Key: "ttft", Prefix: "ttft.", Title: "time to first token", Short: "TTFT",
		Signal: "plumbline.token.first", About: "Times to the first token (TTFT), from the time the query was due",
		Formula: "first token - due", Code: "loadgen.TokenResult.TTFT"}
	TPOT = Times{Key: "tpot", Prefix: "tpot.", Title: "time per output token", Short: "TPOT",
		Signal: "plumbline.token.output", About: "Times per output token after the first (TPOT)",
		Formula: "(last token - first token) / (tokens - 1), cut to whole ns", Code: "loadgen.TokenResult.TPOT"}
)

// Parts of a sample's latency that the plugin measures by its own clock. They do not become figures.
var (
	Waiting = Times{Key: "waiting", Title: "waiting in the plugin",
		About: "How long samples waited in the plugin until their batches ran"}
	Model = Times{Key: "model", Title: "time in the model", About: "How long the runs of samples' batches took"}
)

// Distributions lists the distributions that the harness measures in a run.
func Distributions() []Times { return []Times{Latency, QueryLatency, IssueDelay, TTFT, TPOT} }

// Mean describes the mean time.
func (t Times) Mean() Info { return t.statisticInfo("mean", "mean", !t.OfHarness) }

// Min describes the minimum time.
func (t Times) Min() Info { return t.statisticInfo("min", "least", false) }

// Max describes the maximum time.
func (t Times) Max() Info { return t.statisticInfo("max", "largest", false) }

// At describes the percentile p, a fraction in (0, 1).
func (t Times) At(p float64) Info {
	shown := p == 0.5 || p == 0.9 || p == 0.99 || p == 0.999
	return t.statisticInfo("p"+percentText(p), ordinalText(p)+" percentile", shown && !t.OfHarness)
}

func percentText(p float64) string { return strconv.FormatFloat(100*p, 'g', 6, 64) }

// ordinalText returns a fraction as a percentile: 90th, 99.9th.
func ordinalText(p float64) string { return percentText(p) + "th" }

// OfSamples returns the distribution of samples for runs that also have one of queries, because queries have several
// samples.
func (t Times) OfSamples() Times {
	t.Title, t.Short = t.Title+" of samples", t.Short+" of a sample"
	return t
}

func (t Times) statisticInfo(name, title string, main bool) Info {
	return Info{Name: t.Prefix + name, Title: title + " " + t.Short, Unit: Millis, Better: sdk.LowerBetter, Main: main,
		About: title + " of: " + t.About, Formula: t.Formula, Code: t.Code}
}
