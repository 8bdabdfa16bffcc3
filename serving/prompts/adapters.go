package prompts

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
)

// readOrder parses the order of adapters. It returns the exponent of Zipf's law, or 0 for turns.
func readOrder(text string) (float64, error) {
	if text == "" || text == "turns" {
		return 0, nil
	}
	exponent, ok := strings.CutPrefix(text, "zipf:")
	s, err := strconv.ParseFloat(exponent, 64)
	if !ok || err != nil || !(s > 0) || s > 100 {
		return 0, fmt.Errorf("--lora-order %s: want turns, or zipf:S with S above 0, as zipf:1.1", text)
	}
	return s, nil
}

// assignAdapters sets the adapter of each request whose row has none: in turns, or at random by Zipf's law, in which
// the kth adapter has a probability proportional to 1/k^s. All turns of a session have the same adapter.
func (w *DrawnRequests) assignAdapters(d DrawOptions) {
	names := w.set.options.LoRA
	var upTo []float64
	var sum float64
	for k := range names {
		sum += math.Pow(float64(k+1), -w.set.options.zipf)
		upTo = append(upTo, sum)
	}
	r := newRand(d.Seed, adapterStream, 0)
	turn, last := 0, int32(-1)
	for i := range w.plan {
		p := &w.plan[i]
		p.adapter = -1
		if len(names) == 0 {
			continue
		}
		if p.row >= 0 {
			if a := w.set.rows[p.row].ask; a != nil && a.Model != "" {
				continue
			} else if a != nil && a.Session != "" && a.Turn > 0 {
				p.adapter = last
				continue
			}
		}
		if p.adapter = int32(turn % len(names)); w.set.options.zipf > 0 {
			p.adapter = int32(min(sort.SearchFloat64s(upTo, r.Float64()*sum), len(names)-1))
		}
		turn++
		last = p.adapter
	}
}
