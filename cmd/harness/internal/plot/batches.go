package plot

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record/metric"
)

// BatchSizeCount is the number of batches with a certain number of samples.
type BatchSizeCount struct {
	Samples int
	Batches uint64
}

// BatchSizes returns a chart of the batch sizes, which must ascend. ok is false if all batches have one sample.
func BatchSizes(sizes []BatchSizeCount) (c Chart, ok bool) {
	if len(sizes) == 0 || len(sizes) == 1 && sizes[0].Samples <= 1 {
		return Chart{}, false
	}
	var batches, samples uint64
	for _, s := range sizes {
		batches, samples = batches+s.Batches, samples+s.Batches*uint64(s.Samples)
	}
	most := sizes[len(sizes)-1].Samples
	step := (most + bins - 1) / bins // sizes per bar
	n := make([]float64, (most+step-1)/step)
	for _, s := range sizes {
		n[(s.Samples-1)/step] += float64(s.Batches) / float64(batches) * 100
	}
	l := Line{Step: true, Fill: true}
	c = Chart{ID: "batch-sizes", Title: "Sizes of batches",
		X: Axis{Label: "samples in a batch", Whole: true, Exact: true}, Y: Axis{Label: "share of all batches, %"},
		Alt: fmt.Sprintf("%s batches of %s samples on average, %s at most.", groupDigits(batches),
			formatFigure(float64(samples)/float64(batches)), groupDigits(uint64(most)))}
	for k, share := range n {
		from, to := float64(k*step)+.5, float64((k+1)*step)+.5 // centres the bar above its number
		l.X, l.Y = append(l.X, from), append(l.Y, share)
		c.Y.Max = max(c.Y.Max, share)
		if share > 0 {
			c.Hover = append(c.Hover, Hover{from, to, sizesText(k*step+1, (k+1)*step) + ": " + formatFigure(share) + " %"})
		}
	}
	l.X, l.Y = append(l.X, float64(len(n)*step)+.5), append(l.Y, n[len(n)-1])
	c.Lines = []Line{l}
	return c, true
}

// sizesText formats a range of sizes.
func sizesText(from, to int) string {
	if from == to {
		return groupDigits(uint64(from)) + " samples"
	}
	return groupDigits(uint64(from)) + " to " + groupDigits(uint64(to)) + " samples"
}

// Waiting returns a chart of the samples' waiting times in the plugin and their times in the model.
func Waiting(waiting, model Quantiles) Chart {
	c := Chart{ID: "waiting", Title: capitalize(metric.Waiting.Title) + " and " + metric.Model.Title,
		X: Axis{Label: "percentile", Scale: Tail}, Y: Axis{Label: "time", Of: Latency}}
	var words []string
	low, high := int64(0), int64(0)
	for _, of := range []struct {
		metric.Times
		known Quantiles
	}{{metric.Waiting, waiting}, {metric.Model, model}} {
		l := Line{Name: of.Title}
		points := of.known.placedPoints()
		for _, p := range points {
			l.X, l.Y = append(l.X, percentilePosition(p.P)), append(l.Y, float64(p.NS))
			c.X.Max = max(c.X.Max, percentilePosition(p.P))
			if p.P > 0 && p.NS > 0 && (low == 0 || p.NS < low) {
				low = p.NS
			}
			high = max(high, p.NS)
		}
		c.Lines = append(c.Lines, l)
		words = append(words, fmt.Sprintf("%s: median %s, highest %s", capitalize(of.Title), Duration(medianOf(points)),
			Duration(of.known.Max)))
	}
	c.Y.Max = float64(high)
	if low > 0 && high/low >= 100 {
		c.Y.Scale, c.Y.Min = Log, float64(low)
	}
	c.Alt = strings.Join(words, "; ") + ", by the plugin's clock."
	return c
}
