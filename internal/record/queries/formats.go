// Package queries exports the measurements of each query, in the formats of package export and in those that require a
// library.
package queries

import (
	"errors"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"

	"github.com/plumbline-ml/plumbline/bench/record/export"
)

// Formats returns the formats for names: "queries.csv", or "csv" for short.
func Formats(names []string) ([]export.Format, error) {
	all := []export.Format{export.CSV(), export.JSONL(), Parquet(), HDR()}
	var chosen []export.Format
	var faults []error
	for _, n := range names {
		i := slices.IndexFunc(all, func(f export.Format) bool { return f.Name == n || f.Name == "queries."+n })
		switch {
		case i < 0:
			faults = append(faults, suggest.Unknown("file", n, export.Names()))
		case slices.ContainsFunc(chosen, func(f export.Format) bool { return f.Name == all[i].Name }):
			faults = append(faults, fmt.Errorf("%s is listed twice", all[i].Name))
		default:
			chosen = append(chosen, all[i])
		}
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	return chosen, nil
}
