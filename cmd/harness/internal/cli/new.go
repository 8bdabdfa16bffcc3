package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/exitcode"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/newmodule"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/suggest"
)

const newHelp = `Write a Go module to start from: it builds, passes its tests, and serves a plugin that harness run and harness verify know
what to do with. Replace its parts by yours, one at a time.

  harness new backend acme        a backend, with a small benchmark to run on it
  harness new benchmark flowers   a benchmark, with a small backend to run it on`

// newFlags are the flags of new.
type newFlags struct{ module, checkout string }

func (a *app) newCommand() *cobra.Command {
	f := &newFlags{}
	c := &cobra.Command{
		Use: "new backend|benchmark DIR", Short: "Write a Go module of your own to start from", Long: newHelp,
		RunE: func(_ *cobra.Command, args []string) error { return a.new(args, f) },
	}
	c.Flags().StringVar(&f.module, "module", "", "the module's `PATH` (default: example.com/ and the last part of DIR)")
	c.Flags().StringVar(&f.checkout, "checkout", "", "the checkout `DIR` of Plumbline that it is built against\n(default: the one that this harness lies in)")
	return c
}

func (a *app) new(args []string, f *newFlags) error {
	if len(args) != 2 {
		return exitcode.With(exitcode.Usage, fmt.Errorf("%d arguments %q, want what to write (%s) and a folder; see harness new --help",
			len(args), args, strings.Join(newmodule.Kinds(), " or ")))
	}
	spec := newmodule.Spec{Kind: newmodule.Kind(args[0]), Dir: args[1], Module: f.module, Checkout: f.checkout}
	if known := newmodule.Kinds(); args[0] != known[0] && args[0] != known[1] {
		return exitcode.With(exitcode.Usage, suggest.Unknown("kind of module", args[0], known))
	}
	if spec.Checkout == "" {
		spec.Checkout = checkoutAbove(a.Executable)
	}
	if spec.Checkout == "" {
		return exitcode.With(exitcode.Usage, errors.New("the harness does not lie in a checkout of Plumbline: name one with --checkout DIR"))
	}
	m, err := newmodule.Write(spec)
	if err != nil {
		return exitcode.With(exitcode.Usage, err)
	}
	for _, name := range m.Files {
		fmt.Fprintln(a.Stdout, filepath.Join(args[1], name))
	}
	_, err = fmt.Fprintf(a.Stdout, "\nIt works as it is; README.md says what to replace.\n\n  cd %s\n  go test ./...\n  go build -o bin/%s .\n  harness run %s --plugin-dir bin\n",
		args[1], host.BinaryPrefix+m.Plugin, m.Model)
	return err
}

// checkoutAbove is the nearest folder above path with a workspace that holds the sdk; empty where there is none.
func checkoutAbove(path string) string {
	for dir := filepath.Dir(path); path != ""; dir = filepath.Dir(dir) {
		_, workspace := os.Stat(filepath.Join(dir, "go.work"))
		_, sdk := os.Stat(filepath.Join(dir, "sdk", "go.mod"))
		if workspace == nil && sdk == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			break
		}
	}
	return ""
}
