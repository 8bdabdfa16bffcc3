package kept

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"

	"github.com/plumbline-ml/plumbline/internal/serving/formats"
	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/internal/serving/formats/vllm"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// layout is one that can be written beside our own.
type layout struct {
	write func(dir string, r formats.Run) error
	// words says why a load, or an API, cannot be written; nil: all can.
	words func(p arrival.Pattern, api prompts.API) error
}

// layouts are those that there are, by their names for --also.
var layouts = map[string]layout{
	"vllm": {write: vllm.Write},
	"endpoints": {words: endpoints.CheckExpressible, write: func(dir string, r formats.Run) error {
		return endpoints.Write(dir, endpoints.Run{Run: r})
	}},
}

// LayoutNames lists the layouts.
func LayoutNames() []string { return slices.Sorted(maps.Keys(layouts)) }

// CheckLayouts says which of the names are no layout, and which layouts have no words for any of the points' loads or
// for the API, before anything is asked.
func CheckLayouts(names []string, points []arrival.Pattern, api prompts.API) error {
	var faults []error
	for _, name := range names {
		l, known := layouts[name]
		if !known {
			faults = append(faults, fmt.Errorf("--also: %w", suggest.Unknown("layout", name, LayoutNames())))
			continue
		}
		var wrong error
		for _, p := range points {
			if l.words != nil {
				wrong = cmp.Or(wrong, l.words(p, api))
			}
		}
		if wrong == nil && len(points) == 0 && l.words != nil {
			wrong = l.words(arrival.Pattern{Kind: arrival.Maximum}, api)
		}
		if wrong != nil {
			faults = append(faults, fmt.Errorf("--also %s: %w", name, wrong))
		}
	}
	return errors.Join(faults...)
}

// WriteLayouts writes the named layouts of a point into its folder. One that has no words for the point is not written,
// and a note says so.
func WriteLayouts(dir string, names []string, r formats.Run) (notes []string, err error) {
	for _, name := range names {
		err := layouts[name].write(dir, r)
		if errors.Is(err, formats.ErrInexpressible) {
			notes = append(notes, fmt.Sprintf("--also %s: %v", name, err))
		} else if err != nil {
			return notes, fmt.Errorf("--also %s: %w", name, err)
		}
	}
	return notes, nil
}
