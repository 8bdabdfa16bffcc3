package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/discover"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/plugin"
)

// CheckPlugins checks the folders of plugins, each plugin, and each of its backends with its default model.
func CheckPlugins(ctx context.Context, l plugin.Launcher, c *discover.Catalog, o host.LaunchOptions) Section {
	s := Section{Title: "plugins"}
	for _, dir := range c.Dirs {
		s.Checks = append(s.Checks, checkFolder(dir))
	}
	if len(c.Entries) == 0 {
		s.Checks = append(s.Checks, Check{Name: "plugins", State: Fail, Found: "none found",
			Advice: strings.ReplaceAll(discover.HowToGet, "\n", " "),
			Code:   exitcode.Usage})
	}
	for _, e := range c.Entries {
		answer := checkDescription(ctx, e)
		at := len(s.Checks)
		s.Checks = append(s.Checks, answer)
		var unopened []string // backends that require an address or a command from the user
		for _, b := range e.Description.Backends {
			check, ok := checkBackend(ctx, l, e, b, o)
			if !ok {
				unopened = append(unopened, b)
				continue
			}
			s.Checks = append(s.Checks, check)
		}
		if len(unopened) > 0 {
			s.Checks[at].Found += "; needs options to be tried on " + strings.Join(unopened, ", ")
		}
	}
	return Section{s.Title, append(s.Checks, checkDuplicates(c)...)}
}

func checkFolder(d discover.Dir) Check {
	c := Check{Name: "directory", State: OK, Found: fmt.Sprintf("%s (%s)", d.Path, d.Source)}
	if info, err := os.Stat(d.Path); err != nil || !info.IsDir() {
		c.Found += ": not there"
		if d.Source != discover.Beside {
			c.State, c.Advice = Warn, "correct the path"
		}
	}
	return c
}

// checkDescription checks that the plugin described itself.
func checkDescription(ctx context.Context, e discover.Entry) Check {
	if e.Err != nil {
		return failedCheck(ctx, e.Name, e.Err)
	}
	models := make([]string, len(e.Description.Models))
	for i, m := range e.Description.Models {
		models[i] = m.Name
	}
	sum, _, err := checksum.File(e.Path)
	if err != nil {
		return failedCheck(ctx, e.Name, err)
	}
	return Check{Name: e.Name, State: OK, Found: fmt.Sprintf("%s serves %s; protocol agreed; sha256 %.12s",
		strings.TrimSpace(e.Description.Version+" "), strings.Join(models, ", "), sum)}
}

// failedCheck returns the check for err. If ctx has ended, the check is Off.
func failedCheck(ctx context.Context, name string, err error) Check {
	if ctx.Err() != nil {
		return Check{Name: name, State: Off, Found: "called off"}
	}
	c := Check{Name: name, State: Fail, Found: err.Error(), Code: exitcode.Of(err)}
	var f *host.PluginError
	if errors.As(err, &f) {
		c.Found, c.Advice = f.Found, f.Hint
		for _, line := range f.Stderr {
			c.Found += " | " + line
		}
	}
	return c
}

// checkBackend loads the plugin's default model on a backend, because the backend reports its library only then. ok is
// false if the backend requires options.
func checkBackend(ctx context.Context, l plugin.Launcher, e discover.Entry, backend string,
	o host.LaunchOptions) (c Check, ok bool) {
	name := e.Name + " on " + backend
	if len(e.Description.Models) == 0 {
		return Check{Name: name, State: Warn, Found: "the plugin serves no model"}, true
	}
	p, err := l.Launch(ctx, e.Path, o)
	if err != nil {
		return failedCheck(ctx, name, err), true
	}
	defer p.Close()
	info, err := openWorkload(ctx, p, e.Description.Models[0].Name, backend)
	if errors.Is(err, sdk.ErrUsage) {
		return Check{}, false
	}
	if err != nil {
		return failedCheck(ctx, name, err), true
	}
	return Check{
		Name: name, State: OK, Found: describeBackend(info) + deviceText(ctx, p, backend),
		Version: info.BackendInfo["version"],
	}, true
}

func openWorkload(ctx context.Context, p plugin.Plugin, model, backend string) (sdk.WorkloadInfo, error) {
	w, err := p.Open(ctx, sdk.Options{Model: model, Backend: backend, Scenario: loadgen.Offline})
	if err != nil {
		return sdk.WorkloadInfo{}, err
	}
	defer func() { _ = w.Close() }() // the probe's result does not depend on it
	return w.Info(), nil
}

// deviceText returns text with the devices that --device can name, or "" if the backend has no choice.
func deviceText(ctx context.Context, p plugin.Plugin, backend string) string {
	infos, err := p.Backends(ctx)
	if err != nil {
		return ""
	}
	for _, b := range infos {
		if b.Name == backend && len(b.Devices) > 0 {
			return "; --device can name " + strings.Join(b.Devices, ", ")
		}
	}
	return ""
}

// describeBackend lists what the backend reports about itself, sorted by key.
func describeBackend(i sdk.WorkloadInfo) string {
	parts := []string{"opens " + i.Model}
	for _, key := range slices.Sorted(maps.Keys(i.BackendInfo)) {
		parts = append(parts, key+" "+i.BackendInfo[key])
	}
	return strings.Join(parts, "; ")
}

// checkDuplicates warns about models that several plugins serve.
func checkDuplicates(c *discover.Catalog) []Check {
	servers := map[string][]string{}
	for _, e := range c.Entries {
		for _, m := range e.Description.Models {
			servers[m.Name] = append(servers[m.Name], e.Name)
		}
	}
	var checks []Check
	for _, model := range slices.Sorted(maps.Keys(servers)) {
		if plugins := servers[model]; len(plugins) > 1 {
			checks = append(checks, Check{Name: model, State: Warn, Found: "served by " + strings.Join(plugins, ", "),
				Advice: "runs of it need --plugin NAME"})
		}
	}
	return checks
}
