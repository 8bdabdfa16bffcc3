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

// The flags with options of the backend.
const (
	backendOpt    = "--backend-opt"
	backendSecret = "--backend-secret"
)

// Build finds the model's plugin and makes the plan.
func (a *App) Build(c *cobra.Command, f *PluginFlags, r bench.Request) (*bench.Plan, error) {
	r, err := a.Complete(c.Context(), f, r)
	if err != nil {
		return nil, err
	}
	return bench.NewPlan(c.Context(), r)
}

// Complete adds to what flags say what the process knows.
func (a *App) Complete(ctx context.Context, f *PluginFlags, r bench.Request) (_ bench.Request, err error) {
	if err := a.useOfficialLoadGen(&r); err != nil {
		return r, err
	}
	catalog := r.Plugins.Catalog // of what was asked already
	r.Plugins, r.Model.Finder = a.PluginsOf(f), a.Files(ctx)
	r.Plugins.Catalog = catalog
	r.Plugins.Launch.Hide, r.Plugins.Launch.Note = a.Secrets.Hide, a.Note
	r.Model.Env, r.Model.Secrets, r.Load.KeepProcessors = a.Env, &a.Secrets, a.Env("GOMAXPROCS") != ""
	r.Output.Harness, r.Output.Command, r.Output.Now, r.Output.Machine = Version(), a.CommandLine(), a.Now, a.Root
	r.Model.Profiles, _ = a.Profiles() // without a folder of settings there are none
	switch {
	case r.Model.ORTLib == onnxruntime.Word:
		r.Model.ORTLib, err = a.fetchedRuntime("--ort-lib " + onnxruntime.Word)
	case r.Model.ORTLib == "" && (r.Model.Backend == "" || r.Model.Backend == "ort") && a.fetchedByDefault():
		_, err = a.fetchedRuntime(EnvORTLib + "=" + onnxruntime.Word) // which plugins have by their environment
	}
	return r, err
}

// Profiles is the folder of profiles.
func (a *App) Profiles() (string, error) {
	dir, err := configDir(a.Env)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "tuning"), nil
}

// Lookup finds an environment variable; one that is empty is not there.
func (a *App) Lookup(name string) (string, bool) {
	value := a.Env(name)
	return value, value != ""
}

// Note shows at once what a user should know of a plugin that works on.
func (a *App) Note(text string) {
	live.Clear(a.Console, a.ErrScreen.Is())
	fmt.Fprintln(a.Stderr, text)
	if a.Heard != nil {
		a.Heard(text)
	}
}

// LastRuntime is the ONNX Runtime that was fetched last; ok is false where none was.
func (a *App) LastRuntime() (l onnxruntime.Library, ok bool, err error) {
	dir, err := CacheDir(a.Env)
	if err != nil {
		return l, false, err
	}
	return onnxruntime.Last(dir)
}

// fetchedRuntime is the path of its library. asked is what asks for it.
func (a *App) fetchedRuntime(asked string) (string, error) {
	l, ok, err := a.LastRuntime()
	if err == nil && !ok {
		err = sdk.Data(fmt.Errorf("%s: no library was fetched; run `harness fetch %s`", asked, onnxruntime.Name))
	}
	return l.Path, err
}

// EnvORTLib names the library of ONNX Runtime that plugins load: its path, or onnxruntime.Word.
const EnvORTLib = "PLUMBLINE_ORT_LIB"

// fetchedByDefault says that runs use the library that was fetched, if no flag says otherwise.
func (a *App) fetchedByDefault() bool { return a.Env(EnvORTLib) == onnxruntime.Word }

// DefaultRuntime gives plugins the path of the fetched library where the environment names it by its word. Where there
// is none, Complete refuses a run that needs it, and all else works.
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

// CommandLine is the command line as the user wrote it, for the record: without secrets.
func (a *App) CommandLine() []string {
	return append([]string{"harness"}, secret.Args(a.Args, SecretFlags())...)
}

// SecretFlags are the flags whose values, NAME=VALUE, may hold secrets, with what begins their names as options of a
// backend.
func SecretFlags() map[string]string {
	return map[string]string{backendOpt: "", "--header": "header.", "--body": "body."}
}

// Files are those that were fetched. The cache is opened only when a plan asks for one.
func (a *App) Files(ctx context.Context) bench.Files { return lazyFiles{a, ctx} }

// lazyFiles opens the cache only when a plan asks for a file.
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
