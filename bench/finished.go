package bench

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/report"
)

// Finished returns, for each run of the plan, the record of the same run that the output folder Request.Out holds
// already: it came to its natural end and is good, with the same options, settings, plugin, model and data set, and its
// files are there. A run without one has nil, and in why what keeps an earlier record from being that one; "" where there
// is no record.
func (p *Plan) Finished() (records []*report.Run, why []string, err error) {
	records, why = make([]*report.Run, len(p.Runs)), make([]string, len(p.Runs))
	out := p.request.Out
	if out == "" {
		return records, why, nil
	}
	d, err := report.Read(filepath.Join(out, report.FileName))
	if err != nil {
		return nil, nil, sdk.Usage(err)
	}
	f, err := p.request.facts(p)
	if err != nil {
		return nil, nil, err
	}
	p.Out = out
	for i, t := range p.Runs {
		wanted := newRunner(p, f).record(p, t)
		wanted.Hide(p.Launch.Hide)
		at := slices.IndexFunc(d.Runs, func(r report.Run) bool { return r.Same(wanted) })
		if at < 0 {
			continue
		}
		if why[i] = unlike(out, d.Runs[at], wanted, f); why[i] == "" {
			records[i] = &d.Runs[at]
		}
	}
	return records, why, nil
}

// unlike says what keeps a record from being that of a wanted run; "": nothing.
func unlike(out string, have, want report.Run, f facts) string {
	switch {
	case have.Status != report.Complete:
		return "it did not come to its end"
	case have.ExitCode != 0:
		return "it is " + have.Verdict
	case have.Plugin.SHA256 != want.Plugin.SHA256:
		return "the plugin is another one"
	case have.Rules != want.Rules || have.Pace != want.Pace:
		return "it has other rules, or another pace"
	case !sameOptions(have.Options, want.Options):
		return "it has other options"
	case !sameSettings(have.Settings, want.Settings):
		return "it has other settings"
	case have.Workload == nil || f.DatasetSHA256 != have.Workload.DatasetSHA256:
		return "the data set is another one"
	case !sameModel(*have.Workload, want.Options):
		return "the model is another one"
	case !kept(out, have.Files):
		return "not all of its files are there"
	}
	return ""
}

// sameOptions compares as written: nothing and an empty list are the same.
func sameOptions(a, b report.Options) bool {
	textA, errA := json.Marshal(a)
	textB, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(textA, textB)
}

// sameSettings compares values, whatever they came from.
func sameSettings(a, b []report.Setting) bool {
	return slices.EqualFunc(a, b, func(a, b report.Setting) bool { return a.Key == b.Key && a.Value == b.Value })
}

// sameModel compares the model's file with the one that ran. Folders are taken as they are named, and an embedded model
// is the plugin's.
func sameModel(ran report.Workload, o report.Options) bool {
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

// kept says whether the files of a run are there, with their sizes.
func kept(out string, files []report.File) bool {
	return !slices.ContainsFunc(files, func(f report.File) bool {
		info, err := os.Stat(filepath.Join(out, filepath.FromSlash(f.Path)))
		return err != nil || info.Size() != f.Size
	})
}
