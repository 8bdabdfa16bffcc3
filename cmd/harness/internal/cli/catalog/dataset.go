package catalog

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/sdk"
)

const datasetHelp = `List, verify, export and convert data sets. The benchmark's plugin does the work; harness describe
lists the possible operations of a model.

  harness dataset list resnet50
  harness dataset verify resnet50 imagenet/`

const convertHelp = `Convert a data set into another form. harness describe lists the conversions of each model.

  harness dataset convert whisper repack LibriSpeech/ whisper-data/

OUT must not exist; it appears when it is complete. An interrupted conversion leaves nothing. After a killed conversion,
delete the folder OUT.*.tmp.`

const datasetVerifyHelp = `Read every sample of a data set like a run does, count its files, compare known checksums,
and report missing files and how to get them.

  harness dataset verify resnet50 imagenet/

Fewer samples than in the official set are a fault too, unless --param count=N allows them.`

const datasetExportHelp = `Write a plugin's own data set in the official layout, to a new folder.

  harness dataset export resnet50 pictures/
  harness dataset export resnet50 pictures/ --param set=calibration --param n=100`

// DatasetCommand returns the command "harness dataset".
func DatasetCommand(s *shell.App, f *shell.PluginFlags) *cobra.Command {
	a := &app{s}
	c := &cobra.Command{
		Use: "dataset", Short: "List, verify, export and convert data sets", Long: datasetHelp,
		Args: func(c *cobra.Command, args []string) error { return shell.RejectUnknownCommand(c, args) },
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.datasetListCommand(f))
	for _, w := range datasetActions {
		c.AddCommand(a.actionCommand(f, w))
	}
	for _, below := range c.Commands() {
		below.PreRunE = func(*cobra.Command, []string) error { return a.RestrictPlugins(f) }
	}
	return c
}

// datasetAction is an action on a data set.
type datasetAction struct {
	action, args, short, long string
	arguments                 cobra.PositionalArgs
	params                    string
	setArguments              func(w *bench.DatasetWork, args []string) // args are the arguments after the model
}

var datasetActions = []datasetAction{
	{sdk.Verify, "MODEL DATASET", "Read every sample of a data set and report missing files", datasetVerifyHelp,
		twoArguments("a model's name and the path of a data set"),
		"count=N, or an option of the benchmark as for run: `KEY=VALUE`\n(repeatable)",
		func(w *bench.DatasetWork, args []string) { w.Input = args[0] }},
	{sdk.Export, "MODEL OUT", "Write a plugin's own data set in the official layout", datasetExportHelp,
		twoArguments("a model's name and the folder to write"), "set=NAME, first=I, n=N: `KEY=VALUE` (repeatable)",
		func(w *bench.DatasetWork, args []string) { w.Output = args[0] }},
	{sdk.Convert, "MODEL CONVERSION IN OUT", "Convert a data set into another form", convertHelp, convertArguments,
		"an option of the conversion: `KEY=VALUE` (repeatable)",
		func(w *bench.DatasetWork, args []string) { w.Name, w.Input, w.Output = args[0], args[1], args[2] }},
}

func (a *app) actionCommand(f *shell.PluginFlags, of datasetAction) *cobra.Command {
	w := bench.DatasetWork{Action: of.action, Running: a.SetKill}
	c := &cobra.Command{
		Use: of.action + " " + of.args, Short: of.short, Long: of.long, Args: of.arguments,
		RunE: func(c *cobra.Command, args []string) error {
			w.Plugins, w.Model = a.PluginSettings(f), args[0]
			of.setArguments(&w, args[1:])
			return a.workOnDataset(c, w)
		},
	}
	c.Flags().StringArrayVar(&w.Params, "param", nil, of.params)
	return c
}

func twoArguments(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 2 {
			return fmt.Errorf("%s: want %s; see %s --help", shell.CommandName(c), what, c.CommandPath())
		}
		return nil
	}
}

func convertArguments(c *cobra.Command, args []string) error {
	if len(args) == 4 {
		return nil
	}
	return fmt.Errorf("%s: %q are %d arguments, want 4: MODEL CONVERSION IN OUT; see %s --help", shell.CommandName(c),
		args,
		len(args), c.CommandPath())
}

// workOnDataset performs an action and prints its progress and its result.
func (a *app) workOnDataset(c *cobra.Command, w bench.DatasetWork) error {
	w.Progress = func(line string) { fmt.Fprintln(a.Stderr, line) }
	defer a.BeginTidying()()
	done, err := bench.WorkOnDataset(c.Context(), w)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(a.Stdout, strings.TrimRight(done, "\n"))
	return err
}
