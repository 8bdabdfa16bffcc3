package sdktest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Backend is a backend under test, with a model that it can run. The first dimension of every input and output of the
// model must be the batch. The other dimensions must be fixed. The outputs must depend only on the inputs.
type Backend struct {
	Backend backend.Backend
	Model   backend.Model
	// Options contains the backend's own options for every Open.
	Options map[string]string
	// Tolerance is the allowed absolute and relative difference of Float32 outputs that should be equal. 0: they must be
	// equal.
	Tolerance float64
	// ForgivesFiles reports that the backend does not read files or bytes of a model.
	ForgivesFiles bool
}

// RunBackendSuite checks the properties on which the sdk relies: errors of Open, tensors in the requested order,
// ownership, batches, concurrency, the end of a context, and the tensors that an OutputCache keeps.
func RunBackendSuite(t *testing.T, b Backend) {
	t.Helper()
	t.Run("refuses what it cannot open", b.checkRefusals)
	t.Run("describes its tensors", b.checkDescription)
	t.Run("gives the same for the same", b.checkRepeats)
	t.Run("uses the caller's memory", b.checkCallersMemory)
	t.Run("a batch is its samples", b.checkBatches)
	t.Run("runs at a time", b.checkConcurrency)
	t.Run("ended context", b.checkEndedContext)
	t.Run("wrong inputs", b.checkWrongInputs)
	t.Run("keeps outputs", b.checkOutputCache)
	t.Run("takes what it kept", b.checkKeptInputs)
}

