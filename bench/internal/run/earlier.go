package run

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/plan"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/bench/settings"
)

// Earlier describes an earlier result of a planned run in the output folder.
type Earlier struct {
	Run *record.Run // its record; nil: there is no earlier result
	// Unfinished explains why the record is not usable: the run did not finish, or files are missing.
	Unfinished string
	// Bad states that the run is not VALID or its accuracy is too low.
	Bad string
	// Differs describes how a finished run differs from the plan: options, settings, plugin, model or data set.
	Differs string
}

// Finished reports whether the run need not be repeated.
func (e Earlier) Finished() bool { return e.Run != nil && e.Unfinished+e.Bad+e.Differs == "" }

// Find finds earlier results of the plan's runs in the folder Output.Dir.
func Find(p *plan.Plan) ([]Earlier, error) {
	found := make([]Earlier, len(p.Runs))
	out := p.Request.Output.Dir
	if out == "" {
		return found, nil
	}
	d, err := record.Read(filepath.Join(out, record.FileName))
	if err != nil {
		return nil, sdk.Usage(err)
	}
	f, err := gatherFacts(p)
	if err != nil {
		return nil, err
	}
	p.Out = out
	for i, t := range p.Runs {
		wanted := newRunner(p, f, nil).newRecord(p, t)
		wanted.Hide(p.Launch.Hide)
		at := slices.IndexFunc(d.Runs, func(r record.Run) bool { return r.Same(wanted) })
		if at >= 0 {
			have := d.Runs[at]
			found[i] = Earlier{Run: &have, Unfinished: unfinishedReason(out, have), Bad: badReason(have)}
			if found[i].Differs, err = findDifference(have, wanted, f); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

func unfinishedReason(out string, have record.Run) string {
	switch {
	case have.Status != record.Complete:
		return "it did not come to its end"
	case !hasFiles(out, have.Files):
		return "not all of its files are there"
	}
	return ""
}

func badReason(have record.Run) string {
	if have.Status != record.Complete || have.Good() {
		return ""
	}
	return "it is " + have.Verdict
}

func findDifference(have, want record.Run, f runFacts) (string, error) {
	if why := compareRecords(have, want); why != "" {
		return why, nil
	}
	if have.Workload == nil {
		return "the data set is another one", nil
	}
	sum, err := f.checksumDataset(want.Options.Dataset)
	switch {
	case err != nil:
		return "", err
	case sum != have.Workload.DatasetSHA256:
		return "the data set is another one", nil
	case !sameModel(*have.Workload, want.Options):
		return "the model is another one", nil
	}
	return "", nil
}

// compareRecords compares only the records. It does not read the model or the data.
func compareRecords(have, want record.Run) string {
	switch {
	case have.Plugin.SHA256 != want.Plugin.SHA256:
		return "the plugin is another one"
	case !sameLoadGen(have.LoadGen, want.LoadGen):
		return "another LoadGen drove it"
	case have.Rules != want.Rules || have.Pace != want.Pace:
		return "it has other rules, or another pace"
	case !sameOptions(have.Options, want.Options):
		return "it has other options"
	case !sameSettings(have.Settings, want.Settings):
		return "it has other settings"
	}
	return ""
}

// sameLoadGen compares the libraries that drove the runs. nil means package loadgen.
func sameLoadGen(a, b *record.LoadGen) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.SHA256 == b.SHA256
}

// sameOptions compares the JSON of options, in which a nil list equals an empty one.
func sameOptions(a, b record.Options) bool {
	textA, errA := json.Marshal(a)
	textB, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(textA, textB)
}

// sameSettings compares the values of settings, ignoring their sources, except settings that an earlier run measured.
func sameSettings(a, b []record.Setting) bool {
	return slices.EqualFunc(a, b, func(a, b record.Setting) bool {
		return a.Key == b.Key && (a.Value == b.Value || settings.Measured(a.Origin) || settings.Measured(b.Origin))
	})
}

// sameModel compares the model's files with those of an earlier run. It compares folders by name. An embedded model
// belongs to the plugin, which is compared elsewhere.
func sameModel(ran record.Workload, o record.Options) bool {
	same := func(path, sum string) bool {
		info, err := os.Stat(path)
		if path == "" || ran.Embedded || err == nil && info.IsDir() {
			return true
		}
		now, _, err := checksum.File(path)
		return err == nil && now == sum
	}
	for _, part := range ran.Parts {
		if path := o.PartFiles[part.Name]; !same(path, part.SHA256) {
			return false
		}
	}
	return len(ran.Parts) > 0 || same(o.ModelFile, ran.ModelSHA256)
}

// hasFiles reports whether the files of a run exist with the recorded sizes.
func hasFiles(out string, files []record.File) bool {
	return !slices.ContainsFunc(files, func(f record.File) bool {
		info, err := os.Stat(filepath.Join(out, filepath.FromSlash(f.Path)))
		return err != nil || info.Size() != f.Size
	})
}

// Differs describes the first difference between a finished run's record and the plan's run, or returns "" if there is
// none. The plan must have exactly one run.
func Differs(p *plan.Plan, have record.Run) (string, error) {
	f, err := gatherFacts(p)
	if err != nil {
		return "", err
	}
	wanted := newRunner(p, f, nil).newRecord(p, p.Runs[0])
	wanted.Hide(p.Launch.Hide)
	return findDifference(have, wanted, f)
}
