package unet3d

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic/volumes"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// network is a session whose scores are those of a threshold: tumour above 0, kidney above -1.
type network struct {
	backend.Session
	limits backend.Limits
	spoil  func(out *backend.Tensor)
	runs   []int // windows of each
	inUse  int   // outputs that were not released
}

func (n *network) Limits() backend.Limits { return n.limits }

func (n *network) Run(_ context.Context, in, out []backend.Tensor) error {
	shape := slices.Clone(in[0].Shape)
	image := backend.View[float32](in[0].Data)
	if int64(len(image)) != backend.Elements(shape) || shape[1] != 1 {
		return errors.New("shape and data differ")
	}
	windows := int(shape[0])
	n.runs = append(n.runs, windows)
	voxels := len(image) / windows
	scores := make([]float32, 3*len(image))
	for i, v := range image {
		class := 0
		if v > -1 {
			class = 1
		}
		if v > 0 {
			class = 2
		}
		scores[(i/voxels*3+class)*voxels+i%voxels] = 1
	}
	shape[1] = 3
	n.inUse++
	out[0] = backend.Tensor{
		Name: "output", DType: backend.Float32, Shape: shape, Data: backend.Bytes(scores), Free: func() { n.inUse-- },
	}
	if n.spoil != nil {
		n.spoil(&out[0])
	}
	return nil
}

func newWorkload(t *testing.T, batch int) *volumeWorkload {
	t.Helper()
	b := official(t, map[string]string{"window": "32"})
	return &volumeWorkload{windowBinding: b, cases: drawnCases{volumes.Eval()}, batch: batch}
}

func TestRunSegmentsWholeVolumes(t *testing.T) {
	for _, c := range []struct {
		batch  int
		limits backend.Limits
		want   int
	}{{0, backend.Limits{}, 1}, {5, backend.Limits{PreferredBatch: 2}, 5}, {0, backend.Limits{PreferredBatch: 2}, 2},
		{5, backend.Limits{MaxBatch: 1}, 1}} {
		w, session := newWorkload(t, c.batch), &network{limits: c.limits}
		r := newVolumeRun(w, session)
		var p sdk.Payloads
		for i := range 2 { // the second in used memory
			checkVolume(t, w, r, &p, i)
		}
		if session.inUse != 0 || session.runs[0] != c.want || slices.Max(session.runs) != c.want {
			t.Errorf("%+v: windows of the runs %v, %d outputs not released", c, session.runs, session.inUse)
		}
	}
}

// checkVolume runs volume i and compares the classes with the threshold's.
func checkVolume(t *testing.T, w *volumeWorkload, r *volumeRun, p *sdk.Payloads, i int) {
	t.Helper()
	s, err := w.Load(t.Context(), i)
	if err != nil {
		t.Fatal(err)
	}
	p.Reset()
	if err := r.Run(t.Context(), []*volumeSample{s}, p); err != nil {
		t.Fatal(err)
	}
	image := s.image
	if p.Len() != 1 || len(p.At(0)) != len(image) {
		t.Fatalf("%d payloads, %d bytes for %d voxels", p.Len(), len(p.At(0)), len(image))
	}
	for k, class := range p.At(0) {
		if v := image[k]; (v > 0) != (class == 2) || (v > -1) != (class > 0) {
			t.Fatalf("voxel %d of %v is class %d", k, v, class)
		}
	}
}

func TestRunReportsWhatTheModelGets(t *testing.T) {
	w := newWorkload(t, 4)
	for _, c := range []struct {
		spoil func(out *backend.Tensor)
		want  string
	}{
		{func(out *backend.Tensor) { out.DType = backend.Float16 }, "float16"},
		{func(out *backend.Tensor) { out.Shape[1] = 4 }, "[4,4,32,32,32], want [4,3,32,32,32]"},
		{func(out *backend.Tensor) { out.Shape[0] = 1 }, "[1,3,32,32,32]"},
		{func(out *backend.Tensor) { out.Shape = out.Shape[:4] }, "[4,3,32,32]"},
		{func(out *backend.Tensor) { out.Data = out.Data[:64] }, "64 bytes"},
	} {
		session := &network{spoil: c.spoil}
		err := newVolumeRun(w, session).Run(t.Context(), []*volumeSample{w.WarmSample()}, &sdk.Payloads{})
		if !errors.Is(err, errOutput) || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), "voxel [0 0 0]") || session.inUse != 0 {
			t.Errorf("error %v, want %q; %d outputs not released", err, c.want, session.inUse)
		}
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("enough")
	w := newWorkload(t, 0)
	session := &network{spoil: func(*backend.Tensor) { cancel(reason) }}
	if err := newVolumeRun(w, session).Run(ctx, []*volumeSample{w.WarmSample()}, &sdk.Payloads{}); !errors.Is(err,
		reason) ||
		len(session.runs) != 1 {
		t.Errorf("error %v after %d runs", err, len(session.runs))
	}
}

func TestWarmSampleFits(t *testing.T) {
	w, session := newWorkload(t, 0), &network{}
	var p sdk.Payloads
	if err := newVolumeRun(w, session).Run(t.Context(), []*volumeSample{w.WarmSample()}, &p); err != nil ||
		len(session.runs) != 4 || p.Len() != 1 {
		t.Errorf("error %v, %d windows, %d payloads", err, len(session.runs), p.Len())
	}
}
