package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/batch"
)

// described is a benchmark that only has a description.
type described struct{}

func (described) Describe() sdk.Description {
	return sdk.Description{Name: "toy", Version: "2.1", Summary: "a toy", Models: []sdk.ModelInfo{{
		Name: "bear", Scenarios: []loadgen.Scenario{loadgen.Offline}, Files: []sdk.ModelFile{{Name: "embedded",
			Embedded: true, Size: 1 << 40}},
	}}}
}

func (described) Open(context.Context, sdk.Options) (sdk.Workload, error) {
	return nil, errors.New("no")
}

func (described) OpenScorer(context.Context, sdk.ScoreOptions) (sdk.Scorer, error) {
	return nil, errors.New("no")
}

type noBackend struct{}

func (noBackend) Open(context.Context, backend.Model, backend.Config) (backend.Session, error) {
	return nil, errors.New("no")
}

func newProgram(args ...string) *pluginProgram {
	p := &pluginProgram{benchmark: described{}, args: args}
	Backend("cpu", noBackend{})(p)
	Backend("fast", noBackend{})(p)
	return p
}

func TestMainByHand(t *testing.T) {
	for _, args := range [][]string{nil, {"--help"}, {"describe", "me"}} {
		var stdout, stderr bytes.Buffer
		if code := newProgram(args...).runMain(&stdout, &stderr); code != 2 || stdout.Len() > 0 {
			t.Errorf("%v: exit code %d, want 2; stdout %q", args, code, stdout.String())
		}
		for _, part := range []string{"Plumbline plugin toy 2.1: a toy", "Models: bear. Backends: cpu, fast.",
			"harness run toy", "describe"} {
			if !strings.Contains(stderr.String(), part) {
				t.Errorf("%v: %q does not say %q", args, stderr.String(), part)
			}
		}
	}
}

func TestMainDescribes(t *testing.T) {
	var first string
	// protobuf's JSON encoder varies its white space between processes, and partly between calls
	for range 20 {
		var stdout, stderr bytes.Buffer
		if code := newProgram("describe").runMain(&stdout, &stderr); code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr.String())
		}
		if first == "" {
			first = stdout.String()
		}
		if stdout.String() != first {
			t.Fatal("two descriptions differ")
		}
	}
	var d struct {
		Description struct {
			Name     string
			Backends []string
			Models   []struct {
				Name      string
				Scenarios []string
				Files     []struct{ Size string }
			}
		}
	}
	if err := json.Unmarshal([]byte(first), &d); err != nil {
		t.Fatal(err)
	}
	m := d.Description.Models[0]
	if d.Description.Name != "toy" || strings.Join(d.Description.Backends, " ") != "cpu fast" || m.Name != "bear" ||
		m.Scenarios[0] != "SCENARIO_OFFLINE" || m.Files[0].Size != "1099511627776" {
		t.Errorf("%+v", d)
	}
}

func TestBackendsAreFoundByName(t *testing.T) {
	r := newProgram().backends
	for name, want := range map[string]string{"": "cpu", "cpu": "cpu", "fast": "fast"} {
		if got, _, err := r.findBackend(name); got != want || err != nil {
			t.Errorf("%q: %q, error %v, want %q", name, got, err, want)
		}
	}
	if _, _, err := r.findBackend("slow"); !errors.Is(err, sdk.ErrUsage) ||
		!strings.Contains(err.Error(), "this plugin has cpu, fast") {
		t.Errorf("error %v", err)
	}
	if _, _, err := backendRegistry(nil).findBackend(""); !errors.Is(err, sdk.ErrUsage) {
		t.Errorf("error %v", err)
	}
}

func TestErrorsHaveClasses(t *testing.T) {
	for _, c := range []struct {
		err  error
		want codes.Code
	}{
		{errors.New("any"), codes.Unknown},
		{sdk.Usage(errors.New("any")), codes.InvalidArgument},
		{fmt.Errorf("more: %w", sdk.Usage(errors.New("any"))), codes.InvalidArgument},
		{fmt.Errorf("%w: threads", backend.ErrOption), codes.InvalidArgument},
		{sdk.Data(errors.New("any")), codes.FailedPrecondition},
		{fmt.Errorf("%w: any", backend.ErrModel), codes.FailedPrecondition},
		{fmt.Errorf("%w: any", backend.ErrTensors), codes.FailedPrecondition},
		{fmt.Errorf("%w: any", backend.ErrFailed), codes.Internal},
		{&fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist}, codes.FailedPrecondition},
		{errors.Join(sdk.Data(errors.New("any")), &batch.PanicError{Where: "Close"}), codes.Internal},
	} {
		s := status.Convert(toStatus(c.err, codes.Unknown))
		if s.Code() != c.want || s.Message() != c.err.Error() {
			t.Errorf("%v: %v %q, want %v", c.err, s.Code(), s.Message(), c.want)
		}
	}
	if toStatus(nil, codes.Unknown) != nil {
		t.Error("no error became one")
	}
	if m := status.Convert(toStatus(errors.New(strings.Repeat("x", 1<<20)),
		codes.Unknown)).Message(); len(m) > maxMessage+10 {
		t.Errorf("a message of %d bytes", len(m))
	}
	if err := sdk.Usage(errors.New("text")); err.Error() != "text" || !errors.Is(err, sdk.ErrUsage) ||
		errors.Is(err, sdk.ErrData) {
		t.Errorf("%v", err)
	}
}
