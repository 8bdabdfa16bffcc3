package audit

import (
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

// Write puts the texts and the logs of a verdict into the folder of its test below scenario, a folder such as
// results/SYSTEM/BENCHMARK/Offline, or before v6.0 compliance/SYSTEM/BENCHMARK/Offline (tree.Layout.Audits). What lies
// there already under these names is replaced; logs that lie in their place stay. An empty scenario writes nothing.
func Write(v Verdict, scenario string) error {
	if scenario == "" {
		return nil
	}
	folder := filepath.Join(scenario, v.Test)
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(v.Texts)) {
		errs = append(errs, inFolder(folder, name, func(to string) error {
			return wholefile.Write(to, []byte(v.Texts[name]), 0o644)
		}))
	}
	for _, name := range slices.Sorted(maps.Keys(v.Copies)) {
		errs = append(errs, inFolder(folder, filepath.FromSlash(name), func(to string) error {
			return copyLog(v.Copies[name], to)
		}))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("place %s: %w", v.Test, err)
	}
	return nil
}

func inFolder(folder, name string, write func(to string) error) error {
	to := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	// What writers that were killed left; what cannot be removed does not keep the verdict from its place.
	_ = wholefile.RemoveTemp(filepath.Dir(to))
	return write(to)
}

// copyLog copies a log, which may be large, unless it lies there.
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

// Copy is a log and its slash-separated path in the folder of a test.
type Copy struct{ From, To string }

// TakeLogs sets Copies to the logs of the request's run that the folder of the test has, and returns those of them that
// cannot be read, in the order in which the official scripts copy them.
func (v *Verdict) TakeLogs(r Request) (unread []Copy) {
	v.Copies = map[string]string{}
	all := logCopies(r.Test, r.Run)
	for _, to := range copyOrder {
		from, wanted := all[to]
		switch {
		case !wanted:
		case checkReadable(from) == nil:
			v.Copies[to] = from
		default:
			unread = append(unread, Copy{from, to})
		}
	}
	return unread
}

// copyOrder is the order in which the scripts copy logs.
var copyOrder = []string{
	tree.AccuracyDir + "/" + tree.AccuracyLog,
	tree.PerformanceDir + "/" + tree.RunDir + "/" + tree.SummaryLog,
	tree.PerformanceDir + "/" + tree.RunDir + "/" + tree.DetailLog,
}
