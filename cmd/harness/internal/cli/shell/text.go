package shell

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/figure"
)

// ShowScoring returns a function that shows the progress of scoring an accuracy log on standard error. It shows nothing
// if scoring is quick.
func (a *App) ShowScoring() func(read, size int64) {
	line := a.NewStatusLine()
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

// scoringText describes the progress of scoring and the remaining time at the current rate.
func scoringText(read, size int64, took time.Duration) string {
	left := time.Duration(float64(took) * float64(size-read) / float64(max(read, 1)))
	return fmt.Sprintf("scoring  %.1f %% of %s  ETA %s", 100*float64(read)/float64(size), figure.Bytes(size),
		figure.Seconds(left))
}

// JoinOrDash joins items, or returns a dash if there are none.
func JoinOrDash(items []string) string {
	if len(items) == 0 {
		return "-"
	}
	return strings.Join(items, ", ")
}

// TextOrDash returns text, or a dash if it is empty.
func TextOrDash(text string) string { return cmp.Or(text, "-") }
