package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// FoundLogs contains the logs of a test found in folders.
type FoundLogs struct {
	Test           string
	Reference, Run Logs
	// Model and Scenario are names of the surrounding folders, if dir is in a submission's scenario folder.
	Model, Scenario string
	// InTwo is true for the two runs of TEST04 before v2.1. Reference issues each sample once, Run repeats one sample.
	InTwo bool
}

// Locate finds the logs of a test. dir is the folder of a scenario that contains a folder TESTnn, or the folder of an
// audit's run. results is the scenario's folder with accuracy/ and performance/run_1/. It can be empty if it equals
// dir, if it contains a run's folder named TESTnn, or if it is results/... for a dir below compliance/. Locate does not
// check whether the logs exist; Verify does. An empty test selects every test with a folder in dir, or else the test
// whose folder is dir or contains it.
func Locate(dir, results, test string) ([]FoundLogs, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%w: %s is not a folder: want a scenario's, or that of an audit's run", ErrMissing, dir)
	}
	tests := []string{test}
	if test == "" {
		tests = testsIn(dir)
	}
	if folder := folderOfTest(dir); len(tests) == 0 && folder != "" {
		dir, tests = folder, []string{testOfFolder(filepath.Base(folder))}
	}
	if len(tests) == 0 {
		return nil, fmt.Errorf("%w: %s has no folder of a test: name the test (--test TESTnn), or a scenario's folder",
			ErrRequest, dir)
	}
	var list []FoundLogs
	var errs []error
	for _, test := range tests {
		f, err := locateLogs(filepath.Clean(dir), results, test)
		list, errs = append(list, f), append(errs, err)
	}
	return list, errors.Join(errs...)
}

// maxScenarios is the maximum number of scenario folders for one call. Every published round has fewer.
const maxScenarios = 20_000

// ScenariosBelow returns the folders below dir that contain folders of tests, such as the scenario folders of a
// submission, a system or a repository, sorted by path. It returns none if dir itself contains a test's folder. It
// skips hidden folders and links.
func ScenariosBelow(dir string) (scenarios []string, err error) {
	if len(testsIn(dir)) > 0 {
		return nil, nil
	}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !e.IsDir():
			return nil
		case strings.HasPrefix(e.Name(), ".") && path != dir:
			return fs.SkipDir
		case len(testsIn(path)) == 0:
			return nil
		case len(scenarios) >= maxScenarios:
			return fmt.Errorf("%w: %s has more than %d scenarios with tests: name a submitter's folder", ErrRequest, dir,
				maxScenarios)
		}
		scenarios = append(scenarios, path)
		return fs.SkipDir
	})
	return scenarios, err
}

// ErrMissing reports that a folder does not exist.
var ErrMissing = errors.New("audit")

// testsIn returns the tests with a folder in dir.
func testsIn(dir string) []string {
	return slices.DeleteFunc(tree.AuditTests(), func(test string) bool { return !HasTest(dir, test) })
}

// listFolders returns the possible names of a test's folders.
func listFolders(test string) []string {
	if test == tree.Caching {
		return []string{test, tree.CachingUnique, tree.CachingSame}
	}
	return []string{test}
}

// testOfFolder returns the test that has a folder of this name, or "".
func testOfFolder(name string) string {
	for _, test := range tree.AuditTests() {
		if slices.Contains(listFolders(test), name) {
			return test
		}
	}
	return ""
}

// folderOfTest returns the folder of a test that is dir or contains dir, such as the folder of its logs; empty: none.
func folderOfTest(dir string) string {
	dir = filepath.Clean(dir)
	for range 3 { // TESTnn/performance/run_1
		if testOfFolder(filepath.Base(dir)) != "" {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// HasTest reports whether a scenario's folder contains a folder of a test.
func HasTest(dir, test string) bool {
	return slices.ContainsFunc(listFolders(test), func(name string) bool { return isFolder(filepath.Join(dir, name)) })
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func locateLogs(dir, results, test string) (FoundLogs, error) {
	if base := filepath.Base(dir); test == tree.Caching && base != test && testOfFolder(base) == test {
		dir = filepath.Dir(dir) // the two runs are compared with each other
	}
	f, scenario := FoundLogs{Test: test, Run: RunLogs(dir)}, results
	switch {
	case test == tree.Caching && !isFolder(filepath.Join(dir, test)) && HasTest(dir, test):
		f.InTwo, scenario = true, dir
		f.Reference, f.Run = RunLogs(filepath.Join(dir, tree.CachingUnique)), RunLogs(filepath.Join(dir, tree.CachingSame))
		results = ""
	case isFolder(filepath.Join(dir, test)):
		f.Run = RunLogs(filepath.Join(dir, test))
		if results == "" {
			results, scenario = resultsFolder(dir), dir
		}
	case results != "":
	case filepath.Base(dir) == test:
		scenario = filepath.Dir(dir)
		results = resultsFolder(scenario)
	case slices.Contains(comparingTests, test):
		return f, fmt.Errorf("%w: %s compares with the submission's runs: name the folder of their scenario (--results DIR)",
			ErrRequest, test)
	}
	if results != "" {
		f.Reference = ResultLogs(results)
	}
	if name, ok := tree.CanonicalScenario(filepath.Base(scenario)); scenario != "" && ok {
		f.Scenario, f.Model = name, filepath.Base(filepath.Dir(scenario))
	}
	return f, nil
}

// comparingTests lists the tests that compare with the submission's own runs.
var comparingTests = []string{"TEST01", "TEST04", "TEST05", "TEST08"}

// resultsFolder returns the results folder of a scenario whose audits are below compliance/, as before v6.0, or
// below audit/, as in v0.5. It returns other folders unchanged.
func resultsFolder(scenario string) string {
	parts := strings.Split(filepath.ToSlash(scenario), "/")
	i := slices.Index(parts, "compliance")
	// the last elements are SYSTEM/BENCHMARK/SCENARIO
	if above := len(parts) - 4; i < 0 && above >= 0 && parts[above] == "audit" {
		i = above
	}
	if i < 0 || isFolder(filepath.Join(scenario, tree.PerformanceDir)) {
		return scenario
	}
	parts[i] = tree.ResultsDir
	return filepath.FromSlash(strings.Join(parts, "/"))
}
