package check

import (
	"math"
	"path"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
)

// Limits of the agreement of token counts with times and texts, and of repeated samples.
const (
	tokenTimeFactor   = 2.0 // maximum ratio between tokens and (latency - TTFT) / TPOT
	minCharacters     = 1.0 // minimum mean length of a token
	maxCharacters     = 12.0
	minTexts          = 5
	repeatFactor      = 2.0 // maximum ratio to the expected number of repetitions
	repeatDeviations  = 5.0
	minRepeatedIssues = 100
)

// reviewTokens checks that the output tokens agree with the response times and with the texts.
func (r *curveReviewer) reviewTokens(p Point, at string) {
	mean, ok := metricMean(p.Summary, "output_sequence_lengths")
	if !ok || mean <= 1 {
		return
	}
	latency, ok := metricMean(p.Summary, "latency")
	ttft, ok2 := metricMean(p.Summary, "ttft")
	tpot, ok3 := metricMean(p.Summary, "tpot")
	if ok && ok2 && ok3 && tpot > 0 && latency > ttft {
		room := (latency - ttft) / tpot
		if mean > room*tokenTimeFactor || mean*tokenTimeFactor < room {
			r.addWarning("tokens-of-time", path.Join(at, summaryFile),
				"a response has %.4g tokens on average, but its time after "+
					"the first one, %.4g ms, has room for %.4g of %.4g ms: is TPOT one of chunks, or are tokens counted twice?",
				mean, (latency-ttft)/1e6, room, tpot/1e6)
		}
	}
	characters, texts := meanCharacters(p.Results)
	if each := characters / mean; texts >= minTexts && (each < minCharacters || each > maxCharacters) {
		r.addWarning("tokens-of-text", path.Join(at, resultsFile), "the %d responses that are kept have %.4g characters on "+
			"average, and a response has %.4g tokens: %.3g characters a token, want %v to %v", texts, characters, mean, each,
			minCharacters, maxCharacters)
	}
}

// metricMean returns the mean of a metric: avg, or total divided by the number of completed requests.
func metricMean(summary *pyvalue.Dict, metric string) (x float64, ok bool) {
	d, _ := pyvalue.Field[*pyvalue.Dict](summary, metric)
	if x, ok = numberIn(d, "avg"); ok {
		return x, true
	}
	total, ok := numberIn(d, "total")
	n, ok2 := numberIn(summary, "n_samples_completed")
	return total / n, ok && ok2 && n > 0
}

// meanCharacters returns the mean length of the texts in results.json, and their number.
func meanCharacters(results *pyvalue.Dict) (mean float64, texts int) {
	all, _ := results.Get("responses")
	var values []any
	switch v := all.(type) {
	case []any:
		values = v
	case *pyvalue.Dict:
		for _, key := range v.Keys() {
			one, _ := v.Get(key)
			values = append(values, one)
		}
	}
	total := 0
	for _, v := range values {
		if text, ok := v.(string); ok {
			total += utf8.RuneCountInString(text)
			texts++
		}
	}
	return float64(total) / float64(max(texts, 1)), texts
}

// reviewRepeats checks that samples in flight repeat no more often than random drawing with replacement gives. The
// server can answer repeated samples from a cache.
func (r *curveReviewer) reviewRepeats(p Point, at string) {
	places, ok := pyvalue.Field[*pyvalue.Dict](p.Places, "performance")
	if !ok {
		return
	}
	var order []int
	size := 0
	for _, id := range places.Keys() {
		v, _ := places.Get(id)
		n, isInt := wholeNumber(v)
		if !isInt || n < 0 {
			return
		}
		order, size = append(order, n), max(size, n+1)
	}
	together := min(p.Concurrency, size)
	if len(order) < minRepeatedIssues || together < 2 {
		return
	}
	found, last := 0, map[int]int{}
	expected := 0.0
	for i, n := range order {
		if at, had := last[n]; had && i-at < together {
			found++
		}
		last[n] = i
		expected += 1 - math.Pow(1-1/float64(size), float64(min(i, together-1)))
	}
	if most := repeatFactor*expected + repeatDeviations*math.Sqrt(expected+1); float64(found) > most {
		r.addWarning("repeated-samples", path.Join(at, placesFile),
			"%d of %d requests have a sample that is among the %d in "+
				"flight with them, by chance %.4g would: a cache answers them", found, len(order), together, expected)
	}
}
