package shell

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
)

// Scoring shows how much of an accuracy log is scored, on a line of the error stream. What is scored at once shows
// nothing.
func (a *App) Scoring() func(read, size int64) {
	line := a.Line()
	var begun time.Time
	return func(read, size int64) {
		if begun.IsZero() {
			begun = time.Now()
		}
		if took := time.Since(begun); read < size && took > time.Second {
			line.Set(scoringText(read, size, took))
			return
		} else if read < size {
			return
		}
		line.Clear()
		begun = time.Time{}
	}
}

// scoringText says how far the scoring is, and how long the rest takes at the rate so far.
func scoringText(read, size int64, took time.Duration) string {
	left := time.Duration(float64(took) * float64(size-read) / float64(max(read, 1)))
	return fmt.Sprintf("scoring  %.1f %% of %s  ETA %s", 100*float64(read)/float64(size), figure.Bytes(size),
		figure.Seconds(left))
}

// OrDash lists items, or is a dash where there are none.
func OrDash(items []string) string {
	if len(items) == 0 {
		return "-"
	}
	return strings.Join(items, ", ")
}

// OrNone is a text, or a dash where there is none.
func OrNone(text string) string { return cmp.Or(text, "-") }
