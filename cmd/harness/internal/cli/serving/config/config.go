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

// maxConfig bounds a configuration, in bytes.
const maxConfig = 1 << 20

// Is says whether an argument is a file, and no address of a server.
func Is(argument string) bool {
	end := strings.ToLower(filepath.Ext(argument))
	return (end == ".yaml" || end == ".yml") && !strings.Contains(argument, "://")
}

// instead are flags that say the same in other ways: where the command line has one of them, none of the
// configuration's counts.
var instead = [][]string{
	{"concurrency", "rate", "max", "stages", "replay", "sweep", "find"}, {"requests", "duration"},
}

// isGiven says whether the command line has a flag, or another that says the same.
func isGiven(c *cobra.Command, name string) bool {
	for _, same := range instead {
		if slices.Contains(same, name) {
			return shell.Changed(c, same...) != ""
		}
	}
	return c.Flags().Changed(name)
}

// Configure takes over the configuration of mlcommons/endpoints in a file: its flags count where the command line has
// none of them, nor another that says the same. It returns the address of the servers.
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
		if isFlag && isGiven(c, name) { // the command line says otherwise
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

// RunIfServing does what a file stands for that harness run does: the runs of a suite, or recorded conversations. is
// says that the file is one of them; where it is not, nothing is done.
func RunIfServing(a *shell.App, c *cobra.Command, plugins *shell.PluginFlags, file string) (is bool, err error) {
	if Is(file) && isSuite(file) {
		return true, runSuite(c, file)
	}
	asked, err := replayOf(file)
	if asked == nil && err == nil {
		return false, nil
	}
	return true, asReplay(a, c, plugins, file, asked, err)
}

// isSuite says whether a file has a list of runs at its top.
func isSuite(path string) bool {
	text, err := bounded.ReadFile(path, maxConfig)
	return err == nil && !endpoints.IsConfig(text) && runsAtTop.Match(text)
}

var runsAtTop = regexp.MustCompile(`(?m)^["']?runs["']?[ \t]*:`)

// runSuite makes the runs of a suite, as harness run does.
func runSuite(c *cobra.Command, file string) error {
	return asRunCommand(c, file, "write it into the suite", nil, file)
}

// asRunCommand is harness run with arguments, with flags, and with those of harness bench that were given: the latter
// win. One that it does not have is a fault, with what to do.
func asRunCommand(c *cobra.Command, file, instead string, flags []string, arguments ...string) error {
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

// replayOf reads a configuration of recorded conversations; nil: the argument is none.
func replayOf(argument string) (*endpoints.TranslatedConfig, error) {
	if !Is(argument) {
		return nil, nil
	}
	text, err := bounded.ReadFile(argument, maxConfig)
	if err != nil || !endpoints.IsConfig(text) || !endpoints.IsReplay(text) {
		return nil, nil // harness bench says what it is
	}
	asked, err := endpoints.ReadConfig(text)
	return asked, err
}

// asReplay asks recorded conversations of a configuration, as harness run does of the benchmark that replays.
func asReplay(
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
	a.Note("recorded conversations are asked as harness run " + models[0] + " does")
	for _, note := range asked.Notes {
		a.Note(note)
	}
	flags := asked.Flags
	for _, p := range asked.Params {
		name, ok := params[p.Key]
		if !ok {
			return sdk.Usage(fmt.Errorf("%s: %s: %s has no option for it; take it out", file, p.Key, models[0]))
		}
		flags = append(flags, "--param", name+"="+p.Value)
	}
	return asRunCommand(c, file, "a replay has nothing like it: see harness run "+models[0]+" --help", flags, models[0])
}
