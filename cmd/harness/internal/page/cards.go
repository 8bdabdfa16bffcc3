package page

import (
	"fmt"
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// figureCard is a figure of a run, with what it is judged by.
type figureCard struct {
	Name, Value string
	About       string // what the figure is, where its name does not say it
	Limit       string // "at most 15 ms"; empty: none holds
	Margin      string // how far the figure is from it: "18 % below"
	Class       string // of the style sheet: how it stands to its limit
	Bar         *shareBar
}

// figureCards are the figures of a run: what judges it comes first, and no figure is there twice.
func figureCards(r record.Run) []figureCard {
	var all []figureCard
	for _, j := range r.Judged() {
		c := newCard(j)
		if r.Accuracy != nil {
			c.Bar = barOf(j)
		}
		all = append(all, c)
	}
	if r.Accuracy != nil {
		all = append(all, figureCard{Name: "samples scored", Value: figure.Count(uint64(max(0, r.Accuracy.Samples)))})
	}
	for _, figure := range r.Others() {
		all = append(all, newCard(figure))
	}
	return all
}

func newCard(j record.Judged) figureCard {
	c := figureCard{Name: j.Figure.Name, Value: j.Figure.String(), About: j.About, Limit: j.LimitText()}
	if c.Limit == "" {
		return c
	}
	c.Margin = j.MarginText()
	if c.Class = "good"; !j.Met() {
		c.Class = "bad"
	}
	return c
}

// barOf shows a figure beside its limit; nil where there is none, or nothing to show.
func barOf(j record.Judged) *shareBar {
	value, limit := float64(j.Figure.Value), j.Limit
	if !(limit > 0) || !(value >= 0) || math.IsInf(value, 0) || math.IsInf(limit, 0) {
		return nil
	}
	scale := 100 / (1.1 * max(value, limit))
	alt := fmt.Sprintf("measured %s, %s", j.Figure, strings.TrimSpace(j.LimitText()))
	return &shareBar{alt, roundTenth(value * scale), roundTenth(limit * scale)}
}
