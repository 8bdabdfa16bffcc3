package audit

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/plumbline-ml/plumbline/internal/bounded"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// WriteVerdict writes the texts and logs of a verdict into the folder of its test below scenario, such as
// results/SYSTEM/BENCHMARK/Offline, or compliance/SYSTEM/BENCHMARK/Offline before v6.0 (tree.Layout.Audits). It
// replaces existing files, except logs that are already in their place. If scenario is empty, it writes nothing.
func WriteVerdict(v Verdict, scenario string) error {
	if scenario == "" {
		return nil
	}
	folder := filepath.Join(scenario, cmp.Or(v.Folder, v.Test))
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(v.Texts)) {
		errs = append(errs, writeInFolder(folder, name, func(to string) error {
			return wholefile.Write(to, []byte(v.Texts[name]), 0o644)
		}))
	}
	for _, name := range slices.Sorted(maps.Keys(v.Copies)) {
		errs = append(errs, writeInFolder(folder, filepath.FromSlash(name), func(to string) error {
			return copyLog(v.Copies[name], to)
		}))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("place %s: %w", v.Test, err)
	}
	return nil
}

func writeInFolder(folder, name string, write func(to string) error) error {
	to := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	// Remove temporary files of killed writers. A failure to remove them does not prevent writing the verdict.
	_ = wholefile.RemoveTemp(filepath.Dir(to))
	return write(to)
}

// copyLog copies a log, which can be large, unless it is already there.
func copyLog(from, to string) error {
	if sameFile(from, to) {
		return nil
	}
	in, err := bounded.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return wholefile.WriteFrom(to, in, 0o644)
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// LogCopy is the path of a log and its slash-separated path in a test's folder.
type LogCopy struct{ From, To string }

// TakeLogs sets Copies to the logs of the request's run that belong in the test's folder. It returns the logs that
// cannot be read, in the order in which the official scripts copy them.
func (v *Verdict) TakeLogs(r Request) (unread []LogCopy) {
	v.Copies = map[string]string{}
	if !r.comparesTwo() {
		return v.takeRun("", r.Test, r.Run)
	}
	v.Folder = tree.CachingUnique
	unread = v.takeRun("", tree.CachingUnique, r.Reference)
	return append(unread, v.takeRun("../"+tree.CachingSame+"/", tree.CachingSame, r.Run)...)
}

// takeRun adds one run's logs to Copies. folder is the run's folder in the test's folder, with a final slash, or "".
func (v *Verdict) takeRun(folder, name string, run Logs) (unread []LogCopy) {
	all := logCopies(name, run)
	for _, to := range copyOrder {
		from, wanted := all[to]
		switch {
		case !wanted:
		case checkReadable(from) == nil:
			v.Copies[folder+to] = from
		default:
			unread = append(unread, LogCopy{from, folder + to})
		}
	}
	return unread
}

// copyOrder is the order in which the official scripts copy logs.
var copyOrder = []string{
	tree.AccuracyDir + "/" + tree.AccuracyLog,
	tree.PerformanceDir + "/" + tree.RunDir + "/" + tree.SummaryLog,
	tree.PerformanceDir + "/" + tree.RunDir + "/" + tree.DetailLog,
}