func (b Backend) openSession(t *testing.T, concurrency int) backend.Session {
	t.Helper()
	s, err := b.Backend.Open(t.Context(), b.Model, backend.Config{Concurrency: concurrency, Options: b.Options})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (b Backend) checkRefusals(t *testing.T) {
	try := func(name string, want error, m backend.Model, options map[string]string) {
		s, err := b.Backend.Open(t.Context(), m, backend.Config{Concurrency: 1, Options: options})
		if err == nil {
			_ = s.Close()
		}
		if !errors.Is(err, want) {
			t.Errorf("%s: error %v, want %q in its chain", name, err, want)
		}
	}
	unknown := maps.Clone(b.Options)
	if unknown == nil {
		unknown = map[string]string{}
	}
	unknown["no such option"] = "1"
	try("unknown option", backend.ErrOption, b.Model, unknown)
	for name, spoil := range map[string]func(i *backend.TensorInfo){
		"name": func(i *backend.TensorInfo) { i.Name = "no such tensor" },
		"dtype": func(i *backend.TensorInfo) {
			if i.DType++; i.DType > backend.Bool {
				i.DType = backend.Float32
			}
		},
		"rank": func(i *backend.TensorInfo) { i.Shape = append(slices.Clone(i.Shape), 2, 2, 2) },
	} {
		m := b.Model
		m.Outputs = slices.Clone(m.Outputs)
		if len(m.Outputs) == 0 {
			continue
		}
		spoil(&m.Outputs[0])
		try("wrong "+name+" of an output", backend.ErrTensors, m, b.Options)
	}
	if b.ForgivesFiles {
		return
	}
	m := b.Model
	m.Path, m.Bytes = filepath.Join(t.TempDir(), "missing"), nil
	try("missing file", fs.ErrNotExist, m, b.Options)
	m.Path, m.Bytes = "", []byte("this is no model")
	try("no model", backend.ErrModel, m, b.Options)
}

func (b Backend) checkDescription(t *testing.T) {
	s := b.openSession(t, 2)
	compare := func(kind string, want, have []backend.TensorInfo) {
		index, err := backend.Bind(kind, want, have)
		if err != nil {
			t.Error(err)
		}
		for i, j := range index {
			if i != j {
				t.Errorf("%s %d is number %d that was asked for", kind, j, i)
			}
		}
		if len(want) > 0 && len(have) != len(want) {
			t.Errorf("%d %ss, want %d", len(have), kind, len(want))
		}
	}
	compare("input", b.Model.Inputs, s.Inputs())
	compare("output", b.Model.Outputs, s.Outputs())
	if l := s.Limits(); l.Concurrency < 0 || l.PreferredBatch < 0 || l.MaxBatch < 0 || l.MaxBatch > 0 &&
		l.PreferredBatch > l.MaxBatch {
		t.Errorf("limits make no sense: %+v", l)
	}
}

// makeInputs returns a batch of n samples. Different seeds give different batches.
func makeInputs(s backend.Session, n, seed int) []backend.Tensor {
	in := make([]backend.Tensor, len(s.Inputs()))
	for i, info := range s.Inputs() {
		shape := slices.Clone(info.Shape)
		shape[0] = int64(n)
		data := make([]byte, int(backend.Elements(shape))*info.DType.Size())
		in[i] = backend.Tensor{Name: info.Name, DType: info.DType, Shape: shape, Data: data}
		fillTensor(in[i], n, seed+i)
	}
	return in
}

// fillTensor writes small whole numbers. Sample k of a batch with a seed equals sample 0 of a batch with that seed plus
// k.
func fillTensor(x backend.Tensor, n, seed int) {
	size := x.DType.Size()
	each := len(x.Data) / size / n
	for e := range n * each {
		value := byte((seed+e/each)*7+e%each*3) % 5
		switch x.DType {
		case backend.Float32:
			backend.View[float32](x.Data)[e] = float32(value) / 4
		case backend.Float64:
			backend.View[float64](x.Data)[e] = float64(value) / 4
		case backend.Float16, backend.BFloat16: // stays zero
		case backend.Bool:
			x.Data[e] = value & 1
		default:
			x.Data[e*size] = value
		}
	}
}

// runBatch runs a batch and returns copies of the outputs.
func runBatch(ctx context.Context, s backend.Session, in []backend.Tensor) ([]backend.Tensor, error) {
	out := make([]backend.Tensor, len(s.Outputs()))
	if err := s.Run(ctx, in, out); err != nil {
		return nil, err
	}
	kept := make([]backend.Tensor, len(out))
	for i := range out {
		kept[i] = out[i]
		kept[i].Data, kept[i].Shape, kept[i].Free = slices.Clone(out[i].Data), slices.Clone(out[i].Shape), nil
		out[i].Release()
		if err := checkOutput(s.Outputs()[i], kept[i], in[0].Shape[0]); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// checkOutput checks an output against its description.
func checkOutput(want backend.TensorInfo, got backend.Tensor, n int64) error {
	if got.DType != want.DType || int64(len(got.Data)) != backend.Elements(got.Shape)*int64(got.DType.Size()) {
		return fmt.Errorf("output %s: %d bytes of %v with shape %s", want, len(got.Data), got.DType,
			backend.ShapeString(got.Shape))
	}
	if len(got.Shape) == 0 || got.Shape[0] != n {
		return fmt.Errorf("output %s has shape %s for a batch of %d", want, backend.ShapeString(got.Shape), n)
	}
	return nil
}

// compareOutputs compares outputs with the tolerance.
func (b Backend) compareOutputs(x, y backend.Tensor) error {
	if !slices.Equal(x.Shape, y.Shape) || x.DType != y.DType {
		return fmt.Errorf("%v%s and %v%s", x.DType, backend.ShapeString(x.Shape), y.DType, backend.ShapeString(y.Shape))
	}
	if slices.Equal(x.Data, y.Data) {
		return nil
	}
	if x.DType != backend.Float32 || b.Tolerance == 0 {
		return fmt.Errorf("output %s differs", x.Name)
	}
	for i, v := range backend.View[float32](x.Data) {
		w := backend.View[float32](y.Data)[i]
		if d := math.Abs(float64(v - w)); !(d <= b.Tolerance*(1+math.Abs(float64(v)))) {
			return fmt.Errorf("output %s, element %d: %v and %v", x.Name, i, v, w)
		}
	}
	return nil
}

func (b Backend) checkRepeats(t *testing.T) {
	s := b.openSession(t, 1)
	first := b.mustRun(t, s, makeInputs(s, 1, 1))
	b.mustRun(t, s, makeInputs(s, 1, 2)) // must not change the copies or the next run
	again := b.mustRun(t, s, makeInputs(s, 1, 1))
	b.mustBeSame(t, first, again)
}

func (b Backend) mustRun(t *testing.T, s backend.Session, in []backend.Tensor) []backend.Tensor {
	t.Helper()
	out, err := runBatch(t.Context(), s, in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (b Backend) mustBeSame(t *testing.T, x, y []backend.Tensor) {
	t.Helper()
	for i := range x {
		if err := b.compareOutputs(x[i], y[i]); err != nil {
			t.Error(err)
		}
	}
}

func (b Backend) checkCallersMemory(t *testing.T) {
	s := b.openSession(t, 1)
	in := makeInputs(s, 1, 3)
	want := b.mustRun(t, s, in)
	out := make([]backend.Tensor, len(want))
	for i, w := range want {
		out[i] = backend.Tensor{Name: w.Name, DType: w.DType, Shape: slices.Clone(w.Shape), Data: make([]byte, len(w.Data))}
	}
	memory := make([]*byte, len(out))
	for i := range out {
		memory[i] = &out[i].Data[0]
	}
	if err := s.Run(t.Context(), in, out); err != nil {
		t.Fatal(err)
	}
	for i := range out {
		if &out[i].Data[0] != memory[i] {
			t.Errorf("output %d is not in the caller's memory", i)
		}
	}
	b.mustBeSame(t, want, out)
	out[0].Data = out[0].Data[:len(out[0].Data)-1]
	if err := s.Run(t.Context(), in, out); err == nil {
		t.Error("an output without room for the result is no error")
	}
}

// checkBatches compares a batch with separate runs of its samples.
func (b Backend) checkBatches(t *testing.T) {
	s := b.openSession(t, 1)
	n := 3
	if l := s.Limits(); l.MaxBatch > 0 {
		n = min(n, l.MaxBatch)
	}
	whole := b.mustRun(t, s, makeInputs(s, n, 5))
	for k := range n {
		one := b.mustRun(t, s, makeInputs(s, 1, 5+k))
		for i := range one {
			each := len(whole[i].Data) / n
			part := whole[i]
			part.Data, part.Shape = part.Data[k*each:(k+1)*each], one[i].Shape
			if err := b.compareOutputs(one[i], part); err != nil {
				t.Errorf("sample %d of %d: %v", k, n, err)
			}
		}
	}
}

func (b Backend) checkConcurrency(t *testing.T) {
	const runs, rounds = 4, 8
	s := b.openSession(t, runs)
	want := make([][]backend.Tensor, runs)
	for g := range want {
		want[g] = b.mustRun(t, s, makeInputs(s, 1, g))
	}
	var workers sync.WaitGroup
	defer workers.Wait()
	for g := range runs {
		workers.Go(func() {
			in := makeInputs(s, 1, g)
			for range rounds {
				out, err := runBatch(t.Context(), s, in)
				if err != nil {
					t.Error(err)
					return
				}
				b.mustBeSame(t, want[g], out)
			}
		})
	}
}

func (b Backend) checkEndedContext(t *testing.T) {
	s := b.openSession(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := runBatch(ctx, s, makeInputs(s, 1, 1)); err == nil {
		t.Error("a run whose context has ended is no error")
	}
	b.mustRun(t, s, makeInputs(s, 1, 1)) // the session is still usable
}

func (b Backend) checkWrongInputs(t *testing.T) {
	s := b.openSession(t, 1)
	for name, spoil := range map[string]func(in []backend.Tensor) []backend.Tensor{
		"too few":   func(in []backend.Tensor) []backend.Tensor { return in[:len(in)-1] },
		"too short": func(in []backend.Tensor) []backend.Tensor { in[0].Data = in[0].Data[:len(in[0].Data)-1]; return in },
		"wrong rank": func(in []backend.Tensor) []backend.Tensor {
			in[0].Shape = append(in[0].Shape, 1, 1, 1)
			return in
		},
	} {
		if _, err := runBatch(t.Context(), s, spoil(makeInputs(s, 1, 1))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	b.mustRun(t, s, makeInputs(s, 1, 1)) // the session is still usable
}
