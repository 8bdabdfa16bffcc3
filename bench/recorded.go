package bench

import (
	"path/filepath"

	"github.com/plumbline-ml/plumbline/bench/series"
	"github.com/plumbline-ml/plumbline/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/loadgen"
)

// writeSeries leaves what a timed run measured over time in its folder.
func writeSeries(r loadgen.Recording, dir string) error {
	text, err := series.Of(r).JSON()
	if err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(dir, series.FileName), text, 0o644)
}
