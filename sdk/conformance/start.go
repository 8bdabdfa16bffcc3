package conformance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"reflect"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

func checkHandshake(ctx context.Context, v *pluginVisit) (string, error) {
	p, err := v.launchPlugin(ctx)
	if err != nil {
		return "", err
	}
	if _, err := p.Describe(ctx); err != nil {
		return "", err
	}
	return "it answers", nil
}

func checkStartByHand(ctx context.Context, v *pluginVisit) (string, error) {
	cmd := exec.CommandContext(ctx, v.subject.Binary)
	cmd.Env = append(cmd.Environ(), v.subject.Env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		//nolint:errorlint // it may be nil
		return "", fmt.Errorf("without a harness it ends with %v, want an exit status that is not 0", err)
	}
	if len(strings.TrimSpace(string(out))) == 0 {
		return "", errors.New("it does not say what it is for: print a line that names the harness")
	}
	return fmt.Sprintf("exit status %d", exit.ExitCode()), nil
}

func checkDescription(ctx context.Context, v *pluginVisit) (string, error) {
	p, err := v.launchPlugin(ctx)
	if err != nil {
		return "", err
	}
	d, err := p.Describe(ctx)
	if err != nil {
		return "", err
	}
	inspected, err := host.Inspect(ctx, v.subject.Binary)
	if err != nil {
		return "", err
	}
	faults := descriptionFaults(d)
	if !reflect.DeepEqual(inspected, d) {
		faults = append(faults, errors.New("the argument describe and the wire describe different plugins"))
	}
	return fmt.Sprintf("%s %s, %d models, backends %s", d.Name, d.Version, len(d.Models),
		strings.Join(d.Backends, ", ")), errors.Join(faults...)
}

// descriptionFaults returns the faults of a description.
func descriptionFaults(d sdk.Description) (faults []error) {
	if d.Name == "" || d.Version == "" || d.Summary == "" {
		faults = append(faults, fmt.Errorf("name %q, version %q, summary %q: none may be empty", d.Name, d.Version,
			d.Summary))
	}
	if len(d.Models) == 0 || len(d.Backends) == 0 {
		faults = append(faults, fmt.Errorf("%d models and %d backends, want at least one of each", len(d.Models),
			len(d.Backends)))
	}
	names := map[string]bool{}
	for _, m := range d.Models {
		if m.Name == "" || names[m.Name] {
			faults = append(faults, fmt.Errorf("model name %q is empty or occurs twice", m.Name))
		}
		names[m.Name] = true
		faults = append(faults, modelFaults(m)...)
	}
	return faults
}

func modelFaults(m sdk.ModelInfo) (faults []error) {
	if len(m.Scenarios) == 0 || len(m.Files) == 0 || len(m.Datasets) == 0 || len(m.Metrics) == 0 {
		faults = append(faults, fmt.Errorf("model %s has %d scenarios, %d files, %d data sets, %d metrics: want at least "+
			"one of each",
			m.Name, len(m.Scenarios), len(m.Files), len(m.Datasets), len(m.Metrics)))
	}
	for _, f := range m.Files {
		if f.Embedded && f.URL != "" {
			faults = append(faults, fmt.Errorf("model %s, file %s: it is embedded and has the URL %q: want one of the two",
				m.Name, f.Name, f.URL))
		}
	}
	faults = append(faults, actionFaults(m)...)
	for _, x := range m.Metrics {
		if x.Name == "" || x.Upper != 0 && x.Upper < x.Target {
			faults = append(faults, fmt.Errorf("model %s, metric %q: target %v to %v", m.Name, x.Name, x.Target, x.Upper))
		}
	}
	return faults
}

