package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
	"github.com/plumbline-ml/plumbline/sdk/sdktest/null"
)

// datasetEnv is the variable that makes the test binary a plugin with work on data sets if a harness starts it.
const datasetEnv = "PLUMBLINE_TEST_DATASET"

// copier is the null benchmark with a conversion that copies a file.
type copier struct{ null.Benchmark }

func (c copier) Describe() sdk.Description {
	d := c.Benchmark.Describe()
	d.Models[0].DatasetActions = []sdk.DatasetAction{
		{Action: sdk.Convert, Name: "copy", Summary: "copies a file", Input: "a file", Output: "copy.txt",
			Params: []sdk.ParamInfo{{Name: "times", Default: "1", Help: "how often"}}},
		{Action: "list", Summary: "lists nothing"},
	}
	return d
}

func (copier) WorkOnDataset(
	ctx context.Context, r sdk.DatasetRequest, progress func(string),
) (done string, err error) {
	if r.Action == "list" {
		return "", nil
	}
	text, err := os.ReadFile(r.Input)
	if err != nil {
		return "", sdk.Data(err)
	}
	switch {
	case string(text) == "panic":
		panic("the file asked for it")
	case string(text) == "die":
		return "", kill()
	case string(text) == "wait":
		progress("waits")
		<-ctx.Done()
		return "", os.WriteFile(filepath.Join(filepath.Dir(r.Input), "called off"), nil, 0o644)
	}
	progress("half\x80done")
	progress("done")
	return fmt.Sprintf("copied %d bytes, times %s", len(text), r.Params["times"]),
		os.WriteFile(filepath.Join(r.Output, "copy.txt"), text, 0o644)
}

func kill() error {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	time.Sleep(patience)
	return err
}

// copyOf returns a request for a conversion of a file with this text.
func copyOf(t *testing.T, text string) sdk.DatasetRequest {
	t.Helper()
	in := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(in, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return sdk.DatasetRequest{Action: sdk.Convert, Name: "copy", Input: in, Output: t.TempDir()}
}

func TestDataset(t *testing.T) {
	p := launch(t, datasetEnv+"=1")
	d, err := p.Describe(t.Context())
	if err != nil || len(d.Models[0].DatasetActions) != 2 {
		t.Fatalf("%+v, %v", d, err)
	}
	if _, err := openCount(t.Context(), p, 0, 10); err != nil { // while a workload is open
		t.Fatal(err)
	}
	var lines []string
	r := copyOf(t, "text")
	done, err := p.Dataset(t.Context(), r, func(line string) { lines = append(lines, line) })
	if err != nil || done != "copied 4 bytes, times 1" || !slices.Equal(lines, []string{"half\ufffddone", "done"}) {
		t.Errorf("%q, %q, %v", done, lines, err)
	}
	if got, err := os.ReadFile(filepath.Join(r.Output, "copy.txt")); err != nil || string(got) != "text" {
		t.Errorf("%q, %v", got, err)
	}
	r.Params = map[string]string{"times": "3"}
	if done, err := p.Dataset(t.Context(), r, func(string) {}); err != nil || done != "copied 4 bytes, times 3" {
		t.Errorf("%q, %v", done, err)
	}
	if done, err := p.Dataset(t.Context(), sdk.DatasetRequest{Action: "list"}, func(string) {}); err != nil || done == "" {
		t.Errorf("%q, %v", done, err)
	}
}

func TestDatasetRefuses(t *testing.T) {
	p := launch(t, datasetEnv+"=1")
	for _, c := range []struct {
		spoil func(r *sdk.DatasetRequest)
		class error
		want  string
	}{
		{func(r *sdk.DatasetRequest) { r.Model = "other" }, sdk.ErrUsage, `unknown model "other"`},
		{func(r *sdk.DatasetRequest) { r.Name = "" }, sdk.ErrUsage,
			`unknown work on data sets "convert", null has convert copy, list`},
		{func(r *sdk.DatasetRequest) { r.Action = "verify" }, sdk.ErrUsage, `unknown work on data sets "verify copy"`},
		{func(r *sdk.DatasetRequest) { r.Params = map[string]string{"time": "3"} }, sdk.ErrUsage,
			`unknown parameter "time", convert copy has times`},
		{func(r *sdk.DatasetRequest) { r.Input, r.Output = "", "" }, sdk.ErrUsage, "no input: want a file\nno output"},
		{func(r *sdk.DatasetRequest) { r.Action, r.Name = "list", "" }, sdk.ErrUsage, "this work has none"},
		{func(r *sdk.DatasetRequest) { r.Input += "x" }, sdk.ErrData, "no such file"},
	} {
		r := copyOf(t, "text")
		c.spoil(&r)
		if _, err := p.Dataset(t.Context(), r, nil); !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", r, err, c.want)
		}
	}
	if _, err := launch(t).Dataset(t.Context(), copyOf(t, "text"), nil); !errors.Is(err, sdk.ErrUsage) ||
		!strings.Contains(err.Error(), `it lacks the capability "dataset"`) {
		t.Errorf("a plugin that does no such work: %v", err)
	}
}

func TestDatasetFails(t *testing.T) {
	_, err := launch(t, datasetEnv+"=1").Dataset(t.Context(), copyOf(t, "panic"), nil)
	wantFailure(t, err, host.KindFailed, "the file asked for it")
	_, err = launch(t, datasetEnv+"=1").Dataset(t.Context(), copyOf(t, "die"), nil)
	wantFailure(t, err, host.KindDied)
}

// TestDatasetCalledOff checks that the work is informed when its caller no longer waits.
func TestDatasetCalledOff(t *testing.T) {
	p := launch(t, datasetEnv+"=1")
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	r := copyOf(t, "wait")
	if _, err := p.Dataset(ctx, r, func(string) { cancel(why) }); !errors.Is(err, why) {
		t.Errorf("%v, want %v", err, why)
	}
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(r.Input), "called off")); err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the work was not called off")
		}
	}
}
