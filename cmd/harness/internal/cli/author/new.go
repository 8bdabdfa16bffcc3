// Package author contains the commands for authors of plugins and backends: new and verify.
package author

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/runs"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/newmodule"
)

// app is one execution of a command in this package.
type app struct{ *shell.App }

const newHelp = `Write a module to start from. It builds, passes its tests, and serves a plugin for harness run and
harness verify. Replace its parts with yours, one at a time.

  harness new backend acme                       a backend in Go, with a small benchmark to run on it
  harness new benchmark flowers                  a benchmark in Go, with a small backend to run it on
  harness new benchmark flowers --model net.onnx --preprocess imagenet_pytorch
                                                 image classification by your model, on ONNX Runtime
  harness new backend acme --language python     a backend as a process, for every benchmark
  harness new backend acme --language cpp        the same in C++17, on gRPC
  harness new benchmark digits --language python a benchmark as a plugin
  harness new suite nightly.yaml                 a file with runs for harness run`

// newFlags contains the flags of new.
type newFlags struct {
	module, checkout, language string
	model                      newmodule.Classifier
}

// NewCommand returns the command "harness new".
func NewCommand(s *shell.App) *cobra.Command {
	a := &app{s}
	f := &newFlags{}
	c := &cobra.Command{
		Use: "new backend|benchmark DIR", Short: "Write a module to start from", Long: newHelp,
		RunE: func(_ *cobra.Command, args []string) error { return a.runNew(args, f) },
	}
	c.AddCommand(runs.NewSuiteCommand(a.App))
	c.Flags().StringVar(&f.language, "language", string(newmodule.Go),
		"`LANGUAGE` of the module: "+strings.Join(newmodule.Languages(), " or "))
	c.Flags().StringVar(&f.module, "module", "", "the Go module's `PATH` (default: example.com/ and the last part of DIR)")
	c.Flags().StringVar(&f.checkout, "checkout", "",
		"`DIR` of the Plumbline checkout to build against (default: the one that contains\n"+
			"this harness, or else the released modules of its version)")
	addModelFlags(c, &f.model)
	return c
}

// addModelFlags adds the flags of a benchmark module that is made for an existing model.
func addModelFlags(c *cobra.Command, m *newmodule.Classifier) {
	flags := c.Flags()
	flags.StringVar(&m.Path, "model", "",
		"start a benchmark from an ONNX `FILE` that classifies pictures. Names, types and shapes come from the file; use "+
			"the flags below for\nmissing information")
	flags.StringVar(&m.Preprocess, "preprocess", "",
		"with --model: preprocessing of pictures: `RECIPE` "+strings.Join(newmodule.Preprocessings(), ", "))
	flags.StringVar(&m.Out, "output", "", "with --model: `NAME` of the output with the answer, if there are several")
	flags.IntVar(&m.Pixels, "size", 0,
		"with --model: height and width of pictures, `N` pixels, if the file does not fix them")
	flags.StringVar(&m.Offset, "offset", "",
		"with --model: the model's `NUMBER` for class 0: 1 if its first class is\nthe background, otherwise 0 (default 0)")
	flags.StringVar(&m.Precision, "precision", "",
		"with --model: description of the weights' precision in `WORDS` (default fp32)")
}

func (a *app) runNew(args []string, f *newFlags) error {
	m, err := a.writeModule(args, f)
	if err != nil {
		return sdk.Usage(err)
	}
	for _, name := range m.Files {
		fmt.Fprintln(a.Stdout, filepath.Join(args[1], name))
	}
	_, err = fmt.Fprintf(a.Stdout, "\nIt works as it is; README.md says what to replace.\n\n  cd %s\n  %s\n", args[1],
		strings.Join(m.Commands, "\n  "))
	return err
}

// writeModule writes the module that the arguments describe.
func (a *app) writeModule(args []string, f *newFlags) (m newmodule.WrittenModule, err error) {
	if len(args) != 2 {
		return m, fmt.Errorf("%d arguments %q, want what to write (%s) and a folder; see harness new --help",
			len(args), args, strings.Join(newmodule.Kinds(), " or "))
	}
	if known := newmodule.Kinds(); args[0] != known[0] && args[0] != known[1] {
		return m, suggest.Unknown("kind of module", args[0], known)
	}
	spec := newmodule.ModuleSpec{
		Kind: newmodule.ModuleKind(args[0]), Language: newmodule.Language(f.language), Dir: args[1], Module: f.module,
		ProjectSource: newmodule.FindSource(a.Executable, shell.Version().Version),
	}
	if f.checkout != "" {
		spec.ProjectSource = newmodule.CheckoutSource(f.checkout)
	}
	switch {
	case f.model.Path != "":
		spec.Classifier = &f.model
	case f.model != (newmodule.Classifier{}):
		return m, errors.New("--preprocess, --output, --size, --offset and --precision belong to --model FILE")
	}
	return newmodule.Write(spec)
}