// checkReality opens the subject's model with its own data set, and compares the workload with the description.
func checkReality(ctx context.Context, v *pluginVisit) (string, error) {
	p, m, err := v.startPlugin(ctx)
	if err != nil {
		return "", err
	}
	var found string
	for _, s := range m.Scenarios {
		o := v.subject.Open
		o.Scenario, o.Count = s, v.wholeCount
		w, err := p.Open(ctx, o)
		if err != nil {
			v.shared.abortReason = "it cannot be opened: see reality"
			return "", fmt.Errorf("open for %v: %w", s, err)
		}
		info := w.Info()
		if err := errors.Join(infoFaults(info, m, o), w.Close()); err != nil {
			return "", fmt.Errorf("%v: %w", s, err)
		}
		found = fmt.Sprintf("%d samples of %s, %d in memory, backend %s", info.DatasetSize, info.Dataset,
			info.PerformanceSampleCount, info.Backend)
	}
	return found, nil
}

func infoFaults(info sdk.WorkloadInfo, m sdk.ModelInfo, o sdk.Options) error {
	if info.DatasetSize <= 0 || info.PerformanceSampleCount <= 0 || info.PerformanceSampleCount > info.DatasetSize ||
		info.Batch <= 0 || info.Sessions <= 0 {
		return fmt.Errorf("what was opened makes no sense: %d samples, %d in memory, batches of %d, %d sessions",
			info.DatasetSize, info.PerformanceSampleCount, info.Batch, info.Sessions)
	}
	if !strings.EqualFold(info.Model, m.Name) {
		return fmt.Errorf("the model %q was opened, want %q", info.Model, m.Name)
	}
	for _, d := range m.DatasetsFor(o.Use, true) {
		if o.Dataset == "" && o.Count == 0 && info.DatasetSize != d.Samples {
			return fmt.Errorf("the data set has %d samples, the description says %d", info.DatasetSize, d.Samples)
		}
	}
	return checksumFault(info, m)
}

// checksumFault requires that the opened embedded file is the described one. A backend with its own model reports no
// checksum.
func checksumFault(info sdk.WorkloadInfo, m sdk.ModelInfo) error {
	opened := info.Parts
	if len(opened) == 0 {
		opened = []sdk.PartReport{{File: info.ModelFile, Embedded: info.Embedded, SHA256: info.ModelSHA256}}
	}
	for _, f := range m.Files {
		for _, p := range opened {
			if !p.Embedded || !f.Embedded || f.Name != p.File || f.Part != p.Name || f.SHA256 == "" || p.SHA256 == "" {
				continue
			}
			if !strings.EqualFold(f.SHA256, p.SHA256) {
				return fmt.Errorf("model file %s was opened with the sha256 %q, the description says %q", f.Name, p.SHA256,
					f.SHA256)
			}
		}
	}
	return nil
}

// checkRefusals requests things that do not exist.
func checkRefusals(ctx context.Context, v *pluginVisit) (string, error) {
	p, m, err := v.startPlugin(ctx)
	if err != nil {
		return "", err
	}
	var faults []error
	for _, c := range []struct {
		name  string
		spoil func(o *sdk.Options)
	}{
		{"model", func(o *sdk.Options) { o.Model = "no such model" }},
		{"backend", func(o *sdk.Options) { o.Backend = "no such backend" }},
		{"backend option", func(o *sdk.Options) { o.BackendOptions = withOption(o.BackendOptions, "no such option") }},
	} {
		o := v.subject.Open
		o.Scenario = mainScenario(m)
		c.spoil(&o)
		w, err := p.Open(ctx, o)
		if err == nil {
			_ = w.Close()
		}
		if !errors.Is(err, sdk.ErrUsage) {
			faults = append(faults, fmt.Errorf("unknown %s: error %v, want one of class sdk.ErrUsage (over the wire: "+
				"INVALID_ARGUMENT)", c.name, err))
		}
	}
	faults = append(faults, v.datasetRefusals(ctx, p, m)...)
	found := "model, backend, backend option"
	if len(m.DatasetActions) > 0 {
		found += ", work on data sets"
	}
	return found, errors.Join(faults...)
}

func withOption(options map[string]string, name string) map[string]string {
	o := map[string]string{name: "1"}
	maps.Copy(o, options)
	return o
}
