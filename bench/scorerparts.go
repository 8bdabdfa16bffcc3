package bench

import (
	"errors"
	"fmt"
	"slices"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// chooseScorer finds the scorer's models, where something is scored or the user names some.
func (p *Plan) chooseScorer(r Request) (err error) {
	scored := slices.ContainsFunc(p.Runs, func(t PlannedRun) bool { return t.Mode == loadgen.AccuracyOnly })
	if scored || len(r.ScorerModels) > 0 {
		p.ScorerFiles, err = findScorerFiles(p.Served.Model, r.ScorerModels, r.Dataset != "", r.Files)
	}
	return err
}

// findScorerFiles finds the models that a model's scorer runs: PART=PATH as given, else the embedded one, which is left
// to the plugin, else the official file. The embedded one knows the plugin's own data alone: it does not stand in where
// the user names a data set. All faults are reported at once.
func findScorerFiles(model sdk.ModelInfo, given []string, own bool, files Files) (map[string]string, error) {
	const flag = "--scorer-model"
	if len(given) > 0 && len(model.ScorerParts) == 0 {
		return nil, sdk.Usage(fmt.Errorf("%s: the scorer of %s runs no model", flag, model.Name))
	}
	named, faults := partFiles(flag, given, model.ScorerParts)
	found, wrong := locateParts(flag, named, model, model.ScorerFiles, files)
	faults = append(faults, wrong...)
	for _, part := range model.ScorerParts {
		if named[part.Name] != "" {
			continue
		}
		path, err := scorerFile(model, part, own, files)
		if err != nil {
			faults = append(faults, sdk.Data(err))
		} else if path != "" {
			found[part.Name] = path
		}
	}
	return found, usage(faults)
}

// scorerFile is the file of a part that the user did not name; the empty path leaves it to the plugin.
func scorerFile(model sdk.ModelInfo, part sdk.PartInfo, own bool, files Files) (string, error) {
	of := slices.DeleteFunc(slices.Clone(model.ScorerFiles), func(f sdk.ModelFile) bool {
		return f.Part != part.Name || f.Embedded && own
	})
	if slices.ContainsFunc(of, func(f sdk.ModelFile) bool { return f.Embedded }) {
		return "", nil
	}
	err := errors.New("there is no file of it to fetch")
	for _, f := range of {
		path, missing := locate(files, model, f)
		if missing == nil {
			return path, nil
		}
		err = missing
	}
	if part.Optional {
		return "", nil
	}
	return "", fmt.Errorf("the scorer's model %s is missing: give --scorer-model %[1]s=PATH (%w)", part.Name, err)
}

// scorerModels are the scorer's models that were asked for, or else those of the run that the log is of.
func (r ScoreRequest) scorerModels(origin record.Run) []string {
	if len(r.ScorerModels) > 0 || r.Model != "" {
		return r.ScorerModels
	}
	var texts []string
	for part, path := range origin.Options.ScorerFiles {
		texts = append(texts, part+"="+path)
	}
	return texts
}
