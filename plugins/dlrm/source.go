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

// clickSource selects the pairs of the run and determines their grouping.
type clickSource struct {
	*manifest.Request
	Log   criteo.PairOptions
	Check bool `param:"check" choices:"headers,all"` // check every number and index before the run
	pairGrouping
}

// pairGrouping determines how pairs are grouped into samples.
type pairGrouping struct {
	Seed     uint32    `param:"seed" min:"0" max:"uint32"` // for drawing the sizes
	Sizes    pairSizes `param:"grouping"`
	Trace    string    `param:"trace"`     // a trace to read; "": draw the sizes
	TraceOut string    `param:"trace_out"` // a trace to write; "": none
}

// pairSizes determines the number of pairs per sample.
type pairSizes struct {
	quantilesPath string // path of a distribution; "": the distribution of the rules
	fixedSize     int    // fixed number of pairs per sample; 0: draw from the distribution
}

// readSource reads the parameters.
func readSource(r *manifest.Request) clickSource {
	s := clickSource{Request: r}
	r.Bind(&s, option.ReaderFunc("rows", parseRows), option.ReaderFunc("grouping", parseSizes),
		option.WordReader("variant", map[string]criteo.SizeVariant{
			"full": criteo.Full, "sample": criteo.Sample, "debug": criteo.Debug,
		}))
	return s
}

// parseRows parses the numbers of rows of the tables; "" means unknown.
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

// parseSizes parses the path of a distribution or a fixed size.
func parseSizes(text string) (pairSizes, error) {
	size, err := strconv.Atoi(text)
	switch {
	case text == "rules":
		return pairSizes{}, nil
	case err == nil && size > 0:
		return pairSizes{fixedSize: size}, nil
	case err == nil || text == "":
		return pairSizes{}, errors.New("want rules, a number of pairs above 0, or a file of quantiles")
	}
	return pairSizes{quantilesPath: text}, nil
}

// sizeQuantiles returns the distribution from which sizes are drawn.
func (s pairSizes) sizeQuantiles() (tabular.Quantiles, error) {
	if s.quantilesPath == "" {
		return tabular.OfficialQuantiles(), nil
	}
	return readSmallFile(s.quantilesPath, tabular.ReadQuantiles)
}
