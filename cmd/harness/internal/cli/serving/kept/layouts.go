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

// resultFormat is the result format of another tool.
type resultFormat struct {
	write func(dir string, r formats.Run) error
	// checkExpressible returns the reason why the format cannot express a load or an API; nil: it can express all.
	checkExpressible func(p arrival.Pattern, api prompts.API) error
}

// resultFormats maps the names for --also to formats.
var resultFormats = map[string]resultFormat{
	"vllm": {write: vllm.Write},
	"endpoints": {checkExpressible: endpoints.CheckExpressible, write: func(dir string, r formats.Run) error {
		return endpoints.Write(dir, endpoints.Run{Run: r})
	}},
}

// FormatNames lists the names of the formats.
func FormatNames() []string { return slices.Sorted(maps.Keys(resultFormats)) }

// CheckFormats reports unknown names and formats that can express none of the points' loads, or not the API. It is
// called before the measurement.
func CheckFormats(names []string, points []arrival.Pattern, api prompts.API) error {
	var faults []error
	for _, name := range names {
		l, known := resultFormats[name]
		if !known {
			faults = append(faults, fmt.Errorf("--also: %w", suggest.Unknown("layout", name, FormatNames())))
			continue
		}
		var wrong error
		for _, p := range points {
			if l.checkExpressible != nil {
				wrong = cmp.Or(wrong, l.checkExpressible(p, api))
			}
		}
		if wrong == nil && len(points) == 0 && l.checkExpressible != nil {
			wrong = l.checkExpressible(arrival.Pattern{Kind: arrival.Maximum}, api)
		}
		if wrong != nil {
			faults = append(faults, fmt.Errorf("--also %s: %w", name, wrong))
		}
	}
	return errors.Join(faults...)
}

// WriteFormats writes a point in the named formats into its folder. It skips formats that cannot express the point and
// returns a note for each.
func WriteFormats(dir string, names []string, r formats.Run) (notes []string, err error) {
	for _, name := range names {
		err := resultFormats[name].write(dir, r)
		if errors.Is(err, formats.ErrInexpressible) {
			notes = append(notes, fmt.Sprintf("--also %s: %v", name, err))
		} else if err != nil {
			return notes, fmt.Errorf("--also %s: %w", name, err)
		}
	}
	return notes, nil
}
