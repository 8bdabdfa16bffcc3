package catalog_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
	"github.com/plumbline-ml/plumbline/sdk"
)

// converting is a shell whose plugin converts.
func converting(t *testing.T, work func(ctx context.Context, r sdk.DatasetRequest) error) *clitest.Shell {
	t.Helper()
	f := plugintest.Classifier()
	f.Description.Models[0].DatasetActions = []sdk.DatasetAction{{
		Action: sdk.Convert, Name: "shrink", Summary: "smaller pictures", Input: "a folder of pictures",
		Output: "smaller ones", Params: []sdk.ParamInfo{{Name: "width", Default: "32", Help: "of each picture"}},
	}}
	f.DatasetWork = func(ctx context.Context, r sdk.DatasetRequest, progress func(string)) (string, error) {
		progress("1 of 1 pictures")
		return "1 picture of width " + r.Params["width"], work(ctx, r)
	}
	return clitest.NewWith(t, map[string]*plugintest.Fake{"resnet50": f})
}

// picture writes one into the output.
func picture(_ context.Context, r sdk.DatasetRequest) error {
	return os.WriteFile(filepath.Join(r.Output, "picture"), []byte(r.Input), 0o644)
}

// held lists what is in the shell's folder.
func held(s *clitest.Shell) []string {
	s.T.Helper()
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		s.T.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestConvert(t *testing.T) {
	s := converting(t, picture)
	in, out := filepath.Dir(s.File("in/a.png", "")), filepath.Join(s.Dir, "made")
	s.Want(0, s.Run("dataset", "convert", "resnet50", "shrink", in, out), "1 of 1 pictures\n", "1 picture of width 32\n")
	if got, err := os.ReadFile(filepath.Join(out, "picture")); err != nil || string(got) != in {
		t.Errorf("%q, %v; want %q", got, err, in)
	}
	s.Want(0, s.Run("dataset", "convert", "resnet50", "shrink", in, out+"2", "--param", "width=8"), "of width 8\n")
	if got := held(s); !slices.Equal(got, []string{"in", "made", "made2"}) {
		t.Errorf("there is %v", got)
	}
	s.Want(0, s.Run("describe", "resnet50"), "convert resnet50 shrink IN OUT  smaller pictures",
		"IN: a folder of pictures", "--param width=VALUE, default 32: of each picture")
}

func TestConvertRefuses(t *testing.T) {
	s := converting(t, picture)
	in, file := filepath.Dir(s.File("in/a.png", "")), s.File("file", "precious")
	out := filepath.Join(s.Dir, "made")
	convert := func(args ...string) int { return s.Run(append([]string{"dataset", "convert"}, args...)...) }
	s.Want(2, convert("resnet50", "shrink", in), "want 4: MODEL CONVERSION IN OUT")
	s.Want(2, convert("resnet5", "shrink", in, out), `did you mean "resnet50"?`)
	s.Want(2, convert("resnet50", "repack", in, out), `unknown work on data sets "convert repack"`, "convert shrink")
	s.Want(2, convert("mobilenet", "shrink", in, out), "mobilenet has none")
	s.Want(2, convert("resnet50", "shrink", in, out, "--param", "with=8"), `unknown parameter "with"`)
	s.Want(2, convert("resnet50", "shrink", in, out, "--param", "width"), "want key=value")
	s.Want(6, convert("resnet50", "shrink", in+"x", out), "no such file or directory")
	for _, there := range []string{in, file} {
		s.Want(2, convert("resnet50", "shrink", in, there), there+" exists: name a folder that does not")
	}
	s.Want(2, convert("resnet50", "shrink", in, filepath.Join(file, "made")), "not a directory")
	s.Want(2, s.Run("dataset", "konvert"), `did you mean "convert"?`)
	if got := held(s); !slices.Equal(got, []string{"file", "in"}) {
		t.Errorf("there is %v", got)
	}
}

// TestConvertThatFails leaves nothing, whatever was written.
func TestConvertThatFails(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		code int
	}{
		"data":  {sdk.Data(errors.New("a.png is no picture")), 6},
		"usage": {sdk.Usage(errors.New("width 0")), 2},
	} {
		t.Run(name, func(t *testing.T) {
			s := converting(t, func(ctx context.Context, r sdk.DatasetRequest) error {
				return errors.Join(picture(ctx, r), c.err)
			})
			in := filepath.Dir(s.File("in/a.png", ""))
			s.Want(c.code, s.Run("dataset", "convert", "resnet50", "shrink", in, filepath.Join(s.Dir, "made")), c.err.Error())
			if got := held(s); !slices.Equal(got, []string{"in"}) {
				t.Errorf("there is %v", got)
			}
		})
	}
}

func TestConvertInterrupted(t *testing.T) {
	var s *clitest.Shell
	s = converting(t, func(ctx context.Context, r sdk.DatasetRequest) error {
		s.Signals <- syscall.SIGINT
		<-ctx.Done()
		return errors.Join(picture(ctx, r), context.Cause(ctx))
	})
	in := filepath.Dir(s.File("in/a.png", ""))
	s.Want(130, s.Run("dataset", "convert", "resnet50", "shrink", in, filepath.Join(s.Dir, "made")), "interrupt")
	if got := held(s); !slices.Equal(got, []string{"in"}) {
		t.Errorf("there is %v", got)
	}
}

func TestDatasetList(t *testing.T) {
	s := converting(t, picture)
	for _, args := range [][]string{nil, {"resnet50"}} {
		s.Want(0, s.Run(append([]string{"dataset", "list"}, args...)...), "resnet50\n", "imagenet", "50,000 samples",
			"its licence forbids downloading", "convert resnet50 shrink IN OUT")
	}
	s.Want(2, s.Run("dataset", "list", "resnet51"), "did you mean")
	s.Want(2, s.Run("dataset", "list", "a", "b"))
}

// TestDatasetVerifyAndExport asks the plugin, which lists what it can do.
func TestDatasetVerifyAndExport(t *testing.T) {
	s := converting(t, picture)
	m := &s.Fakes["resnet50"].Description.Models[0]
	m.DatasetActions = append(m.DatasetActions,
		sdk.DatasetAction{Action: sdk.Verify, Summary: "reads all", Input: "a data set",
			Params: []sdk.ParamInfo{{Name: "width", Default: "1"}}},
		sdk.DatasetAction{Action: sdk.Export, Summary: "writes it", Output: "the data set",
			Params: []sdk.ParamInfo{{Name: "width", Default: "2"}}})
	in, out := s.File("in/a.png", ""), filepath.Join(s.Dir, "made")
	s.Want(0, s.Run("dataset", "export", "resnet50", out, "--param", "width=5"), "of width 5\n")
	s.Want(2, s.Run("dataset", "export", "resnet50", out), "exists")
	s.Fakes["resnet50"].DatasetWork = func(context.Context, sdk.DatasetRequest, func(string)) (string, error) {
		return "", sdk.Data(errors.New("a picture is missing"))
	}
	s.Want(6, s.Run("dataset", "verify", "resnet50", in), "a picture is missing")
	s.Want(6, s.Run("dataset", "verify", "resnet50", in+"2"), "no such file or directory")
	s.Want(2, s.Run("dataset", "verify", "resnet50"), "want a model's name and the path of a data set")
	s.Want(2, s.Run("dataset", "verify", "resnet50", in, "--param", "no=1"), `unknown parameter "no"`)
	s.Want(2, s.Run("dataset", "verify", "mobilenet", in), "unknown work on data sets")
}
