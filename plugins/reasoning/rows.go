package reasoning

import (
	"errors"
	"fmt"

	"github.com/plumbline-ml/plumbline/datasets/prompts"
	synthetic "github.com/plumbline-ml/plumbline/internal/synthetic/reasoning"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// openRows opens the questions of a request, from the data set for its use.
func openRows(r *manifest.Request) []prompts.PromptSample {
	f := modelFamilyOf(r.Model.Name)
	if r.Dataset == "" {
		rows := f.embeddedRows(r.Use)
		return toSamples(rows[:min(r.SampleCount(len(rows), "samples"), len(rows))])
	}
	o := prompts.ReadOptions{Count: r.Count, PromptsOnly: !r.Scoring && !(r.Verifying && f == deepSeek)}
	o.LabelsOnly = r.Scoring && r.Exhibits <= 0
	items, err := f.datasetFormat(r.Use).Open(r.Dataset, o)
	if err != nil && r.Scoring && !o.LabelsOnly { // exhibits can be shown without questions
		o.LabelsOnly = true
		items, err = f.datasetFormat(r.Use).Open(r.Dataset, o)
	}
	if err != nil {
		r.AddFault(sdk.Data(err))
		return nil
	}
	if r.Scoring || r.Verifying {
		r.AddFault(f.checkSets(items))
	}
	r.SampleCount(len(items), "samples")
	return items
}

// embeddedRows returns the embedded questions for a use.
func (f modelFamily) embeddedRows(use string) synthetic.Rows {
	switch {
	case f == deepSeek:
		return synthetic.DeepSeek()
	case use == sdk.UseAccuracy:
		return synthetic.GPTOSS()
	case use == complianceTest:
		return synthetic.GPTOSSCompliance()
	}
	return synthetic.GPTOSSPerformance()
}

// toSamples converts embedded questions to the form of those in a file.
func toSamples(rows synthetic.Rows) []prompts.PromptSample {
	samples := make([]prompts.PromptSample, len(rows))
	for i, row := range rows {
		samples[i] = prompts.PromptSample{Input: row.Question, Output: row.Truth, Task: row.Dataset}
	}
	return samples
}

// maxFaults limits the number of rows in an error.
const maxFaults = 10

// checkSets requires a grader for the set of each row that names one. Without a grader, the official script would stop
// at the first such answer.
func (f modelFamily) checkSets(items []prompts.PromptSample) error {
	var faults []error
	wrong := map[string]bool{}
	for i, item := range items {
		if item.Task == "" && f == gptOSS && item.Output == "" { // of the performance run, which is not scored
			continue
		}
		if _, err := f.officialScript().Grader(item.Task); err != nil && !wrong[item.Task] {
			wrong[item.Task] = true
			faults = append(faults, fmt.Errorf("record %d: %w", i, err))
		}
	}
	if more := len(faults) - maxFaults; more > 0 {
		faults = append(faults[:maxFaults], fmt.Errorf("and %d more sets", more))
	}
	return sdk.Data(errors.Join(faults...))
}
