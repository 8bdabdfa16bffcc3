package shell

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/internal/fetch"
	"github.com/plumbline-ml/plumbline/internal/secret"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/live"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/onnxruntime"
)

// The flags for options of the backend.
const (
	backendOpt    = "--backend-opt"
	backendSecret = "--backend-secret"
)

// NewPlan finds the model's plugin and returns the plan.
func (a *App) NewPlan(c *cobra.Command, f *PluginFlags, r bench.Request) (*bench.Plan, error) {
	r, err := a.CompleteRequest(c.Context(), f, r)
	if err != nil {
		return nil, err
	}
	return bench.NewPlan(c.Context(), r)
}

// CompleteRequest adds the process's facts to a request from flags.
func (a *App) CompleteRequest(ctx context.Context, f *PluginFlags, r bench.Request) (_ bench.Request, err error) {
	if err := a.useOfficialLoadGen(&r); err != nil {
		return r, err
	}
	catalog := r.Plugins.Catalog // the catalog that was read already
	r.Plugins, r.Model.Finder = a.PluginSettings(f), a.FetchedFiles(ctx)
	r.Plugins.Catalog = catalog
	r.Plugins.Launch.Hide, r.Plugins.Launch.Note = a.Secrets.Hide, a.PrintNote
	r.Model.Env, r.Model.Secrets, r.Load.KeepProcessors = a.Env, &a.Secrets, a.Env("GOMAXPROCS") != ""
	r.Output.Harness, r.Output.Command, r.Output.Now, r.Output.Machine = Version(), a.CommandLine(), a.Now, a.Root
	r.Model.Profiles, _ = a.Profiles() // without a settings folder there are no profiles
	switch {
	case r.Model.ORTLib == onnxruntime.FetchedWord:
		r.Model.ORTLib, err = a.fetchedRuntime("--ort-lib " + onnxruntime.FetchedWord)
	case r.Model.ORTLib == "" && (r.Model.Backend == "" || r.Model.Backend == "ort") && a.fetchedByDefault():
		// the plugins get the path through their environment
		_, err = a.fetchedRuntime(EnvORTLib + "=" + onnxruntime.FetchedWord)
	}
	return r, err
}

// Profiles returns the folder of profiles.
func (a *App) Profiles() (string, error) {
	dir, err := configDir(a.Env)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "tuning"), nil
}

// LookupVariable returns an environment variable. It treats an empty variable as missing.
func (a *App) LookupVariable(name string) (string, bool) {
	value := a.Env(name)
	return value, value != ""
}

// PrintNote prints a note from a plugin at once.
func (a *App) PrintNote(text string) {
	live.ClearLine(a.Console, a.ErrScreen.IsTerminal())
	fmt.Fprintln(a.Stderr, text)
	if a.NoteHook != nil {
		a.NoteHook(text)
	}
}

// LastRuntime returns the ONNX Runtime that was fetched last. ok is false if none was.
func (a *App) LastRuntime() (l onnxruntime.Library, ok bool, err error) {
	dir, err := CacheDir(a.Env)
	if err != nil {
		return l, false, err
	}
	return onnxruntime.LastFetched(dir)
}

// fetchedRuntime returns the path of the fetched ONNX Runtime library. asked names the option that requires it, for
// errors.
func (a *App) fetchedRuntime(asked string) (string, error) {
	l, ok, err := a.LastRuntime()
	if err == nil && !ok {
		err = sdk.Data(fmt.Errorf("%s: no library was fetched; run `harness fetch %s`", asked, onnxruntime.RuntimeName))
	}
	return l.Path, err
}

// EnvORTLib is the environment variable for the ONNX Runtime library of plugins: its path, or onnxruntime.Word.
const EnvORTLib = "PLUMBLINE_ORT_LIB"

// fetchedByDefault reports whether runs use the fetched library unless a flag selects another.
func (a *App) fetchedByDefault() bool { return a.Env(EnvORTLib) == onnxruntime.FetchedWord }

// DefaultRuntime sets the path of the fetched library for plugins if the environment contains onnxruntime.Word. If none
// was fetched, CompleteRequest rejects the runs that need it.
func (a *App) DefaultRuntime(f *PluginFlags) {
	if !a.fetchedByDefault() {
		return
	}
	if l, ok, err := a.LastRuntime(); ok && err == nil {
		f.Asked.Plugins.Launch.Env = append(f.Asked.Plugins.Launch.Env, EnvORTLib+"="+l.Path)
	}
}

// OpenCache opens the folder of downloads.
func (a *App) OpenCache(o fetch.Options) (*fetch.Cache, error) {
	dir, err := CacheDir(a.Env)
	if err != nil {
		return nil, err
	}
	o.Proxy = a.Proxy
	return fetch.Open(dir, o)
}

// CommandLine returns the user's command line without secrets, for the record.
func (a *App) CommandLine() []string {
	return append([]string{"harness"}, secret.HideArgs(a.Args, SecretFlags())...)
}

// SecretFlags returns the flags whose values, NAME=VALUE, may contain secrets, with the prefix of their names as
// backend options.
func SecretFlags() map[string]string {
	return map[string]string{backendOpt: "", "--header": "header.", "--body": "body."}
}

// FetchedFiles returns the fetched files. It opens the cache when a plan first needs a file.
func (a *App) FetchedFiles(ctx context.Context) bench.Files { return lazyFiles{a, ctx} }

// lazyFiles opens the cache when a plan first needs a file.
type lazyFiles struct {
	*App
	ctx context.Context
}

// Locate implements bench.Files.
func (l lazyFiles) Locate(m sdk.ModelInfo, f sdk.ModelFile) (string, error) {
	c, err := l.OpenCache(fetch.Options{Offline: true})
	if err != nil {
		return "", err
	}
	return CachedFiles{Context: l.ctx, Cache: c}.Locate(m, f)
}
