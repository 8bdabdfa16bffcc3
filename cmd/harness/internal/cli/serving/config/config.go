// Package config reads the files that harness bench accepts instead of an address: suites, and configurations of
// mlcommons/endpoints for flags or recorded conversations.
package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
)

// maxConfig limits the size of a configuration in bytes.
const maxConfig = 1 << 20

// IsFile reports whether an argument is a file, not the address of a server.
func IsFile(argument string) bool {
	end := strings.ToLower(filepath.Ext(argument))
	return (end == ".yaml" || end == ".yml") && !strings.Contains(argument, "://")
}

// alternativeFlags lists groups of flags with the same purpose. If the command line contains one of a group, the
// configuration's flags of the group are ignored.
var alternativeFlags = [][]string{
	{"concurrency", "rate", "max", "stages", "replay", "sweep", "find"}, {"requests", "duration"},
}

// isGiven reports whether the command line contains a flag, or another of its group.
func isGiven(c *cobra.Command, name string) bool {
	for _, same := range alternativeFlags {
		if slices.Contains(same, name) {
			return shell.FirstChanged(c, same...) != ""
		}
	}
	return c.Flags().Changed(name)
}

// Configure applies a configuration of mlcommons/endpoints in a file. Flags on the command line take precedence. It
// returns the address of the servers.
func Configure(a *shell.App, c *cobra.Command, file string) (address string, err error) {
	text, err := bounded.ReadFile(file, maxConfig)
	if err != nil {
		return "", sdk.Usage(fmt.Errorf("%s: %w", file, err))
	}
	if err := endpoints.CheckReadable(text); err != nil {
		return "", sdk.Usage(fmt.Errorf("%s: %w", file, err))
	}
	if !endpoints.IsConfig(text) {
		return "", sdk.Usage(fmt.Errorf("%s is neither a configuration of mlcommons/endpoints (it lacks endpoint_config, "+
			"with the servers) nor a suite (it lacks a list of runs); want the address of a server", file))
	}
	asked, err := endpoints.ReadConfig(text)
	if err != nil {
		return "", sdk.Usage(fmt.Errorf("%s: %w", file, err))
	}
	var flags []string
	for i := 0; i < len(asked.Flags); i++ {
		name, isFlag := strings.CutPrefix(asked.Flags[i], "--")
		name, _, _ = strings.Cut(name, "=")
		if isFlag && isGiven(c, name) { // the command line takes precedence
			for i+1 < len(asked.Flags) && !strings.HasPrefix(asked.Flags[i+1], "--") {
				i++
			}
			continue
		}
		flags = append(flags, asked.Flags[i])
	}
	if err := c.Flags().Parse(flags); err != nil {
		return "", sdk.Usage(fmt.Errorf("%s: %w", file, err))
	}
	if said, _ := c.Flags().GetBool("json"); !said {
		for _, note := range asked.Notes {
			fmt.Fprintln(a.Stdout, note)
		}
	}
	return asked.Address, nil
}

// RunIfServing runs a file that harness run can handle: a suite or recorded conversations. It returns false and does
// nothing for other files.
func RunIfServing(a *shell.App, c *cobra.Command, plugins *shell.PluginFlags, file string) (is bool, err error) {
	if IsFile(file) && isSuite(file) {
		return true, runSuite(c, file)
	}
	asked, err := readReplay(file)
	if asked == nil && err == nil {
		return false, nil
	}
	return true, runReplay(a, c, plugins, file, asked, err)
}

// isSuite reports whether a file has a list of runs at its top level.
func isSuite(path string) bool {
	text, err := bounded.ReadFile(path, maxConfig)
	return err == nil && !endpoints.IsConfig(text) && runsAtTop.Match(text)
}

var runsAtTop = regexp.MustCompile(`(?m)^["']?runs["']?[ \t]*:`)

// runSuite runs a suite like harness run.
func runSuite(c *cobra.Command, file string) error {
	return runAsCommand(c, file, "write it into the suite", nil, file)
}

// runAsCommand runs harness run with arguments and flags. The flags given to harness bench take precedence. If harness
// run lacks one of these, the error contains the advice instead.
func runAsCommand(c *cobra.Command, file, instead string, flags []string, arguments ...string) error {
	run, _, err := c.Root().Find([]string{"run"})
	if err != nil {
		return err
	}
	faults := []error{run.Flags().Parse(flags)}
	c.Flags().Visit(func(f *pflag.Flag) {
		if c.InheritedFlags().Lookup(f.Name) != nil {
			return
		}
		if run.Flags().Lookup(f.Name) == nil {
			faults = append(faults, fmt.Errorf("--%s: %s", f.Name, instead))
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			faults = append(faults, run.Flags().Set(f.Name, v))
		}
	})
	if err := errors.Join(faults...); err != nil {
		return sdk.Usage(fmt.Errorf("%s: %w", file, err))
	}
	run.SetContext(c.Context())
	if run.PreRunE != nil {
		if err := run.PreRunE(run, arguments); err != nil {
			return err
		}
	}
	return run.RunE(run, arguments)
}

// readReplay reads a configuration of recorded conversations. It returns nil for other arguments.
func readReplay(argument string) (*endpoints.TranslatedConfig, error) {
	if !IsFile(argument) {
		return nil, nil
	}
	text, err := bounded.ReadFile(argument, maxConfig)
	if err != nil || !endpoints.IsConfig(text) || !endpoints.IsReplay(text) {
		return nil, nil // harness bench reports the fault
	}
	asked, err := endpoints.ReadConfig(text)
	return asked, err
}

// runReplay runs the recorded conversations of a configuration like harness run with the replay benchmark.
func runReplay(
	a *shell.App, c *cobra.Command, plugins *shell.PluginFlags, file string, asked *endpoints.TranslatedConfig, err error,
) error {
	if err != nil {
		return sdk.Usage(fmt.Errorf("%s: %w", file, err))
	}
	catalog, err := a.Catalog(c, plugins)
	if err != nil {
		return err
	}
	var models []string
	var params map[string]string
	for _, e := range catalog.Entries {
		for _, m := range e.Description.Models {
			if m.Replay {
				models, params = append(models, m.Name), m.ParamsOf(sdk.RoleReplay)
			}
		}
	}
	if len(models) != 1 {
		return sdk.Usage(fmt.Errorf("%s: benchmarks that replay conversations: %d (%s), want one: harness run MODEL asks "+
			"it", file, len(models), strings.Join(models, ", ")))
	}
	a.PrintNote("recorded conversations are asked as harness run " + models[0] + " does")
	for _, note := range asked.Notes {
		a.PrintNote(note)
	}
	flags := asked.Flags
	for _, p := range asked.Params {
		name, ok := params[p.Key]
		if !ok {
			return sdk.Usage(fmt.Errorf("%s: %s: %s has no option for it; take it out", file, p.Key, models[0]))
		}
		flags = append(flags, "--param", name+"="+p.Value)
	}
	return runAsCommand(c, file, "a replay has nothing like it: see harness run "+models[0]+" --help", flags, models[0])
}
