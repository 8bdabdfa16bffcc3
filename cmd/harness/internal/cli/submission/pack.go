package submission

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/submission/curves"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/submission/check"
	"github.com/plumbline-ml/plumbline/internal/submission/pack"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"
)

const packHelp = `Pack a submission's tree into one tar.gz, and write its sha256 to FILE.sha256. The same tree gives the
same archive. The command reads it again and compares it before it appears under its name. It contains only closed,
network and open, or ORG for a submission to MLPerf Endpoints.

A tree that harness submission check rejects is not packed, unless --allow-rejected is given.
--unpack unpacks a tree, if the checksum is right and everything in the archive is safe.

  harness submission pack TREE --out lab.tar.gz
  harness submission pack --unpack lab.tar.gz --out NEW

The archive is not encrypted; docs/submission.md says how to.`

// packFlags contains the flags of submission pack.
type packFlags struct {
	out, rules, unpack, sum string
	allowRejected           bool
}

func (a *app) packCommand() *cobra.Command {
	f := &packFlags{}
	c := &cobra.Command{
		Use: "pack TREE", Short: "Pack a tree into an archive, or unpack it", Long: packHelp,
		Args: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("unpack") {
				return shell.RejectArguments(c, args)
			}
			return shell.RequireOneArgument("the folder with closed, network or open, or ORG/SUBMISSION_ID")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.checkFlags(c); err != nil {
				return sdk.Usage(err)
			}
			if f.unpack != "" {
				return a.unpackArchive(c.Context(), f)
			}
			if curves.IsEndpoints(args[0], f.rules) {
				p, err := curves.PackSubmission(c.Context(), a.App, args[0], f.out, f.allowRejected)
				return a.printPacked(p, f.out, err)
			}
			return a.packTree(c.Context(), args[0], f)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.out, "out", "", "`FILE` to write; with --unpack the folder to write")
	addRoundFlag(flags, &f.rules, "check by the rules of this `ROUND`", mlconf.ToMake)
	flags.BoolVar(&f.allowRejected, "allow-rejected", false, "pack a tree that the check rejects")
	flags.StringVar(&f.unpack, "unpack", "", "unpack the tree from this `FILE`")
	flags.StringVar(&f.sum, "sha256", "",
		"with --unpack: the `SUM` that the file must have (default: that of FILE.sha256)")
	return c
}

// checkFlags rejects flags that conflict.
func (f *packFlags) checkFlags(c *cobra.Command) error {
	unpack := c.Flags().Changed("unpack")
	switch given := shell.FirstChanged(c, "rules", "allow-rejected"); {
	case f.out == "":
		return errors.New("--out is missing: the new file, of --unpack the new folder")
	case unpack && given != "":
		return fmt.Errorf("--%s does not go with --unpack", given)
	case !unpack && f.sum != "":
		return errors.New("--sha256 goes with --unpack only")
	}
	return nil
}

func (a *app) packTree(ctx context.Context, root string, f *packFlags) error {
	if _, err := tree.LayoutFor(f.rules, mlconf.ToMake); err != nil {
		return sdk.Usage(err)
	}
	t, err := tree.Open(root, f.rules)
	if err != nil {
		return sdk.Usage(err)
	}
	defer t.Close()
	if err := a.checkBeforePacking(ctx, t, f.allowRejected); err != nil {
		return err
	}
	defer a.BeginTidying()()
	p, err := pack.WriteArchive(ctx, t, f.out)
	if err == nil && len(p.LeftOut) > 0 {
		fmt.Fprintf(a.Stderr, "left out, as it is in no division: %s\n", strings.Join(p.LeftOut, ", "))
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return a.printPacked(p, f.out, sdk.Data(err))
}

// printPacked prints what was packed and returns err.
func (a *app) printPacked(p pack.Packed, out string, err error) error {
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Stdout, "%s\n    %s, %s; read again and compared\n    sha256 %s, in %s\n", out,
		figure.Plural(p.Files, "file"), figure.Bytes(p.Bytes), p.SHA256, out+pack.SumEnding)
	return err
}

// checkBeforePacking requires a tree without rejected results, unless allowRejected is true.
func (a *app) checkBeforePacking(ctx context.Context, t *tree.Tree, allowRejected bool) error {
	report, err := check.Run(ctx, t, check.Options{})
	switch {
	case err != nil:
		return classifyTreeError(err)
	case report.Verdict != check.Rejected:
		return nil
	}
	found := fmt.Sprintf("the check finds %s", figure.Plural(report.Rejects, "reason")+" to reject this tree")
	if allowRejected {
		fmt.Fprintf(a.Stderr, "%s; it is packed all the same\n", found)
		return nil
	}
	fmt.Fprintf(a.Stderr, "%s: it is not packed. harness submission check %s lists them; --allow-rejected packs it "+
		"all the same\n", found, t.Root())
	return &exitcode.Outcome{Code: exitcode.Invalid}
}

func (a *app) unpackArchive(ctx context.Context, f *packFlags) error {
	defer a.BeginTidying()()
	sum, err := pack.Unpack(ctx, f.unpack, f.sum, f.out)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return sdk.Data(err)
	}
	_, err = fmt.Fprintf(a.Stdout, "%s\n    sha256 %s as expected; unpacked into %s\n", f.unpack, sum, f.out)
	return err
}
