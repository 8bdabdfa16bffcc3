package review

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
)

// movedPercent is the minimum change in percent of a pair with its own line.
const movedPercent = 1

// Moved describes by how much a result changed and whether that is better; empty: unknown.
func (p Pair) Moved() string {
	if p.ChangePercent == nil {
		return ""
	}
	if *p.ChangePercent == 0 {
		return "equal"
	}
	word := "worse"
	if p.Better() {
		word = "better"
	}
	return fmt.Sprintf("%+.1f %%, %s", *p.ChangePercent, word)
}

// Better reports whether the result is better than in the other round. For latencies, lower is better.
func (p Pair) Better() bool {
	return p.ChangePercent != nil && (*p.ChangePercent > 0) != strings.HasPrefix(p.Unit, "Latency")
}

// String returns the pair as a text.
func (p Pair) String() string {
	text := plainOrQuoted(p.Result) + ": "
	if p.ChangePercent == nil {
		text += "not compared, " + p.Note
	} else {
		text += fmt.Sprintf("%s %s, was %s: %s", figure.Round(p.Is), p.Unit, figure.Round(p.Was), p.Moved())
	}
	if p.SameBy != "folder" {
		text += "; there " + plainOrQuoted(p.Other)
	}
	for i, d := range p.Differs {
		if i == maxDiffers {
			return text + fmt.Sprintf("; %s more differ", figure.Plural(len(p.Differs)-i, "field"))
		}
		text += fmt.Sprintf("; %s %s, was %s", d.About, shortText(d.Is), shortText(d.Was))
	}
	return text
}

// Maximum number of listed differences of a pair, and maximum number of characters of a value.
const (
	maxDiffers   = 4
	maxShortText = 40
)

func shortText(value string) string {
	if runes := []rune(value); len(runes) > maxShortText {
		return Quote(string(runes[:maxShortText])) + "..."
	}
	return Quote(value)
}

// writeChanges prints the pairs with a change and the number of the others.
func (a *Against) writeChanges(b *strings.Builder) {
	fmt.Fprintf(b, "\nagainst round %s: %s of the same systems, %d without a counterpart\n", a.Round,
		figure.Plural(len(a.Pairs), "result"), a.Alone)
	still := 0
	for _, p := range a.Pairs {
		if p.ChangePercent != nil && p.moved() < movedPercent {
			still++
			continue
		}
		fmt.Fprintf(b, "  %s\n", p)
	}
	if still > 0 {
		fmt.Fprintf(b, "  and %s that moved by less than %d %%\n", figure.Plural(still, "result"), movedPercent)
	}
}
