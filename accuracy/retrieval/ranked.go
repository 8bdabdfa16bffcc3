package retrieval

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// RankedFigures returns the figures of the reference's loop by name: precision@K, recall@K and f1@K for K = 1, 3, 5, 10
// and N (the number of retrieved pages), and average_precision. Precision divides by K even if fewer pages were
// retrieved. If K equals N, only the name with N is used. Blank expected pages do not count. If no page is expected,
// recall is 1, and the other figures are 1 if no page was retrieved and 0 otherwise.
func RankedFigures(expected, retrieved []string) map[string]float64 {
	want := map[string]bool{}
	for _, url := range expected {
		if pystr.Trim(url) != "" {
			want[url] = true
		}
	}
	figures, n := map[string]float64{}, len(retrieved)
	depths := []int{1, 3, 5, 10}
	if len(want) == 0 {
		nothing := 0.0
		if n == 0 {
			nothing = 1
		}
		for _, k := range depths {
			figures[fmt.Sprintf("precision@%d", k)], figures[fmt.Sprintf("f1@%d", k)] = nothing, nothing
			figures[fmt.Sprintf("recall@%d", k)] = 1
		}
		figures["average_precision"] = nothing
		return figures
	}
	for _, k := range append(depths, n) {
		name := fmt.Sprint(k)
		if k == n {
			name = "N"
		}
		right := float64(countCommon(setOf(retrieved[:min(k, n)]), want))
		p, r := 0.0, right/float64(len(want))
		if k > 0 {
			p = right / float64(k)
		}
		f := 0.0
		if p+r > 0 {
			f = 2 * (p * r) / (p + r)
		}
		figures["precision@"+name], figures["recall@"+name], figures["f1@"+name] = p, r, f
	}
	sum, right := 0.0, 0
	for i, url := range retrieved {
		if want[url] {
			right++
			sum += float64(right) / float64(i+1)
		}
	}
	figures["average_precision"] = sum / float64(len(want))
	return figures
}
