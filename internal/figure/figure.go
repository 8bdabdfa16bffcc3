// Package figure formats the harness's numbers, rounded according to the rules and with digits grouped.
package figure

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// significant is the number of significant figures of a published metric.
const significant = 5

// Round formats v with five significant figures, as the rules require for published metrics. It rounds ties to even,
// never uses an exponent and keeps trailing zeros: 3.15 becomes 3.1500. It formats NaN and infinities like strconv.
func Round(v float64) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	// FormatFloat uses the exact binary value, so only true ties round to even.
	text := strconv.FormatFloat(v, 'e', significant-1, 64)
	rounded, _ := strconv.ParseFloat(text, 64)
	_, e, _ := strings.Cut(text, "e")
	exponent, _ := strconv.Atoi(e)
	return strconv.FormatFloat(rounded, 'f', max(0, significant-1-exponent), 64)
}

// Short formats v with up to three significant figures and without trailing zeros, for limits and shares.
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

// Millis returns a duration in milliseconds, the rules' unit of latencies.
func Millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Seconds formats a duration for people: 85 ms, 12.3 s, 10 min 5 s.
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

// Count formats n with grouped thousands: 270,336.
func Count(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Plural formats a number and its noun: 1 run, 2 runs.
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return Count(uint64(n)) + " " + word + "s"
}

// Bytes formats a size: 512 B, 4.1 MB, 24 GB (powers of 1000).
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
