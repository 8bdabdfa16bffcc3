package dlrm3

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/synthetic/preferences"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// opened is the workload on the embedded data, or o's.
func opened(t *testing.T, o sdk.Options) (*streamWorkload, error) {
	t.Helper()
	w, err := New().Open(t.Context(), o)
	if err != nil {
		return nil, err
	}
	own, ok := sdk.As[*streamWorkload](w)
	if !ok {
		t.Fatalf("a workload of type %T", w)
	}
	return own, nil
}

// written writes the embedded data in the official layout, below the folder that the reference is told.
func written(t *testing.T, set *preferences.Set) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range set.Files() {
		path := filepath.Join(dir, dataFolder, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600))
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// drawnAsFiles are the parameters of the embedded data where they are read from files.
func drawnAsFiles() map[string]string {
	return map[string]string{
		"train_periods": "8", "items": "1024", "categories": "8", "max_sequence": "87", "max_candidates": "24",
		"check": "all",
	}
}

// TestOrder: the periods one after the other, as often as there are queries for; once for accuracy.
func TestOrder(t *testing.T) {
	params := map[string]string{"queries": "500"}
	w, err := opened(t, sdk.Options{Params: params})
	if err != nil {
		t.Fatal(err)
	}
	if w.Len() != drawnRequests {
		t.Errorf("%d requests, want %d", w.Len(), drawnRequests)
	}
	numbers, before := w.Order(), int32(0)
	if len(numbers) != 500 {
		t.Errorf("an order of %d, want 500", len(numbers))
	}
	for _, i := range numbers {
		p := w.order.requests[i]
		if p.period < before {
			t.Fatalf("period %d after %d", p.period, before)
		}
		before = p.period
	}
	w, err = opened(t, sdk.Options{Params: params, Use: sdk.UseAccuracy})
	if err != nil || len(w.Order()) != drawnRequests {
		t.Errorf("for accuracy an order of %d, %v", len(w.Order()), err)
	}
	if w, err = opened(t, sdk.Options{Count: 7}); err != nil || w.Len() != 7 || len(w.Order()) != 7 {
		t.Errorf("of seven: %v", err)
	}
	if _, err = opened(t, sdk.Options{Params: map[string]string{"percentage": "0.001"}}); !errors.Is(err, sdk.ErrUsage) {
		t.Errorf("a share that leaves nothing: %v", err)
	}
}

// echo is a session whose prediction is what its inputs add up to, so that a test sees what they were.
type echo struct {
	backend.Session
	batches [][4]int // requests, entries of the longest history, candidates, entries of the first one
}

func (*echo) Inputs() []backend.TensorInfo { return bindModel(backend.Model{}, nil).Inputs }

func (e *echo) Run(_ context.Context, in, out []backend.Tensor) error {
	n, long, candidates := int(in[itemIDs].Shape[0]), int(in[itemIDs].Shape[1]), int(in[candidateIDs].Shape[1])
	values := func(i int) []int64 { return backend.View[int64](in[i].Data) }
	e.batches = append(e.batches, [4]int{n, long, candidates, int(values(historyLengths)[0])})
	predictions := make([]float32, n*candidates)
	for b := range n {
		sum := values(userIDs)[b]
		for j := range long {
			at := b*long + j
			entry := values(itemIDs)[at] + 3*values(itemWeights)[at] + 5*values(itemCategories)[at]
			if int64(j) >= values(historyLengths)[b] && entry != 0 {
				return errors.New("padding is not 0")
			}
			sum += entry
		}
		for c := range candidates {
			at := b*candidates + c
			predictions[at] = float32(sum + values(candidateIDs)[at] + 7*values(candidateCategories)[at])
		}
	}
	out[0] = backend.Tensor{DType: backend.Float32, Shape: []int64{int64(n), int64(candidates)},
		Data: backend.Bytes(predictions)}
	return nil
}

