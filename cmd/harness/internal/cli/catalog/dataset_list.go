package catalog

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/sdk"
)

func (a *app) datasetListCommand(f *shell.PluginFlags) *cobra.Command {
	return &cobra.Command{
		Use:   "list [MODEL]",
		Short: "List data sets with their contents, sources and operations",
		Example: `  harness dataset list
  harness dataset list resnet50      data sets of one model`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("%s: %q are %d arguments, want one model's name or none", shell.CommandName(c), args, len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.listDatasets(c, f, args) },
	}
}

// listDatasets lists the data sets of one model or of all models.
func (a *app) listDatasets(c *cobra.Command, f *shell.PluginFlags, args []string) error {
	catalog, err := a.Catalog(c, f)
	if err != nil {
		return err
	}
	if len(args) == 1 {
		served, err := catalog.Resolve(args[0])
		if err != nil {
			return err
		}
		return a.writeDatasets(served.Model)
	}
	if len(catalog.Entries) == 0 {
		return catalog.None()
	}
	for _, e := range catalog.Entries {
		for _, m := range e.Description.Models {
			if err := a.writeDatasets(m); err != nil {
				return err
			}
		}
	}
	return a.ReportBroken(catalog)
}

func (a *app) writeDatasets(m sdk.ModelInfo) error {
	terminal.WriterTo(a.Stdout).Print(terminal.Span{Style: terminal.Heading, Text: m.Name}, "\n")
	for _, t := range []table.Table{datasetTable(m.Datasets), actionTable(m)} {
		if _, err := t.WriteTo(a.Stdout); err != nil {
			return err
		}
	}
	return nil
}
