// Package objective parses objectives for a server, such as "p99 ttft < 500ms, attainment >= 99 %", and judges points
// by them.
//
//	objectives = term { "," term } .
//	term       = [ "p" number | "mean" | "max" ] metric operator value .
//	operator   = "<" | "<=" | ">" | ">=" .
//	value      = number [ unit ] .
//
// A metric is one of Metrics. For a time or a user's tokens per second, a term without a statistic limits each request;
// goodput is computed from these limits. A percentile also limits each request. The units of times are ns, us, ms and
// s; the unit of shares is %.
//
// In scope: objectives, their limits for requests, verdicts. Out of scope: the figures (package metrics).
package objective

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"

	"github.com/plumbline-ml/plumbline/internal/inequality"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

// Units of the limits of terms.
const (
	Nanoseconds = metrics.Nanoseconds
	TokensPerS  = metrics.TokensPerS
	RequestsPer = metrics.RequestsPer
	Share       = metrics.Share
)

// Statistics of terms other than percentiles.
const (
	Each  = metrics.Each
	Mean  = metrics.Mean
	Max   = metrics.Max
	Whole = metrics.Whole
)

// Metrics that are a single number of a point. The others are distributions.
const (
	TokensPerSec   = metrics.TokensPerSec
	RequestsPerSec = metrics.RequestsPerSec
	Goodput        = metrics.Goodput
	Attainment     = metrics.Attainment
	Failed         = metrics.Failed
)

type (
	// Term is one objective, as in records.
	Term = metrics.Term
	// Verdict is the verdict on a Term at a point.
	Verdict = metrics.TermVerdict
)

// Objectives contains the terms that a point must meet.
type Objectives struct {
	Terms []Term
}

// metricUnits maps metrics to the units of their limits.
var metricUnits = map[string]string{
	metrics.TTFT: Nanoseconds, metrics.TTFTSent: Nanoseconds, metrics.TTFO: Nanoseconds, metrics.TPOT: Nanoseconds,
	metrics.E2E: Nanoseconds, metrics.E2ESent: Nanoseconds, metrics.Queue: Nanoseconds, metrics.Stall: Nanoseconds,
	metrics.Gap: Nanoseconds, metrics.User: TokensPerS,
	TokensPerSec: TokensPerS, RequestsPerSec: RequestsPer, Goodput: RequestsPer, Attainment: Share, Failed: Share,
}

// aliases contains further names of metrics.
var aliases = map[string]string{
	"tokens_per_second": TokensPerSec, "requests_per_second": RequestsPerSec, "goodput_per_s": Goodput,
}

// ambiguous contains names that tools use for different metrics.
var ambiguous = map[string]string{
	"itl": "tools call two things so: say gap or tpot", "latency": "say ttft, e2e, or another time",
	"throughput": "say tokens_per_s or requests_per_s",
}

// MetricNames lists the metrics of terms in alphabetical order.
func MetricNames() []string { return slices.Sorted(maps.Keys(metricUnits)) }

// maxLength is the maximum length of objectives in bytes.
const maxLength = 2000

