package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/internal/fetch"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/exitcode"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/onnxruntime"
)

const fetchHelp = `Download and check a model's official files and data sets, as far as their licences allow.

harness fetch onnxruntime downloads the official build of ONNX Runtime for this machine. With --from it extracts the
library from a package (a Python wheel, a jar, a NuGet or npm package, or an archive of the project, as a file or an
address) or from the module of an installed interpreter (--from python3). Use it with --ort-lib fetched;
PLUMBLINE_ORT_LIB=fetched makes it the default. Checksums of downloads are not known in advance. Specify one with
--sha256; otherwise the first download pins it.

  harness fetch resnet50                          all files of the model
  harness fetch resnet50 --file resnet50_v1.onnx  one file
  harness fetch onnxruntime --from python3        the ONNX Runtime of an installed Python

Files are stored in the folder of PLUMBLINE_CACHE (default: plumbline in the user's cache directory). An interrupted
download resumes.`

// fetchItem is a file or a data set to fetch.
type fetchItem struct {
	name string // name in the manifest
	file fetch.File
}

// FetchCommand returns the command "harness fetch".
func FetchCommand(s *shell.App, f *shell.PluginFlags) *cobra.Command {
	a := &app{s}
	var offline bool
	var only []string
	build := onnxruntime.RuntimeBuild{OS: runtime.GOOS, Arch: runtime.GOARCH}
	c := &cobra.Command{
		Use: "fetch MODEL|onnxruntime", Short: "Download and check a model's official files and data sets, or ONNX Runtime",
		Long: fetchHelp,
		Args: shell.RequireOneArgument("a model's name, or onnxruntime"),
		RunE: func(c *cobra.Command, args []string) error {
			if args[0] == onnxruntime.RuntimeName {
				return a.fetchRuntime(c.Context(), build, offline)
			}
			if given := shell.FirstChanged(c, "variant", "release", "sha256", "from"); given != "" {
				return sdk.Usage(fmt.Errorf("--%s belongs to `harness fetch %s`", given, onnxruntime.RuntimeName))
			}
			catalog, err := a.Catalog(c, f)
			if err != nil {
				return err
			}
			served, err := catalog.Resolve(args[0])
			if err != nil {
				return err
			}
			return a.fetchAll(c.Context(), served.Model, only, offline)
		},
	}
	c.Flags().BoolVar(&offline, "offline", false, "download nothing; report what is missing and where to put it")
	c.Flags().StringArrayVar(&only, "file", nil, "fetch only `NAME` (repeatable; describe lists the names)")
	c.Flags().StringVar(&build.Variant, "variant", "", "for onnxruntime: `VARIANT` "+onnxruntime.Variants+
		" (default cpu; cuda is CUDA 12)")
	c.Flags().StringVar(&build.Release, "release", "", "for onnxruntime: `RELEASE` (default "+onnxruntime.NewestRelease+
		", the newest known)")
	c.Flags().StringVar(&build.SHA256, "sha256", "", "for onnxruntime: required `SHA256` of the archive")
	c.Flags().StringVar(&build.From, "from", "", "for onnxruntime: `SOURCE` is a package (file or URL), an "+
		"interpreter\nsuch as python3, or the URL of a mirror of the project's releases")
	return c
}

// fetchRuntime fetches a build of ONNX Runtime.
func (a *app) fetchRuntime(ctx context.Context, b onnxruntime.RuntimeBuild, offline bool) error {
	defer a.BeginTidying()()
	dir, err := shell.CacheDir(a.Env)
	if err != nil {
		return err
	}
	line := a.NewStatusLine()
	c, err := a.OpenCache(fetch.Options{
		Offline: offline, Limits: onnxruntime.ArchiveLimits(), Progress: func(p fetch.Progress) { line.Set(downloadText(p)) },
	})
	if err != nil {
		return err
	}
	got, err := onnxruntime.Fetch(ctx, c, dir, b)
	line.Clear()
	if err != nil {
		return explainUnwritable(err)
	}
	state := "unverified"
	switch {
	case got.Verified:
		state = "verified"
	case got.Pinned:
		fmt.Fprintf(a.Stderr, "no checksum is known for this archive: what came has sha256 %s, which is pinned from now on\n",
			got.SHA256)
	case got.SHA256 != "":
		fmt.Fprintf(a.Stderr, "no --sha256 was given for this package: it has %s\n", got.SHA256)
	default:
		fmt.Fprintln(a.Stderr, "no checksum is known for a library that was installed, or placed by hand")
	}
	fmt.Fprintf(a.Stdout, "%-10s  ONNX Runtime %s (%s)  %s\nuse it with --ort-lib %s, or always with %s=%s\n", state,
		got.Release, got.Variant, got.Path, onnxruntime.FetchedWord, shell.EnvORTLib, onnxruntime.FetchedWord)
	return nil
}

