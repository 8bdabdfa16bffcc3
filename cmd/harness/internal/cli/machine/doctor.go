// Package machine contains the commands about this machine: doctor, and trust for the pins of its plugins.
package machine

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/internal/fetch/wholefile"
	"github.com/plumbline-ml/plumbline/internal/onnxlib"
	"github.com/plumbline-ml/plumbline/internal/system"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/doctor"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/onnxruntime"
)

// app is one execution of a command in this package.
type app struct{ *shell.App }

// DoctorCommand returns the command "harness doctor".
func DoctorCommand(s *shell.App, f *shell.PluginFlags) *cobra.Command {
	a := &app{s}
	return &cobra.Command{
		Use: "doctor", Short: "Check this machine and its plugins, and recommend fixes",
		Example: `  harness doctor`, Args: shell.RejectArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			a.SetOrderly(true)
			catalog, err := a.Catalog(c, f)
			if err != nil {
				return err
			}
			sections := []doctor.Section{
				doctor.CheckMachine(system.Describe(a.Root), doctor.MeasurePrecision()),
				doctor.CheckPlugins(c.Context(), a.Plugins, catalog, f.Asked.Plugins.Launch),
				doctor.CheckTransport(c.Context(), a.Plugins, catalog, f.Asked.Plugins.Launch),
				{Title: "files", Checks: []doctor.Check{a.cacheCheck()}},
			}
			sections[1].Checks = append(sections[1].Checks, a.trustCheck(f), a.exposedCheck(f))
			sections[3].Checks = append(sections[3].Checks, a.runtimeCheck(c.Context(), sections[1]))
			if err := doctor.Write(a.Stdout, sections); err != nil {
				return err
			}
			if off := context.Cause(c.Context()); off != nil {
				return fmt.Errorf("the checks were called off: %w", off)
			}
			fmt.Fprintf(a.Stdout, "\n%s\n", doctor.CountStates(sections))
			if code := doctor.WorstCode(sections); code != exitcode.Valid {
				return &exitcode.Outcome{Code: code}
			}
			return nil
		},
	}
}

// cacheCheck reports the folder of downloads and whether it is writable.
func (a *app) cacheCheck() doctor.Check {
	dir, err := shell.CacheDir(a.Env)
	if err != nil {
		return doctor.Check{Name: "downloads", State: doctor.Warn, Found: err.Error()}
	}
	c := doctor.Check{Name: "downloads", State: doctor.OK, Found: dir}
	if err := wholefile.CheckWritable(dir); err != nil {
		c.State, c.Found = doctor.Warn, fmt.Sprintf("%s: %v", dir, err)
		c.Advice = "harness fetch needs a folder that can be written: set " + shell.CacheVariable
	}
	return c
}

// pythonName is the Python interpreter that is searched for an ONNX Runtime module.
const pythonName = "python3"

// runtimeCheck reports the ONNX Runtime that the plugins opened, the fetched one, and whether a newer one is installed
// or known.
func (a *app) runtimeCheck(ctx context.Context, plugins doctor.Section) doctor.Check {
	c := doctor.Check{Name: "ONNX Runtime", State: doctor.OK, Found: "no plugin has opened one"}
	running := onnxruntime.OldestRunning(plugins.Versions())
	if running != "" {
		c.Found = fmt.Sprintf("runs use %s, the one in the plugins' folder", running)
	}
	if own := a.Env(shell.EnvORTLib); running != "" && own != "" {
		c.Found = fmt.Sprintf("runs use %s, by %s=%s", running, shell.EnvORTLib, own)
	}
	last, fetched, err := a.LastRuntime()
	switch {
	case err != nil:
		c.State, c.Found, c.Advice = doctor.Warn, c.Found+"; "+err.Error(), ""
	case fetched:
		c.Found += fmt.Sprintf("; with --ort-lib %s they use %s (%s), %s", onnxruntime.FetchedWord, last.Release,
			last.Variant, last.Path)
	}
	installed, err := onnxruntime.FindInPython(ctx, pythonName, onnxruntime.RuntimeBuild{OS: runtime.GOOS,
		Arch: runtime.GOARCH})
	newest := slices.MaxFunc([]string{running, last.Release}, onnxlib.CompareReleases)
	switch {
	case a.Env(shell.EnvORTLib) == onnxruntime.FetchedWord && !fetched:
		c.State = doctor.Warn
		c.Advice = fmt.Sprintf("no library was fetched: run `harness fetch %s`, or unset %s",
			onnxruntime.RuntimeName, shell.EnvORTLib)
	case err == nil && onnxlib.CompareReleases(installed.Release, newest) > 0:
		c.Advice = fmt.Sprintf("%s has %s: `harness fetch %s --from %s` takes it; docs/tuning.md has what a newer one brings",
			pythonName, installed.Release, onnxruntime.RuntimeName, pythonName)
	case onnxruntime.IsOlder(newest):
		c.Advice = fmt.Sprintf("%s is known: get it with `harness fetch %s`", onnxruntime.NewestRelease,
			onnxruntime.RuntimeName)
	}
	return c
}
