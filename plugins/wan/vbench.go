package wan

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// scoreDimensions lists the dimensions of VBench that form the score.
var scoreDimensions = []string{
	"appearance_style", "background_consistency", "dynamic_degree", "motion_smoothness", "scene", "subject_consistency",
}

// vbenchResults contains the results in a file of VBench.
type vbenchResults struct {
	file   string // file name
	means  map[string]float64
	noMean map[string]string // dimensions without a mean, and the values found instead
	score  float64           // in percent
}

// maxResultsBytes limits the size of a file of results.
const maxResultsBytes = 64 << 20

// openResults reads VBench's results if the parameter names a file or folder. Otherwise it returns nil.
func openResults(r *manifest.Request, s *videoSettings) *vbenchResults {
	if s.VBench == "" || !r.Scoring {
		return nil
	}
	path, err := findResultsFile(s.VBench)
	if err == nil {
		var found *vbenchResults
		if found, err = readResults(path); err == nil {
			err = found.checkDimensions(s.Scale)
		}
		if err == nil {
			return found
		}
		err = fmt.Errorf("%s: %w", path, err)
	}
	r.AddFault(sdk.Data(fmt.Errorf("parameter vbench: %w", err)))
	return nil
}

// findResultsFile returns the file of results at path: path itself, or the last file by name in a folder.
func findResultsFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path, err
	}
	const pattern = "results_*_eval_results.json"
	all, err := filepath.Glob(filepath.Join(path, pattern))
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s has no %s", path, pattern)
	}
	if err != nil {
		return "", err
	}
	return slices.Max(all), nil
}

func readResults(path string) (*vbenchResults, error) {
	text, err := bounded.ReadFile(path, maxResultsBytes)
	if err != nil {
		return nil, err
	}
	r, err := parseResults(text)
	r.file = filepath.Base(path)
	return &r, err
}

// parseResults parses {dimension: [mean, [values of the videos]]} as Python does. Like the official script, it ignores
// values that are not lists beginning with a number, and treats true and false as 1 and 0. If the content is empty in
// Python (null, 0, an empty text or list), there are no dimensions.
func parseResults(text []byte) (vbenchResults, error) {
	r := vbenchResults{means: map[string]float64{}, noMean: map[string]string{}}
	v, err := pyvalue.Decode(string(text))
	if err != nil {
		return r, fmt.Errorf("these are not results of VBench, {DIMENSION: [MEAN, [...]]}: %w", err)
	}
	all, ok := v.(*pyvalue.Dict)
	if !ok && pyvalue.IsTrue(v) {
		return r, fmt.Errorf("found %s, want results of VBench, {DIMENSION: [MEAN, [...]]}", pyvalue.Name(v))
	}
	var faults []error
	for _, name := range all.Keys() {
		v, _ := all.Get(name)
		list, _ := v.([]any)
		if len(list) == 0 {
			r.noMean[name] = pyvalue.Name(v)
			continue
		}
		mean, err := readMean(list[0])
		switch {
		case errors.Is(err, pyvalue.ErrType):
			r.noMean[name] = "a list that begins with " + pyvalue.Name(list[0])
			continue
		case err != nil:
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
		r.means[name] = mean
	}
	return r, errors.Join(faults...)
}

// readMean reads a number. For other values, the error wraps pyvalue.ErrType.
func readMean(v any) (float64, error) {
	if _, isText := v.(string); isText {
		return 0, pyvalue.ErrType
	}
	mean, err := pyvalue.Float(v)
	if err == nil && (math.IsNaN(mean) || math.IsInf(mean, 0)) {
		err = fmt.Errorf("found %v, want a finite number", mean)
	}
	return mean, err
}

// officialLines returns the lines that the official script prints, for any dimensions.
func (r *vbenchResults) officialLines() []string {
	lines := []string{"VBench Evaluation Results"}
	if len(r.means)+len(r.noMean) > 0 {
		lines = append(lines, "Dimension Scores:")
	}
	if len(r.means) > 0 {
		for _, name := range slices.Sorted(maps.Keys(r.means)) {
			lines = append(lines, fmt.Sprintf("  %-30s: %6.4f", name, r.means[name]))
		}
		lines = append(lines, fmt.Sprintf("  %-30s: %6.4f", "Overall Average", r.meanDimensions()))
	}
	return append(lines, "Detailed results: "+r.file)
}

// meanDimensions returns the mean of the existing dimensions.
func (r *vbenchResults) meanDimensions() float64 {
	sum := 0.0
	for _, name := range slices.Sorted(maps.Keys(r.means)) {
		sum += r.means[name]
	}
	return sum / float64(len(r.means))
}

// checkDimensions requires the six dimensions and sets the score to their mean in percent.
func (r *vbenchResults) checkDimensions(s resultScale) error {
	var faults []error
	large := false
	for _, name := range scoreDimensions {
		v, there := r.means[name]
		switch {
		case r.noMean[name] != "":
			faults = append(faults, fmt.Errorf("%s is %s, want a list that begins with a number", name, r.noMean[name]))
		case !there:
			faults = append(faults, fmt.Errorf("%s is missing: the score is of six dimensions, %s", name,
				strings.Join(scoreDimensions, ", ")))
		case math.IsNaN(v) || v < 0 || v > 100:
			faults = append(faults, fmt.Errorf("%s is %v, want 0 to 1, or percent", name, v))
		}
		large = large || v > 1
	}
	for _, name := range slices.Sorted(maps.Keys(r.means)) {
		if !slices.Contains(scoreDimensions, name) {
			faults = append(faults, fmt.Errorf("%s is no dimension of the score", name))
		}
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	return r.scaleMean(s, large)
}

// scaleMean converts the mean to percent. large reports whether a dimension is above 1.
func (r *vbenchResults) scaleMean(s resultScale, large bool) error {
	switch {
	case s == shareScale && large:
		return errors.New("a dimension is above 1, and scale=share says 0 to 1")
	case s == anyScale && large:
		return errors.New("a dimension is above 1: if all are percent already, say so with --param scale=percent")
	case s == percentScale:
		r.score = r.meanDimensions()
	default:
		r.score = 100 * r.meanDimensions()
	}
	return nil
}

// checkerLine returns the line of accuracy.txt that the submission checker reads.
func (r *vbenchResults) checkerLine() string {
	return "{'vbench_score': " + strconv.FormatFloat(r.score, 'f', -1, 64) + "}"
}