// wants is what echo predicts of a request.
func wants(s *requestSample) []float32 {
	sum := float32(s.User)
	for i, id := range s.History.IDs {
		sum += float32(id) + 3*float32(s.Weights[i]) + 5*float32(s.History.Categories[i])
	}
	var all []float32
	for i, id := range s.Candidates.IDs {
		all = append(all, sum+float32(id)+7*float32(s.Candidates.Categories[i]))
	}
	return all
}

// TestRun: batches are cut at the ends of periods, histories padded, and each request gets its own payload, in the form
// of the run's mode; of requests with other numbers of candidates, and none, too.
func TestRun(t *testing.T) {
	for use, scored := range map[string]bool{sdk.UsePerformance: false, sdk.UseAccuracy: true} {
		w, err := opened(t, sdk.Options{Use: use})
		if err != nil {
			t.Fatal(err)
		}
		var samples []*requestSample
		border := w.order.periodStarts[1]
		for i := border - 3; i < border+4; i++ {
			s, err := w.Load(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			samples = append(samples, s)
		}
		fewer := samples[5].Candidates
		fewer.IDs, fewer.Categories = fewer.IDs[:2], fewer.Categories[:2]
		samples[5].Candidates, samples[5].Labels = fewer, samples[5].Labels[:2]
		samples[6].Labels = nil
		e := &echo{}
		r := &requestRun{session: e, batch: sdk.NewBatch(e.Inputs()), scored: w.scored}
		var p sdk.Payloads
		if err := r.Run(t.Context(), samples, &p); err != nil {
			t.Fatal(err)
		}
		if len(e.batches) != 3 || e.batches[0][0] != 3 || e.batches[1][0] != 2 || e.batches[2][2] != 2 {
			t.Errorf("batches %v, want 3 requests, 2, and one of 2 candidates", e.batches)
		}
		for i, s := range samples {
			want := append([]float32{float32(s.period), float32(s.request)}, wants(s)[:len(s.Labels)]...)
			if scored {
				for _, label := range s.Labels {
					want = append(want, float32(label))
				}
				want = append(want, slices.Repeat([]float32{1}, len(s.Labels))...)
				want = append(want, float32(len(s.Labels)))
			}
			if got := backend.View[float32](slices.Clone(p.At(i))); !slices.Equal(got, want) {
				t.Errorf("%q, request %d: %v, want %v", use, i, got, want)
			}
		}
	}
}

// rowsEcho is a session that wants rows: each is the row of its id, of width 2: [id, 10 id].
type rowsEcho struct {
	backend.Session
	tables *embeddingTables
	t      *testing.T
}

func (e *rowsEcho) Inputs() []backend.TensorInfo { return bindModel(backend.Model{}, e.tables).Inputs }

func (e *rowsEcho) Run(_ context.Context, in, out []backend.Tensor) error {
	items, users, asked := in[itemIDs], in[userIDs], in[candidateIDs]
	for _, x := range []backend.Tensor{items, users, asked} {
		if x.DType != backend.Float32 || x.Shape[len(x.Shape)-1] != 2 {
			e.t.Errorf("%s is %v %v, want float32 rows of 2", x.Name, x.DType, x.Shape)
		}
		values := backend.View[float32](x.Data)
		for i := 0; i < len(values); i += 2 {
			if values[i+1] != 10*values[i] {
				e.t.Errorf("%s: %v is no row", x.Name, values[i:i+2])
			}
		}
	}
	n, candidates := asked.Shape[0], asked.Shape[1]
	predictions := make([]float32, n*candidates)
	for i := range predictions {
		predictions[i] = backend.View[float32](asked.Data)[2*i] + backend.View[float32](users.Data)[2*(i/int(candidates))]
	}
	out[0] = backend.Tensor{DType: backend.Float32, Shape: []int64{n, candidates}, Data: backend.Bytes(predictions)}
	return nil
}

// tableFolder has tables whose rows are [id, 10 id].
func tableFolder(t *testing.T, items, users int) string {
	t.Helper()
	dir := t.TempDir()
	for name, rows := range map[string]int{"items.npy": items, "users.npy": users} {
		text := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 2), }", rows)
		text += strings.Repeat(" ", 117-len(text)) + "\n"
		data := append([]byte("\x93NUMPY\x01\x00"), byte(len(text)), 0)
		data = append(data, text...)
		for i := range rows {
			data = append(data, payload(float32(i), 10*float32(i))...)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestRowsAsInputs: tables beside the model, whose rows it gets in the place of ids.
func TestRowsAsInputs(t *testing.T) {
	w, err := opened(t, sdk.Options{Params: map[string]string{"tables": tableFolder(t, 1024, 160)}})
	if err != nil {
		t.Fatal(err)
	}
	var samples []*requestSample
	for i := range 3 {
		s, err := w.Load(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		samples = append(samples, s)
	}
	e := &rowsEcho{tables: w.tables, t: t}
	r := &requestRun{session: e, batch: sdk.NewBatch(e.Inputs()), tables: w.tables}
	var p sdk.Payloads
	if err := r.Run(t.Context(), samples, &p); err != nil {
		t.Fatal(err)
	}
	for i, s := range samples {
		got := backend.View[float32](slices.Clone(p.At(i)))[2:]
		for c, id := range s.Candidates.IDs {
			if want := float32(id) + float32(s.User); got[c] != want {
				t.Errorf("request %d, candidate %d: %v, want %v", i, c, got[c], want)
			}
		}
	}
	if names := w.file.Inputs; names[itemIDs].Name != "item_rows" || names[userIDs].Name != "user_rows" {
		t.Errorf("inputs %v", names)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	for dir, want := range map[string]string{
		tableFolder(t, 1000, 160): "tables of 1000 items and 160 users, want 1024 of items",
		tableFolder(t, 1024, 9):   "users at least", t.TempDir(): "items.npy",
	} {
		_, err := opened(t, sdk.Options{Params: map[string]string{"tables": dir}})
		if !errors.Is(err, sdk.ErrData) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// short answers fewer predictions than were asked for.
type short struct{ echo }

func (s *short) Run(ctx context.Context, in, out []backend.Tensor) error {
	err := s.echo.Run(ctx, in, out)
	out[0].Shape = []int64{out[0].Shape[0], out[0].Shape[1] - 1}
	return err
}

func TestPredictionsOfAnotherShape(t *testing.T) {
	w, err := opened(t, sdk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Load(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	e := &short{}
	r := &requestRun{session: e, batch: sdk.NewBatch(e.Inputs())}
	if err := r.Run(t.Context(), []*requestSample{s}, &sdk.Payloads{}); !errors.Is(err, backend.ErrFailed) ||
		!strings.Contains(err.Error(), "want [1,24]") {
		t.Errorf("%v", err)
	}
}

// TestWideIDs: ids above 2^24 are those of float32, the last one that of the last row; exact where they are asked for.
func TestWideIDs(t *testing.T) {
	dir := written(t, preferences.Wide())
	params := drawnAsFiles()
	params["items"] = "1000000000"
	for ids, exact := range map[string]bool{"rounded": false, "exact": true} {
		params["ids"] = ids
		w, err := opened(t, sdk.Options{Dataset: dir, Params: params})
		if err != nil {
			t.Fatal(err)
		}
		rounded := 0
		for i := range w.Len() {
			s, err := w.Load(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			for _, id := range slices.Concat(s.History.IDs, s.Candidates.IDs) {
				if id >= 1_000_000_000 {
					t.Fatalf("id %d has no row", id)
				}
				if int32(float32(id)) == id || id == 999_999_999 {
					rounded++
				}
			}
		}
		if all := w.Len() * 24; exact && rounded > all || !exact && rounded < all {
			t.Errorf("ids=%s: %d ids are float32 numbers", ids, rounded)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestHistoryIsSpoiledOnPurpose: shuffled, a history has the same entries in another order; hidden, it has none.
func TestHistoryIsSpoiledOnPurpose(t *testing.T) {
	load := func(history string) *requestSample {
		w, err := opened(t, sdk.Options{Params: map[string]string{"history": history}})
		if err != nil {
			t.Fatal(err)
		}
		s, err := w.Load(t.Context(), 3)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	plain, mixed, none := load("whole"), load("shuffled"), load("none")
	a, b := slices.Clone(plain.History.IDs), slices.Clone(mixed.History.IDs)
	if slices.Equal(a, b) {
		t.Error("nothing is shuffled")
	}
	slices.Sort(a)
	slices.Sort(b)
	if !slices.Equal(a, b) || len(mixed.Weights) != len(plain.Weights) {
		t.Error("a shuffled history has other entries")
	}
	if len(none.History.IDs)+len(none.Weights) > 0 || len(none.Labels) != len(plain.Labels) {
		t.Errorf("%+v, want no history", none.RequestSample)
	}
}

func TestBadData(t *testing.T) {
	dir := written(t, preferences.Eval())
	path := filepath.Join(dir, dataFolder, "0.csv")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), ".5", ".x")), 0o600); err != nil {
		t.Fatal(err)
	}
	small := drawnAsFiles()
	_, err = opened(t, sdk.Options{Dataset: dir, Params: small})
	if !errors.Is(err, sdk.ErrData) || !strings.Contains(err.Error(), "0.csv, line ") {
		t.Errorf("%v, want a line of 0.csv", err)
	}
	small["max_sequence"] = "24"
	_, err = opened(t, sdk.Options{Params: small})
	if !errors.Is(err, sdk.ErrUsage) {
		t.Errorf("no room for the user: %v", err)
	}
	if _, err = opened(t, sdk.Options{Dataset: t.TempDir()}); !errors.Is(err, sdk.ErrData) {
		t.Errorf("an empty folder: %v", err)
	}
}

// payload is one of an accuracy run.
func payload(values ...float32) []byte {
	var out []byte
	for _, v := range values {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
	}
	return out
}

func TestScore(t *testing.T) {
	score := func(o sdk.ScoreOptions, payloads ...[]byte) (sdk.Score, error) {
		s, err := New().OpenScorer(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range payloads {
			if err := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(i), Data: p}); err != nil {
				return sdk.Score{}, err
			}
		}
		return s.Result()
	}
	good := payload(0, 3, 0.9, 0.1, 0.1, 1, 0, 0, 1, 1, 1, 3)
	o := sdk.ScoreOptions{Dataset: written(t, preferences.Eval()), Exhibits: 2, Params: drawnAsFiles()}
	got, err := score(o, good, payload(1, 0, 0.5, 0.5, 0.5, 0, 1, 0, 1, 1, 1, 3), good)
	if err != nil {
		t.Fatal(err)
	}
	notes := strings.Join(got.Notes, "\n")
	for _, want := range []string{"better when lower", "it refuses this log", "1 requests have no area",
		"219 of 221 requests are not in the log", "1 entries are of requests that were in the log before"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes lack %q:\n%s", want, notes)
		}
	}
	if len(got.Metrics) != 3 || got.Metrics[0].Value > 0.9 || got.Samples != 3 || len(got.Exhibits) != 2 ||
		!strings.HasPrefix(got.Exhibits[0].Caption, "request 0 of period 1, 3 candidates: mean log loss 0.693") {
		t.Errorf("%+v", got)
	}
	got, err = score(sdk.ScoreOptions{}, payload(0, 0, 0.5, 0.5, 0.1, 0, 1, 0, 1, 1, 1, 3))
	notes = strings.Join(got.Notes, "\n")
	const between = "GAUC may be 50.000000 % to 100.000000 %"
	if err != nil || !strings.Contains(notes, between) || strings.Contains(notes, "refuses") {
		t.Errorf("%v, notes\n%s", err, notes)
	}
	for name, p := range map[string][]byte{
		"of a performance run": payload(0, 0, 0.5, 0.5), "with a prediction that is no number": payload(0, 0,
			float32(math.NaN()), 0.5, 1, 0, 1, 1, 2), "without candidates": payload(0, 0, 0),
	} {
		if _, err := score(sdk.ScoreOptions{}, p); !errors.Is(err, sdk.ErrData) {
			t.Errorf("a payload %s: %v", name, err)
		}
	}
}