// fetchAll fetches all selected items. It continues after a failure.
func (a *app) fetchAll(ctx context.Context, m sdk.ModelInfo, only []string, offline bool) error {
	defer a.BeginTidying()()
	wants, err := chooseItems(m, only)
	if err != nil {
		return err
	}
	line := a.NewStatusLine()
	c, err := a.OpenCache(fetch.Options{Offline: offline, Progress: func(p fetch.Progress) { line.Set(downloadText(p)) }})
	if err != nil {
		return err
	}
	var faults []error
	for _, w := range wants {
		item, err := c.Get(ctx, w.file)
		line.Clear()
		if err != nil {
			faults = append(faults, explainUnwritable(err))
			continue
		}
		a.printFetched(w, item)
	}
	a.printManualSets(m)
	return errors.Join(faults...)
}

// explainUnwritable adds advice to an error of the cache's folder, which may be read-only.
func explainUnwritable(err error) error {
	var fault *fs.PathError
	if exitcode.Of(err) != exitcode.Internal || !errors.As(err, &fault) {
		return err
	}
	return sdk.Usage(fmt.Errorf("%w; set %s to a folder that can be written", err, shell.CacheVariable))
}

func (a *app) printFetched(w fetchItem, item fetch.CachedFile) {
	state := "verified"
	if warning := item.Warning(); warning != "" {
		state = "unverified"
		fmt.Fprintf(a.Stderr, "%s\n", warning)
	}
	fmt.Fprintf(a.Stdout, "%-10s  %s  %s\n", state, w.name, item.Path)
}

// printManualSets explains how to get the data sets without a known address.
func (a *app) printManualSets(m sdk.ModelInfo) {
	for _, d := range m.Datasets {
		if !d.Embedded && len(d.Archives) == 0 {
			fmt.Fprintf(a.Stdout, "%-10s  %s  %s\n", "by hand", d.Name, d.Note)
		}
	}
}

// chooseItems returns the items of the manifest, or those selected in only.
func chooseItems(m sdk.ModelInfo, only []string) ([]fetchItem, error) {
	all := manifestItems(m)
	if len(only) == 0 {
		return all, nil
	}
	var in []fetchItem
	var names []string
	for _, w := range all {
		names = append(names, w.name)
		if slices.Contains(only, w.name) {
			in = append(in, w)
		}
	}
	var faults []error
	for _, name := range only {
		if !slices.Contains(names, name) {
			faults = append(faults, sdk.Usage(fmt.Errorf("--file: %w", suggest.Unknown("file", name, names))))
		}
	}
	return in, errors.Join(faults...)
}

func manifestItems(m sdk.ModelInfo) []fetchItem {
	var all []fetchItem
	for _, f := range slices.Concat(m.Files, m.ScorerFiles) {
		if !f.Embedded && f.URL != "" {
			all = append(all, fetchItem{f.Name, shell.CachedModel(m, f)})
		}
	}
	for _, d := range m.Datasets {
		for _, f := range d.Archives {
			all = append(all, fetchItem{f.Name, shell.CachedArchive(d, f)})
		}
	}
	return all
}

// downloadText describes the progress of a download.
func downloadText(p fetch.Progress) string {
	text := fmt.Sprintf("%s   %s", p.Name, p.Phase)
	switch {
	case p.Err != nil:
		text += fmt.Sprintf("   after attempt %d: %v", p.Attempt, p.Err)
	case p.Total > 0:
		text += fmt.Sprintf("   %s of %s (%d %%)", figure.Bytes(p.Done), figure.Bytes(p.Total), 100*p.Done/p.Total)
	case p.Done > 0:
		text += "   " + figure.Bytes(p.Done)
	}
	return text
}
