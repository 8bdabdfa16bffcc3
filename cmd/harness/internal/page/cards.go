package page

import (
	"fmt"
	"math"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// figureCard is a figure of a run with its limit.
type figureCard struct {
	Name, Value string
	About       string // description of the figure if the name is not enough
	Limit       string // "at most 15 ms"; empty: no limit
	Margin      string // distance to the limit: "18 % below"
	Class       string // CSS class for the relation to the limit
	Bar         *shareBar
}

// figureCards returns the figures of a run. Those with limits come first, and no figure occurs twice.
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

// barOf returns the bar of a figure with a limit, or nil if there is nothing to show.
func barOf(j record.Judged) *shareBar {
	value, limit := float64(j.Figure.Value), j.Limit
	if !(limit > 0) || !(value >= 0) || math.IsInf(value, 0) || math.IsInf(limit, 0) {
		return nil
	}
	scale := 100 / (1.1 * max(value, limit))
	alt := fmt.Sprintf("measured %s, %s", j.Figure, strings.TrimSpace(j.LimitText()))
	return &shareBar{Alt: alt, Part: roundTenth(value * scale), Target: roundTenth(limit * scale)}
}
