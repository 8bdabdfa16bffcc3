package evidence

import (
	"fmt"
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// lengthStats contains TEST09's figures.
type lengthStats struct {
	n, least, most int
	mean, spread   float64
}

func newLengthStats(lengths []int) lengthStats {
	s := lengthStats{n: len(lengths), least: lengths[0], most: lengths[0]}
	sum := 0
	for _, n := range lengths {
		sum += n
		s.least, s.most = min(s.least, n), max(s.most, n)
	}
	s.mean = float64(sum) / float64(s.n)
	squares := 0.0
	for _, n := range lengths {
		d := float64(n) - s.mean
		squares += float64(d * d)
	}
	s.spread = math.Sqrt(squares / float64(s.n))
	return s
}

func (s lengthStats) statsText() string {
	return fmt.Sprintf("Total samples: %d\nMean output tokens: %.2f\nMin output tokens: %d\nMax output tokens: %d\n"+
		"Std deviation: %.2f\n", s.n, s.mean, s.least, s.most, s.spread)
}

// LengthVerdict is the verdict of TEST09, with the script's output and the content of its file.
type LengthVerdict struct {
	Pass          bool
	Mean          float64
	Printed, File string
}

// JudgeLengths compares the mean of lengths with the limits. lengths must not be empty.
func JudgeLengths(lengths []int, least, most float64) LengthVerdict {
	s := newLengthStats(lengths)
	low, high := s.mean >= least, s.mean <= most
	pass := low && high
	word := strings.TrimSuffix(VerdictWord(pass), "\n")
	results := fmt.Sprintf("\n%s\nVerification Results\n%s\n", SeparatorLine, SeparatorLine)
	printed := fmt.Sprintf("\n%s\nOutput Token Length Statistics\n%s\n", SeparatorLine, SeparatorLine) + s.statsText() +
		results +
		fmt.Sprintf("Mean output tokens: %.2f\nMin threshold: %s -> %s\nMax threshold: %s -> %s\n\nOverall: %s",
			s.mean, pyfloat.Repr(least), passWord(low), pyfloat.Repr(most), passWord(high), word)
	file := SeparatorLine + "\nTEST09: Verify Output Token Length in Performance Mode\n" + SeparatorLine +
		"\n\nOutput Token Length Statistics\n" + strings.Repeat("-", 40) + "\n" + s.statsText() + results +
		fmt.Sprintf("Mean output tokens: %.2f\nMin threshold: %s\nMax threshold: %s\nMin check pass: %s\n"+
			"Max check pass: %s\n\n%s", s.mean, pyfloat.Repr(least), pyfloat.Repr(most), BoolText(low), BoolText(high), word)
	return LengthVerdict{Pass: pass, Mean: s.mean, Printed: printed, File: file}
}

func passWord(ok bool) string {
	if ok {
		return "PASS"
	}
	return "FAIL"
}
