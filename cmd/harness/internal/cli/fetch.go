package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/fetch"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cache"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/exitcode"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/figure"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/live"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/suggest"
)

const fetchHelp = `Download a model's official files and data sets, as far as their licences allow, and check them.

They are kept in the folder of PLUMBLINE_CACHE (default: plumbline in the user's cache directory). A download that was cut
goes on where it ended. With --offline nothing is downloaded: what is missing is named, with the place to put it.`

// want is one thing to fetch.
type want struct {
	name string // as in the manifest
	file fetch.File
}

func (a *app) fetchCommand(f *pluginFlags) *cobra.Command {
	var offline bool
	var only []string
	c := &cobra.Command{
		Use: "fetch MODEL", Short: "Download and check a model's official files and data sets", Long: fetchHelp, Args: oneArgument("a model's name"),
		RunE: func(c *cobra.Command, args []string) error {
			catalog, err := a.catalog(c, f)
			if err != nil {
				return err
			}
			served, err := catalog.Resolve(args[0])
			if err != nil {
				return err
			}
			return a.fetch(c.Context(), served.Model, only, offline)
		},
	}
	c.Flags().BoolVar(&offline, "offline", false, "download nothing; say what is missing and where to put it")
	c.Flags().StringArrayVar(&only, "file", nil, "fetch only `NAME` (repeatable; describe lists the names)")
	return c
}

// fetch gets everything that is wanted; what fails does not keep the rest from coming.
func (a *app) fetch(ctx context.Context, m sdk.ModelInfo, only []string, offline bool) error {
	wants, err := chosen(m, only)
	if err != nil {
		return err
	}
	line := live.NewStatus(a.console, a.Terminal, a.Width)
	c, err := a.openCache(fetch.Options{Offline: offline, Progress: func(p fetch.Progress) { line.Set(downloadText(p)) }})
	if err != nil {
		return err
	}
	var faults []error
	for _, w := range wants {
		item, err := c.Get(ctx, w.file)
		line.Clear()
		if err != nil {
			faults = append(faults, err)
			continue
		}
		a.fetched(w, item)
	}
	a.byHand(m)
	return errors.Join(faults...)
}

func (a *app) fetched(w want, item fetch.Item) {
	state := "verified"
	if warning := item.Warning(); warning != "" {
		state = "unverified"
		fmt.Fprintf(a.Stderr, "%s\n", warning)
	}
	fmt.Fprintf(a.Stdout, "%-10s  %s  %s\n", state, w.name, item.Path)
}

// byHand says how to get the data sets that no address is known for.
func (a *app) byHand(m sdk.ModelInfo) {
	for _, d := range m.Datasets {
		if !d.Embedded && len(d.Archives) == 0 {
			fmt.Fprintf(a.Stdout, "%-10s  %s  %s\n", "by hand", d.Name, d.Note)
		}
	}
}

// chosen lists what the manifest offers, or the part of it that was asked for.
func chosen(m sdk.ModelInfo, only []string) ([]want, error) {
	all := wants(m)
	if len(only) == 0 {
		return all, nil
	}
	var in []want
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
			faults = append(faults, exitcode.With(exitcode.Usage, fmt.Errorf("--file: %w", suggest.Unknown("file", name, names))))
		}
	}
	return in, errors.Join(faults...)
}

func wants(m sdk.ModelInfo) []want {
	var all []want
	for _, f := range m.Files {
		if !f.Embedded && f.URL != "" {
			all = append(all, want{f.Name, cache.ModelFile(m, f)})
		}
	}
	for _, d := range m.Datasets {
		for _, f := range d.Archives {
			all = append(all, want{f.Name, cache.Archive(d, f)})
		}
	}
	return all
}

// downloadText words a moment of a download.
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
