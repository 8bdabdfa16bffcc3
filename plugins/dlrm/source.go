package dlrm

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/criteo"
	"github.com/plumbline-ml/plumbline/preprocess/tabular"
	"github.com/plumbline-ml/plumbline/sdk"
)

// source says which pairs run, and how they are grouped.
type source struct {
	dataset string // "": the embedded data set
	count   int    // use only the first count samples; 0: all
	log     criteo.Options
	check   bool // every number and index before the run
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

// parseSource reads the parameters and reports every fault of them at once.
func parseSource(v map[string]string, dataset string, count int) (source, error) {
	s := source{dataset: dataset, count: count, grouping: grouping{trace: v["trace"], traceOut: v["trace_out"]}}
	var faults [6]error
	s.log.Variant, faults[0] = parseVariant(v["variant"])
	s.log.Rows, faults[1] = parseRows(v["rows"])
	s.log.Modulus, faults[2] = parseNumber("modulus", v["modulus"], 31)
	faults[3] = s.parseGrouping(v)
	s.check, faults[5] = parseCheck(v["check"])
	if count < 0 {
		faults[4] = fmt.Errorf("count = %d, want 0 (all) or more", count)
	}
	return s, sdk.Usage(errors.Join(faults[:]...))
}

func parseVariant(text string) (criteo.Variant, error) {
	switch text {
	case "full":
		return criteo.Full, nil
	case "sample":
		return criteo.Sample, nil
	case "debug":
		return criteo.Debug, nil
	}
	return "", fmt.Errorf("parameter variant = %q, want full, sample or debug", text)
}

func parseCheck(text string) (all bool, err error) {
	if text != "headers" && text != "all" {
		return false, fmt.Errorf("parameter check = %q, want headers or all", text)
	}
	return text == "all", nil
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
		faults = append(faults, fmt.Errorf("parameter rows has %d numbers, want %d: one of each table", len(parts), criteo.Tables))
	}
	for k, part := range parts {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 10, 32)
		if err != nil || n < 1 {
			faults = append(faults, fmt.Errorf("parameter rows: %q of table %d, want a number of 1 to 2147483647", part, k))
		}
		rows[k] = int(n)
	}
	return rows, errors.Join(faults...)
}

func parseNumber(name, text string, bits int) (int, error) {
	n, err := strconv.ParseUint(text, 10, bits)
	if err != nil {
		return 0, fmt.Errorf("parameter %s = %q, want a whole number of 0 to %d", name, text, uint64(1)<<bits-1)
	}
	return int(n), nil
}

// parseGrouping reads what says how pairs are grouped: a trace, the quantiles of a distribution, or one size for all.
func (s *source) parseGrouping(v map[string]string) error {
	seed, err := parseNumber("seed", v["seed"], 32)
	s.seed = uint32(seed)
	text := v["grouping"]
	size, sizeErr := strconv.Atoi(text)
	switch {
	case text == "rules":
	case sizeErr == nil && size > 0:
		s.equal = size
	case sizeErr == nil || text == "":
		return errors.Join(err, fmt.Errorf("parameter grouping = %q, want rules, a number of pairs above 0, or a file of quantiles", text))
	default:
		s.quantiles = text
	}
	return err
}

// distribution is what sizes are drawn from.
func (g grouping) distribution() (tabular.Quantiles, error) {
	if g.quantiles == "" {
		return tabular.OfficialQuantiles(), nil
	}
	return readFile(g.quantiles, tabular.ReadQuantiles)
}
