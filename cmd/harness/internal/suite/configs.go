package suite

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/mlmark"
)

// NewConfigSuite returns the suite of the tasks in MLMark configurations, with the flags in given. Its name is that of
// the first configuration.
func NewConfigSuite(paths []string, given []Flag) (Suite, error) {
	base := strings.TrimSuffix(filepath.Base(paths[0]), filepath.Ext(paths[0]))
	s := Suite{Name: base, Out: base}
	f := suiteFile{defaults: given}
	for i, path := range paths {
		tasks, err := mlmark.ReadConfig(path)
		if err != nil {
			return s, err
		}
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		f.entries = append(f.entries, suiteEntry{index: i, name: name, tasks: tasks, repeat: 1})
	}
	var err error
	if s.Jobs, err = f.listJobs(); err != nil {
		err = fmt.Errorf("configurations: %w", err)
	}
	return s, err
}

// ListFlags returns the flags set on a command line, except those in but.
func ListFlags(set *pflag.FlagSet, but []string) []Flag {
	var all []Flag
	set.Visit(func(f *pflag.Flag) {
		if slices.Contains(but, f.Name) {
			return
		}
		if several, ok := f.Value.(pflag.SliceValue); ok {
			for _, v := range several.GetSlice() {
				all = append(all, Flag{f.Name, v})
			}
			return
		}
		all = append(all, Flag{f.Name, f.Value.String()})
	})
	return all
}
