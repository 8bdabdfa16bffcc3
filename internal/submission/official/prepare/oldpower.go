package prepare

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/plumbline-ml/plumbline/internal/power/spl"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// judgePower judges the folders of a power measurement by their files, by the samples of the run, and by the fields
// that the meter's programs write. It does not apply the other rules of the power working group's checker.
func (j oldJudge) judgePower(power, ranging, run string) bool {
	logs := append(tree.RunFiles(), tree.PowerSamples)
	files := containsOnly(run, logs, tree.AccuracyLog) && containsOnly(ranging, logs, tree.AccuracyLog) &&
		containsOnly(power, tree.PowerFiles())
	return files && j.requireSamples(run) == nil && hasMeterFields(power)
}

// requireSamples requires samples between the begin and the end of the run.
func (j oldJudge) requireSamples(run string) error {
	log, err := j.readDetail(filepath.Join(run, tree.DetailLog))
	if err != nil {
		return err
	}
	begin, _ := log.Get("power_begin").(string)
	end, _ := log.Get("power_end").(string)
	w, err := spl.ParseWindow(begin, end)
	if err != nil {
		return err
	}
	f, err := os.Open(filepath.Join(run, tree.PowerSamples))
	if err != nil {
		return err
	}
	defer f.Close()
	a, err := w.Average(f)
	if err == nil && a.Samples == 0 {
		err = fmt.Errorf("no sample is of the run")
	}
	return err
}

// hasMeterFields requires the fields that the power working group's checker reads.
func hasMeterFields(power string) bool {
	common := []string{"sources", "uuid", "phases", "session_name", "messages", "results"}
	for name, fields := range map[string][]string{
		"client.json": common, "server.json": append(common, "timezone", "ptd_config", "ptd_messages"),
	} {
		_, object, err := readObject(filepath.Join(power, name))
		if err != nil {
			return false
		}
		for _, field := range fields {
			if _, ok := object[field]; !ok {
				return false
			}
		}
	}
	return true
}
