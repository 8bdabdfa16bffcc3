// Package figure prints the harness's numbers, rounded according to the rules and with digits grouped.
package figure

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// significant is how many figures a published metric has.
const significant = 5

// Round writes v with five significant figures, ties to even, never with an exponent, as the rules want published
// metrics. Zeros that the rounding leaves behind the point stay: 3.15 is 3.1500. NaN and infinities are written as
// strconv does.
func Round(v float64) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	// FormatFloat works on the exact binary value, so that only true ties go to even.
	text := strconv.FormatFloat(v, 'e', significant-1, 64)
	rounded, _ := strconv.ParseFloat(text, 64)
	_, e, _ := strings.Cut(text, "e")
	exponent, _ := strconv.Atoi(e)
	return strconv.FormatFloat(rounded, 'f', max(0, significant-1-exponent), 64)
}

// Short writes v with at most three significant figures and no trailing zeros, for limits and shares.
func Short(v float64) string {
	if math.Abs(v) >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	text := strconv.FormatFloat(v, 'g', 3, 64)
	if strings.Contains(text, "e") {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return text
}

// Millis is a latency in milliseconds, the unit of the rules.
func Millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Seconds writes a duration for people: 85 ms, 12.3 s, 10 min 5 s.
func Seconds(d time.Duration) string {
	if d > 0 && d < time.Second/10 {
		return Short(Millis(d)) + " ms"
	}
	if d < time.Minute {
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	d = d.Round(time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	parts := []string{}
	for _, p := range []struct {
		n    int
		unit string
	}{{h, " h"}, {m, " min"}, {s, " s"}} {
		if p.n > 0 {
			parts = append(parts, strconv.Itoa(p.n)+p.unit)
		}
	}
	return strings.Join(parts, " ")
}

// Count writes n with its thousands apart: 270,336.
func Count(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Plural writes how many there are of what a word says: 1 run, 2 runs.
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return Count(uint64(n)) + " " + word + "s"
}

// Bytes writes a size: 512 B, 4.1 MB, 24 GB (powers of 1000).
func Bytes(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	v, u := float64(n), 0
	for v >= 1000 && u < len(units)-1 {
		v, u = v/1000, u+1
	}
	if u == 0 || v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64) + " " + units[u]
	}
	return strconv.FormatFloat(v, 'f', 1, 64) + " " + units[u]
}