// Parse parses objectives. The error lists every fault.
func Parse(text string) (Objectives, error) {
	if len(text) > maxLength {
		return Objectives{}, fmt.Errorf("objectives of %d characters, want %d at most", len(text), maxLength)
	}
	if strings.TrimSpace(text) == "" {
		return Objectives{}, errors.New("the objectives are empty; want [p99|mean|max] METRIC < VALUE, such as " +
			"p99 ttft < 500ms, p99 tpot < 30ms")
	}
	var o Objectives
	var faults []error
	for part := range strings.SplitSeq(text, ",") {
		t, err := parseTerm(strings.TrimSpace(part))
		if err == nil {
			err = o.errDuplicate(t)
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		o.Terms = append(o.Terms, t)
	}
	if len(faults) > 0 {
		return Objectives{}, errors.Join(faults...)
	}
	return o, nil
}

// errDuplicate returns an error if an earlier term has the same subject.
func (o Objectives) errDuplicate(t Term) error {
	for _, before := range o.Terms {
		if before.Metric == t.Metric && before.Stat == t.Stat {
			return fmt.Errorf("objective %q: %q limits the same metric, which may not be limited twice; remove one of them",
				t.Text, before.Text)
		}
	}
	return nil
}

func parseTerm(text string) (Term, error) {
	t := Term{Text: text, Stat: Whole}
	subject, op, value, ok := inequality.CutOperator(text)
	switch {
	case text == "":
		return t, termError(&t, "there is nothing between two commas, or at an end")
	case !ok:
		return t, termError(&t, "no operator (<, <=, >, >=)")
	case op == inequality.Equal || op == inequality.NotEqual:
		return t, termError(&t, fmt.Sprintf("%s is no limit; the operators are <, <=, >, >=", op))
	}
	t.Op = op
	if err := readSubject(&t, subject); err != nil {
		return t, err
	}
	if t.Unit = metricUnits[t.Metric]; t.Op.Holds(0, 1) != smallerIsBetter(&t) {
		better, op := "larger", "> or >="
		if smallerIsBetter(&t) {
			better, op = "smaller", "< or <="
		}
		return t, termError(&t, fmt.Sprintf("%s is better the %s it is: no limit holds it there; want %s", t.Metric, better,
			op))
	}
	return t, readValue(&t, value)
}

func termError(t *Term, what string) error {
	return fmt.Errorf("objective %q: %s; want [p99|mean|max] METRIC < VALUE, such as p99 ttft < 500ms", t.Text, what)
}

// smallerIsBetter reports whether smaller values of the metric are better.
func smallerIsBetter(t *Term) bool { return t.Unit == Nanoseconds || t.Metric == Failed }

// isPerRequest reports whether each request has a value of the metric.
func isPerRequest(metric string) bool {
	return metricUnits[metric] == Nanoseconds || metric == metrics.User
}

// readSubject parses the text before the operator: a statistic and a metric, or the name of a figure such as ttft.p99.
func readSubject(t *Term, text string) error {
	words := orderWords(strings.Fields(strings.ToLower(text)))
	if len(words) == 0 || len(words) > 2 {
		return termError(t, fmt.Sprintf("%q is no metric, nor a statistic and a metric", text))
	}
	t.Metric = words[len(words)-1]
	if name, ok := aliases[t.Metric]; ok {
		t.Metric = name
	}
	if metricUnits[t.Metric] == "" {
		if isStat(t.Metric) && len(words) == 1 {
			return termError(t, fmt.Sprintf("%s of what? %[1]s ttft, %[1]s e2e or another time", t.Metric))
		}
		if what := ambiguous[t.Metric]; what != "" {
			return termError(t, fmt.Sprintf("%s is unclear: %s", t.Metric, what))
		}
		return fmt.Errorf("objective %q: %w", t.Text, suggest.Unknown("metric", t.Metric, MetricNames()))
	}
	if isPerRequest(t.Metric) {
		t.Stat = Each
	}
	if len(words) == 1 {
		return nil
	}
	if !isPerRequest(t.Metric) {
		return termError(t, fmt.Sprintf("%s is one number of a point, and has no %s", t.Metric, words[0]))
	}
	if t.Stat = words[0]; t.Stat == Mean || t.Stat == Max {
		return nil
	}
	var ok bool
	if t.Fraction, ok = metrics.ParsePercentile(t.Stat); !ok {
		return termError(t, fmt.Sprintf("%q is no statistic; there are percentiles above 0 and below 100, mean and max",
			words[0]))
	}
	t.Stat = metrics.PercentileName(t.Fraction)
	return nil
}

// orderWords puts the statistic before its metric. It accepts ttft p99, the name of a figure, and other separators.
func orderWords(words []string) []string {
	if len(words) == 1 && metricUnits[words[0]] == "" {
		words = splitJoined(words[0])
	}
	if len(words) == 2 && isMetric(words[0]) && !isMetric(words[1]) {
		return []string{words[1], words[0]}
	}
	return words
}

// splitJoined splits a word that joins a metric and a statistic: ttft.p99, p99_ttft. It also splits a word in which
// only one half is known, so that an error can name the other half. It does not split other words.
func splitJoined(word string) []string {
	parts := []string{word}
	for i, sign := range word {
		if !strings.ContainsRune("._-:", sign) {
			continue
		}
		a, b := word[:i], word[i+1:]
		if isMetric(a) && isStat(b) || isStat(a) && isMetric(b) {
			return []string{a, b}
		}
		if sign == '.' && isMetric(a) || isStat(a) {
			parts = []string{a, b}
		}
	}
	return parts
}

func isMetric(word string) bool {
	return metricUnits[word] != "" || aliases[word] != "" || ambiguous[word] != ""
}

// isStat reports whether a word is a statistic of the times of requests.
func isStat(word string) bool {
	_, percentile := metrics.ParsePercentile(word)
	return percentile || word == Mean || word == Max
}

// readValue parses the text after the operator.
func readValue(t *Term, text string) error {
	q, ok := inequality.ParseQuantity(text)
	if !ok {
		return termError(t, fmt.Sprintf("%q is no number with a unit", text))
	}
	switch t.Unit {
	case Nanoseconds:
		power, ok := inequality.TimeUnitPower(q.Unit)
		if !ok {
			return termError(t, fmt.Sprintf("%s needs a unit: ns, us, ms or s, found %q", t.Metric, q.Unit))
		}
		if t.Value = q.ScaledValue(power); t.Value <= 0 {
			return termError(t, "no time is that short; want more than 0")
		}
	case Share:
		if q.Unit != "%" {
			return termError(t, fmt.Sprintf("%s is a share in %%, found %q", t.Metric, text))
		}
		t.Value = q.ScaledValue(-2)
	default:
		if q.Unit != "" && !slices.Contains(perSecond[t.Unit], strings.ToLower(q.Unit)) {
			return termError(t, fmt.Sprintf("the unit of %s is %s, found %q", t.Metric, t.Unit, q.Unit))
		}
		t.Value = q.Value
	}
	if math.IsInf(t.Value, 0) {
		return termError(t, fmt.Sprintf("%q is too large", text))
	}
	if t.Value < 0 {
		return termError(t, fmt.Sprintf("%q is below 0", text))
	}
	if t.Unit == Share && (t.Value > 1 || !t.Op.Holds(bestShare(t), t.Value)) {
		return termError(t, "no point can hold it: shares are from 0 to 100 %")
	}
	return nil
}

// bestShare returns the best possible share.
func bestShare(t *Term) float64 {
	if smallerIsBetter(t) {
		return 0
	}
	return 1
}

// perSecond contains the spellings of the units of rates.
var perSecond = map[string][]string{
	TokensPerS:  {"tokens/s", "token/s", "tok/s", "t/s", "/s"},
	RequestsPer: {"requests/s", "request/s", "req/s", "r/s", "/s"},
}

// RequestLimits returns the limits of each request: the explicit ones, otherwise those of percentiles. If several
// percentiles of a metric have limits, the most extreme percentile counts, because half of the requests may exceed the
// median. It returns nil if there are no limits and no term needs goodput. An attainment without limits is the share of
// answered requests.
func (o Objectives) RequestLimits() metrics.RequestLimits {
	var limits metrics.RequestLimits
	rarest := map[string]float64{}
	for _, t := range o.Terms {
		if limits == nil && (t.Stat == Each || t.Fraction > 0 || t.Metric == Attainment || t.Metric == Goodput) {
			limits = metrics.RequestLimits{}
		}
		p := t.Fraction
		switch {
		case t.Stat == Each:
			p = math.Inf(1)
		case p == 0:
			continue
		case !smallerIsBetter(&t):
			p = 1 - p
		}
		if p > rarest[t.Metric] {
			rarest[t.Metric], limits[t.Metric] = p, t.Value
		}
	}
	return limits
}

// Percentiles returns the percentiles that figures need for judging, in the form of metrics.FigureRules.
func (o Objectives) Percentiles() map[string][]float64 {
	all := map[string][]float64{}
	for _, t := range o.Terms {
		if t.Fraction > 0 {
			all[t.Metric] = append(all[t.Metric], t.Fraction)
		}
	}
	return all
}

// HasPointTerms reports whether a point can miss a term. Limits of each request only determine goodput.
func (o Objectives) HasPointTerms() bool {
	return slices.ContainsFunc(o.Terms, func(t Term) bool { return t.Stat != Each })
}

// String returns the objectives in the form that Parse accepts.
func (o Objectives) String() string {
	texts := make([]string, len(o.Terms))
	for i, t := range o.Terms {
		texts[i] = t.Text
	}
	return strings.Join(texts, ", ")
}
