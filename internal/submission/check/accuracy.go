package check

import (
	"path"
	"strconv"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// checkAccuracyRun checks the logs of the accuracy run.
func (r *resultFolder) checkAccuracyRun() {
	l := r.accuracy
	if l == nil {
		return
	}
	r.checkErrors(l)
	r.checkLoadGen(l)
	r.checkMode(l, "AccuracyOnly")
	r.checkSeeds(l)
	r.checkNetworkSUT(l)
	r.checkSampling(l)
	r.checkDataset(l)
	if r.performance != nil {
		r.checkSameLoadGen()
		r.checkSameScenario(l)
	}
}

// checkDataset checks that the run covers the whole data set.
func (r *resultFolder) checkDataset(l *runLog) {
	want := r.checker.rules.AccuracySampleCount(r.model, r.scenario)
	key := "effective_accuracy_sample_count"
	if !l.detail.Has(key) {
		key = "qsl_reported_total_count"
	}
	if got, ok := l.numberOf(key); want > 0 && (!ok || got != float64(want)) && !r.checker.options.Skip.DatasetSize {
		r.addReject(ruleCounts, l.logPath(), "the accuracy run is not over the whole data set", l.quotedValue(key),
			strconv.FormatUint(want, 10), "run it over the whole data set")
	}
}

// checkSameScenario warns if the accuracy run's scenario differs from the performance run's.
func (r *resultFolder) checkSameScenario(l *runLog) {
	if got, want := l.logScenario(), r.performance.logScenario(); got != want {
		r.addWarning(ruleSettings, l.logPath(), "the accuracy run is of another scenario", got, want, "file that of "+want)
	}
}

// accuracyFile returns the path of the accuracy run's accuracy.txt.
func (r *resultFolder) accuracyFile() string { return path.Join(r.Accuracy(), tree.AccuracyText) }

// checkShownFiles checks the outputs that some models must include.
func (r *resultFolder) checkShownFiles() {
	want, ok := r.checker.rules.AccuracyFiles(r.model)
	if !ok || r.checker.options.Skip.AccuracyFiles {
		return
	}
	ending := map[string]string{tree.ImagesDir: ".png", tree.VideosDir: ".mp4"}[want.Folder]
	folder := path.Join(r.Accuracy(), want.Folder)
	for _, sample := range want.Samples {
		name := path.Join(folder, strconv.FormatUint(sample, 10)+ending)
		if !r.checker.tree.HasFile(name) {
			r.addReject(ruleFiles, name, "an output to show is missing", "", name,
				"add the accuracy run's output of this sample")
		}
	}
	if captions := path.Join(folder, tree.Captions); !r.checker.tree.HasFile(captions) {
		r.addReject(ruleFiles, captions, "the texts of the outputs to show are missing", "", captions, "add them")
	}
}
