package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/system"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
)

// Stated is what the user says of the runs, for the record.
type Stated struct {
	System          system.Stated
	Note, Precision string
}

// mostNote bounds a note, in bytes.
const mostNote = 1000

func (p *Plan) readStated(r Request) error {
	p.Stated = Stated{Note: strings.TrimSpace(r.Note), Precision: strings.TrimSpace(r.PrecisionLabel)}
	var faults []error
	for flag, text := range map[string]string{"--note": r.Note, "--precision-label": r.PrecisionLabel} {
		if len(text) > mostNote {
			faults = append(faults, fmt.Errorf("%s: %d bytes, want at most %d", flag, len(text), mostNote))
		}
	}
	if r.System != "" {
		s, err := system.ReadStated(r.System)
		p.Stated.System = s
		if errors.Is(err, fs.ErrNotExist) {
			err = sdk.Data(err)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("--system: %w", err))
		}
	}
	return exitcode.OfRequest(faults)
}
