package prompts

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// maxLength is the maximum length that can be requested, in tokens.
const maxLength = 1 << 24

// LengthPairs determines the lengths of prompts and answers in tokens. The zero value determines none.
type LengthPairs struct {
	parts []weightedLengths
	// use the lengths of the data: of prompts, and of answers
	traceIn, traceOut bool
}

// weightedLengths contains lengths that are drawn with a weight.
type weightedLengths struct {
	weight  float64
	in, out lengthDistribution
}

// lengthDistribution is a distribution of lengths. The zero value is none.
type lengthDistribution struct {
	from, to int     // uniform, both included
	mean     float64 // mean of a normal distribution, if spread is above 0
	spread   float64 // standard deviation
}

// ParseLengths parses the lengths of prompts and of answers. A length is a number (1024); a normal distribution with
// this standard deviation, rounded and truncated at 1 (1024±100, also 1024+-100); a uniform distribution that includes
// both ends (512..2048); or "trace" for the lengths of the data. isl alone may be a mixture of weighted pairs isl/osl
// of such lengths (60%:256/64,40%:2048/512). Without osl, the model determines the length of answers.
func ParseLengths(isl, osl string) (LengthPairs, error) {
	if strings.ContainsAny(isl, "%/,") {
		if osl != "" {
			return LengthPairs{}, fmt.Errorf("--isl %s has the lengths of answers, too: leave out --osl %s", isl, osl)
		}
		return parseMixture(isl)
	}
	l := LengthPairs{traceIn: isl == "trace", traceOut: osl == "trace"}
	var p weightedLengths
	var faults []error
	for _, side := range []struct {
		flag, text string
		into       *lengthDistribution
	}{{"--isl", isl, &p.in}, {"--osl", osl, &p.out}} {
		if side.text == "" || side.text == "trace" {
			continue
		}
		var err error
		if *side.into, err = parseLength(side.text); err != nil {
			faults = append(faults, fmt.Errorf("%s %s: %w", side.flag, side.text, err))
		}
	}
	if l.traceOut && !l.traceIn && isl != "" {
		faults = append(faults, fmt.Errorf("--isl %s --osl trace: pairs of a trace belong together; want --isl trace", isl))
	}
	p.weight = 1
	if p != (weightedLengths{weight: 1}) {
		l.parts = []weightedLengths{p}
	}
	return l, errors.Join(faults...)
}

var errLength = errors.New("want a number of tokens from 1 on, as 1024, 1024±100 (normal), 512..2048 (uniform), " +
	"60%:256/64,40%:2048/512 (mixture of prompt/answer) or trace")

func parseLength(text string) (lengthDistribution, error) {
	if from, to, ok := strings.Cut(text, ".."); ok {
		a, b := parseCount(from), parseCount(to)
		if a == 0 || b == 0 {
			return lengthDistribution{}, errLength
		}
		if a > b {
			return lengthDistribution{}, fmt.Errorf("%d is more than %d; want the smaller first, as %d..%d", a, b, b, a)
		}
		return lengthDistribution{from: a, to: b}, nil
	}
	mean, spread, ok := strings.Cut(strings.ReplaceAll(text, "+-", "±"), "±")
	n := parseCount(mean)
	if n == 0 {
		return lengthDistribution{}, errLength
	}
	if !ok {
		return lengthDistribution{from: n, to: n}, nil
	}
	s, err := strconv.ParseFloat(spread, 64)
	if err != nil || !(s >= 0) || s > maxLength {
		return lengthDistribution{}, errLength
	}
	if s == 0 {
		return lengthDistribution{from: n, to: n}, nil
	}
	return lengthDistribution{mean: float64(n), spread: s}, nil
}

// parseCount parses a number from 1 to maxLength. It returns 0 for other texts.
func parseCount(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxLength {
		return 0
	}
	return n
}

func parseMixture(text string) (LengthPairs, error) {
	var l LengthPairs
	var sum float64
	for p := range strings.SplitSeq(text, ",") {
		weight, pair, ok := strings.Cut(p, "%:")
		in, out, both := strings.Cut(pair, "/")
		w, err := strconv.ParseFloat(weight, 64)
		if !ok || !both || err != nil || !(w > 0) || w > 100 {
			return LengthPairs{}, fmt.Errorf("--isl %s: %q is not a part of a mixture; want PERCENT%%:ISL/OSL, as 60%%:256/64",
				text, p)
		}
		a, err1 := parseLength(in)
		b, err2 := parseLength(out)
		if err := errors.Join(err1, err2); err != nil {
			return LengthPairs{}, fmt.Errorf("--isl %s: %q: %w", text, p, err)
		}
		sum += w
		l.parts = append(l.parts, weightedLengths{w, a, b})
	}
	if math.Abs(sum-100) > 0.01 {
		return LengthPairs{}, fmt.Errorf("--isl %s: the parts are %v %% together, want 100", text, sum)
	}
	return l, nil
}

// drawPair draws one pair of lengths; 0: not requested.
func (l LengthPairs) drawPair(r *rand.Rand) (in, out int) {
	if len(l.parts) == 0 {
		return 0, 0
	}
	p := l.parts[0]
	if len(l.parts) > 1 {
		var sum float64
		for _, q := range l.parts {
			sum += q.weight
		}
		for u := r.Float64() * sum; ; {
			if u -= p.weight; u < 0 || len(l.parts) == 1 {
				break
			}
			l.parts = l.parts[1:]
			p = l.parts[0]
		}
	}
	return p.in.drawLength(r), p.out.drawLength(r)
}

func (l lengthDistribution) drawLength(r *rand.Rand) int {
	switch {
	case l.spread > 0:
		return max(1, min(int(math.Round(l.mean+l.spread*r.NormFloat64())), maxLength))
	case l.from == l.to:
		return l.from
	}
	return l.from + r.IntN(l.to-l.from+1)
}
