package loadgen

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// humanDuration formats d for people: three digits, in ns, µs, ms or s.
func humanDuration(d time.Duration) string { return humanDigits(d, 3) }

// humanPair formats two durations with enough digits to distinguish them.
func humanPair(a, b time.Duration) (string, string) {
	for digits := 3; ; digits++ {
		x, y := humanDigits(a, digits), humanDigits(b, digits)
		if x != y || a == b || digits > 20 {
			return x, y
		}
	}
}

func humanDigits(d time.Duration, digits int) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}} {
		if d >= u.unit || d <= -u.unit {
			return roundSignificant(float64(d)/float64(u.unit), digits) + " " + u.name
		}
	}
	return strconv.FormatInt(int64(d), 10) + " ns"
}

// roundSignificant formats v with up to digits significant digits, but with all digits before the decimal point.
func roundSignificant(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	before := int(math.Floor(math.Log10(math.Abs(v)))) + 1
	text := strconv.FormatFloat(v, 'f', max(0, digits-before), 64)
	if strings.ContainsRune(text, '.') {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// humanRate formats a rate rounded down to two digits.
func humanRate(qps float64) string {
	if qps <= 0 {
		return "0"
	}
	unit := math.Pow(10, math.Floor(math.Log10(qps))-1)
	return roundSignificant(math.Floor(qps/unit+1e-9)*unit, 2)
}

// humanPart formats n of all with its share: "240 of 10,000 queries (2.4 %)".
func humanPart(n, all uint64, what string) string {
	share := 0.0
	if all > 0 {
		share = 100 * float64(n) / float64(all)
	}
	digits := 3
	for n < all && roundSignificant(share, digits) == "100" {
		digits++
	}
	return fmt.Sprintf("%s of %s %s (%s %%)", groupDigits(n), groupDigits(all), what, roundSignificant(share, digits))
}

// humanShare formats a ratio as the beginning of a phrase: "5.5 % of", and from ten on "12.3 times".
func humanShare(ratio float64) string {
	if ratio >= 10 {
		return roundSignificant(ratio, 3) + " times"
	}
	return fmt.Sprintf("%.1f %% of", 100*ratio)
}

// groupDigits formats a count with its digits in groups of three: 270,336. Values of settings are not grouped.
func groupDigits(n uint64) string {
	text := strconv.FormatUint(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
