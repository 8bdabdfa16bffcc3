package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// recorder is a backend that records how it opens models.
type recorder struct {
	mu     sync.Mutex
	opened []string
	beside map[string]int
	refuse string // a part that cannot be opened
}

func (r *recorder) Open(_ context.Context, m backend.Model, c backend.Config) (backend.Session, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.opened = append(r.opened, fmt.Sprintf("%s %s%s x%d batch %d %v", c.Part, m.Path, onDeviceText(c.Device),
		c.Concurrency,
		c.MaxBatch, c.Options))
	if r.beside == nil {
		r.beside = map[string]int{}
	}
	r.beside[c.Part+c.Device] = len(c.Siblings)
	for key := range c.Options {
		if strings.Contains(key, ".") {
			return nil, fmt.Errorf("%w: unknown option %s", backend.ErrOption, key)
		}
	}
	if c.Part == r.refuse {
		return nil, fmt.Errorf("%w: tensor y is missing", backend.ErrTensors)
	}
	return &named{part: c.Part}, nil
}

// named is a session that knows its part.
type named struct {
	counting
	part string
}

func (*named) Close() error { return nil }

func (n *named) Describe() backend.Info {
	return backend.Info{Version: "7", Details: map[string]string{"library": "l", "threads": n.part}}
}

func twoParts() []sdk.Part {
	return []sdk.Part{
		{Name: "encoder", Model: backend.Model{Path: "e.onnx"}, RunsPerSample: 0.5, MaxBatch: 3},
		{Name: "decoder", Model: backend.Model{Path: "d.onnx"}, RunsPerSample: 10},
		{Name: "extra", Optional: true},
	}
}

func TestPartsAreOpenedOnEachDevice(t *testing.T) {
	c := backend.Config{Concurrency: 4, MaxBatch: 8, Options: map[string]string{"threads": "1", "decoder.threads": "2"}}
	r := &recorder{}
	sets, err := (&sessionSource{backend: r}).openSets(t.Context(), twoParts(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"encoder e.onnx x2 batch 3 map[threads:1]", "decoder d.onnx x4 batch 8 map[threads:2]"}
	if !slices.Equal(r.opened, want) || r.beside["encoder"] != 0 || r.beside["decoder"] != 1 {
		t.Errorf("opened %q beside %v, want %q", r.opened, r.beside, want)
	}
	if about := backendFacts(sets.Describe()); about["version"] != "7" || about["library"] != "l" ||
		about["decoder.threads"] != "decoder" || about["threads"] != "" {
		t.Errorf("%v", about)
	}
	lane := sets.Lane()
	sessions := sdk.Sessions(lane.Sessions())
	if sessions.Part("extra") != nil || sessions.Part("encoder") == nil {
		t.Errorf("sessions %v", sessions)
	}
	several := &recorder{}
	sets, err = (&sessionSource{backend: several}).openSets(t.Context(), twoParts(), c, []string{"a", "b"})
	if err != nil || len(several.opened) != 4 || several.beside["decodera"] != 1 || several.beside["decoderb"] != 1 {
		t.Errorf("opened %q beside %v, error %v", several.opened, several.beside, err)
	}
	for range 4 {
		lane := sets.Lane()
		lane.Begin(2)
		for _, s := range lane.Sessions() {
			if err := s.Run(t.Context(), nil, nil); err != nil {
				t.Error(err)
			}
		}
		lane.End()
	}
	if done := deviceShares(sets); len(done) != 2 || done[0] != (backend.WorkShare{Name: "a", Batches: 4, Samples: 4}) ||
		done[1].Samples != 4 {
		t.Errorf("shares %v", done)
	}
}

func TestPartsThatDoNotOpen(t *testing.T) {
	for name, c := range map[string]struct {
		options map[string]string
		refuse  string
		class   error
		want    []string
	}{
		"an option of no part": {map[string]string{"encdr.threads": "1"}, "", backend.ErrOption,
			[]string{"encdr.threads", "are encoder, decoder, extra"}},
		"tensors": {nil, "decoder", backend.ErrTensors,
			[]string{"open part decoder, model d.onnx", "tensor y is missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := (&sessionSource{backend: &recorder{refuse: c.refuse}}).openSets(t.Context(), twoParts(),
				backend.Config{Options: c.options}, nil)
			if !errors.Is(err, c.class) {
				t.Fatalf("error %v", err)
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %v, want %q", err, part)
				}
			}
		})
	}
}
