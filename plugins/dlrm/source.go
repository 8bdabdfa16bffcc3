package dlrm

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/criteo"
	"github.com/plumbline-ml/plumbline/plugins/dlrm/internal/tabular"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// clickSource says which pairs of the request run, and how they are grouped.
type clickSource struct {
	*manifest.Request
	log   criteo.PairOptions
	check bool // every number and index before the run
	grouping
}

// grouping says how pairs become samples.
type grouping struct {
	trace     string // a trace to read; "": draw the sizes
	traceOut  string // a trace to write; "": none
	quantiles string // a file of a distribution; "": that of the rules
	equal     int    // pairs of each sample in place of a distribution; 0: draw
	seed      uint32 // of the draw
}

// readSource reads the parameters.
func readSource(r *manifest.Request) clickSource {
	p := r.Params
	return clickSource{
		Request: r,
		log: criteo.PairOptions{
			Variant: option.Pick(p, "variant", map[string]criteo.SizeVariant{
				"full": criteo.Full, "sample": criteo.Sample, "debug": criteo.Debug,
			}),
			Rows: option.Parse(p, "rows", parseRows), Modulus: p.Int("modulus", 0, math.MaxInt32),
		},
		check:    option.Pick(p, "check", map[string]bool{"headers": false, "all": true}),
		grouping: readGrouping(p),
	}
}

// parseRows reads the rows of each table; "" means that they are not known.
func parseRows(text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	parts := strings.Split(text, ",")
	rows := make([]int, len(parts))
	var faults []error
	if len(parts) != criteo.Tables {
		faults = append(faults, fmt.Errorf("%d numbers, want %d: one of each table", len(parts), criteo.Tables))
	}
	for k, part := range parts {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 32)
		if err != nil || n < 1 {
			faults = append(faults, fmt.Errorf("%q of table %d, want a number from 1 to %d", part, k, math.MaxInt32))
		}
		rows[k] = int(n)
	}
	return rows, errors.Join(faults...)
}

// readGrouping reads what says how pairs are grouped: a trace, the quantiles of a distribution, or one size for all.
func readGrouping(p *option.Params) grouping {
	g := grouping{
		trace: p.Text("trace"), traceOut: p.Text("trace_out"), seed: uint32(p.Int("seed", 0, math.MaxUint32)),
	}
	text := p.Text("grouping")
	size, err := strconv.Atoi(text)
	switch {
	case text == "rules":
	case err == nil && size > 0:
		g.equal = size
	case err == nil || text == "":
		p.AddFault("grouping", errors.New("want rules, a number of pairs above 0, or a file of quantiles"))
	default:
		g.quantiles = text
	}
	return g
}

// sizeQuantiles returns the distribution that sizes are drawn from.
func (g grouping) sizeQuantiles() (tabular.Quantiles, error) {
	if g.quantiles == "" {
		return tabular.OfficialQuantiles(), nil
	}
	return readFile(g.quantiles, tabular.ReadQuantiles)
}
