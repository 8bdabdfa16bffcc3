package submission

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/figure"
	officialtruncate "github.com/plumbline-ml/plumbline/internal/submission/official/truncate"
	"github.com/plumbline-ml/plumbline/internal/submission/truncate"
	"github.com/plumbline-ml/plumbline/sdk"
)

const truncateHelp = `Truncate the accuracy logs of a submission's tree, of scenarios and of audits. Each log of 10 KiB
or more keeps its first and last 4096 bytes. Its sha256 goes into the accuracy.txt in its folder, and the whole log is
moved to --keep DIR under that sha256. Score the logs and verify the audits first.

  harness submission truncate TREE --keep originals                          the whole tree
  harness submission truncate TREE --keep originals --submitter Lab          one submitter's logs
  harness submission truncate TREE --keep originals --verify                 also read all originals again
  harness submission truncate TREE --compatible --submitter Lab --backup DIR
                                                                   as the official tool does

After an interruption, repeat the command; it skips finished logs. A log that cannot be truncated does not stop the
others; the exit code is then 6.`

// truncateFlags contains the flags of submission truncate.
type truncateFlags struct {
	truncate.Options
	verify, compatible bool
	official           officialtruncate.Options
}

func (a *app) truncateCommand() *cobra.Command {
	f := &truncateFlags{}
	c := &cobra.Command{
		Use: "truncate TREE", Short: "Truncate accuracy logs, and store the whole ones elsewhere", Long: truncateHelp,
		Args: shell.RequireOneArgument("the folder with closed, network or open"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.checkFlags(c); err != nil {
				return sdk.Usage(err)
			}
			if f.compatible {
				return a.truncateOfficially(args[0], f)
			}
			return a.truncateTree(c.Context(), args[0], f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.StoreFolder, "keep", "", "keep the whole logs in `DIR`, outside the tree")
	flags.StringVar(&f.Submitter, "submitter", "", "only the logs of this `SUBMITTER`")
	flags.BoolVar(&f.verify, "verify", false, "read every original again, and compare its sha256")
	flags.BoolVar(&f.compatible, compatibleFlag, false, "do exactly what the official tool does")
	flags.StringVar(&f.official.Backup, "backup", "",
		"with --compatible: copy the whole logs to `DIR`, relative to the tree")
	flags.StringVar(&f.official.Output, "output", "",
		"with --compatible: leave the tree unchanged and make a new one in `DIR`")
	flags.StringSliceVar(&f.official.Skip, "scenarios-to-skip", nil, "with --compatible: skip these `SCENARIOS`")
	return c
}

// checkFlags rejects flags that conflict.
func (f *truncateFlags) checkFlags(c *cobra.Command) error {
	if f.compatible {
		switch given := shell.FirstChanged(c, "keep", "verify"); {
		case given != "":
			return fmt.Errorf("--%s does not go with --compatible: the official tool knows --backup or --output", given)
		case f.Submitter == "":
			return errors.New("--compatible needs --submitter NAME, as the official tool does")
		case f.official.Backup == "" && f.official.Output == "":
			return errors.New("--compatible needs --backup DIR or --output DIR, as the official tool does")
		}
		return nil
	}
	if given := shell.FirstChanged(c, "backup", "output", "scenarios-to-skip"); given != "" {
		return fmt.Errorf("--%s goes with --compatible only", given)
	}
	if f.StoreFolder == "" {
		return errors.New("--keep DIR is missing: the whole logs must be kept, in a folder outside the tree")
	}
	return nil
}

func (a *app) truncateTree(ctx context.Context, root string, f *truncateFlags) error {
	f.OnLog = a.printTruncated
	defer a.BeginTidying()()
	all, err := truncate.TruncateTree(ctx, root, f.Options)
	if ctx.Err() == nil && f.verify {
		err = errors.Join(err, a.checkOriginals(ctx, f.StoreFolder, all))
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return classifyTreeError(err)
	}
	return nil
}

func (a *app) printTruncated(out truncate.Outcome) {
	fmt.Fprintf(a.Stdout, "%s\n    %s, sha256 %s", out.Log, out.Action, out.Hash)
	if out.Original != "" {
		fmt.Fprintf(a.Stdout, "\n    %s in %s", figure.Bytes(out.Size), out.Original)
	}
	fmt.Fprintln(a.Stdout)
}

// checkOriginals verifies the original logs in the folder keep.
func (a *app) checkOriginals(ctx context.Context, keep string, all []truncate.Outcome) error {
	store, err := truncate.OpenStore(ctx, keep)
	if err != nil {
		return err
	}
	defer store.Close()
	var faults []error
	checked := map[string]bool{}
	for _, out := range all {
		if out.Original == "" || checked[out.Hash] {
			continue
		}
		checked[out.Hash] = true
		faults = append(faults, store.Check(ctx, out.Hash))
	}
	fmt.Fprintf(a.Stdout, "%s read again\n", figure.Plural(len(checked), "original"))
	return errors.Join(faults...)
}

// truncateOfficially behaves like the official tool and prints its output.
func (a *app) truncateOfficially(root string, f *truncateFlags) error {
	o := f.official
	o.Input, o.Submitter = root, f.Submitter
	lines, err := officialtruncate.TruncateTree(o)
	for _, l := range lines {
		fmt.Fprintln(a.Stderr, l)
	}
	switch {
	case errors.Is(err, officialtruncate.ErrOutputExists):
		fmt.Fprintln(a.Stdout, err)
	case err != nil:
		fmt.Fprintf(a.Stderr, "harness: %v: the official tool ends here with a traceback\n", err)
	}
	return shell.OfficialExitError(err != nil)
}
