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
	"github.com/plumbline-ml/plumbline/sdk/internal/pool"
)

// placed opens sessions and records their devices and concurrency.
type placed struct {
	mu   sync.Mutex
	at   []string
	open sessions
}

func (p *placed) Open(ctx context.Context, m backend.Model, c backend.Config) (backend.Session, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = append(p.at, fmt.Sprintf("%s x%d", c.Device, c.Concurrency))
	if c.Device == "broken" {
		return nil, errors.New("no power")
	}
	s, err := p.open.Open(ctx, m, c)
	return limited{s, c.Concurrency}, err
}

// limited is a session with a limit.
type limited struct {
	backend.Session
	n int
}

func (l limited) Limits() backend.Limits { return backend.Limits{Concurrency: l.n} }

// Each device gets its own session and, for prompts, its own generator.
func TestEachDeviceIsOpened(t *testing.T) {
	for _, c := range []struct {
		devices []string
		want    string
	}{
		{nil, " x4"}, {[]string{"a"}, "a x4"}, {[]string{"a", "b", "c"}, "a x2, b x1, c x1"},
	} {
		p := &placed{}
		s, err := (&sessionSource{backend: p}).openSession(t.Context(), backend.Model{}, backend.Config{Concurrency: 4},
			c.devices)
		if err != nil {
			t.Fatal(err)
		}
		if _, several := s.(*pool.Session); several != (len(c.devices) > 1) {
			t.Errorf("%v: the session is a %T", c.devices, s)
		}
		slices.Sort(p.at)
		if got := strings.Join(p.at, ", "); got != c.want {
			t.Errorf("%v: opened %s, want %s", c.devices, got, c.want)
		}
		p = &placed{}
		g, err := (&sessionSource{backend: p}).openGenerator(t.Context(), decoded{},
			[]sdk.Part{{Model: backend.Model{Name: "bear"}}},
			sdk.Options{Sessions: 4, Devices: c.devices})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(p.at)
		if got := strings.Join(p.at, ", "); got != c.want {
			t.Errorf("%v: generators on %s, want %s", c.devices, got, c.want)
		}
		if got := len(deviceShares(g)); got != len(c.devices) && len(c.devices) > 1 {
			t.Errorf("%v: %d shares", c.devices, got)
		}
	}
}

func TestTheDeviceThatFailsIsNamed(t *testing.T) {
	for _, devices := range [][]string{{"broken"}, {"a", "broken"}} {
		_, errSession := (&sessionSource{backend: &placed{}}).openSession(t.Context(), backend.Model{Name: "bear"},
			backend.Config{},
			devices)
		_, errGenerator := (&sessionSource{backend: &placed{}}).openGenerator(t.Context(), decoded{},
			[]sdk.Part{{Model: backend.Model{Name: "bear"}}}, sdk.Options{Devices: devices})
		for _, err := range []error{errSession, errGenerator} {
			if err == nil || !strings.Contains(err.Error(), "device broken: open model ") {
				t.Errorf("%v: error %v", devices, err)
			}
		}
	}
}

// speechless is a backend whose description panics.
type speechless struct{ noBackend }

func (speechless) Describe() backend.Info { panic("at a loss") }

func TestBackendsThatCannotDescribeThemselves(t *testing.T) {
	got := backendRegistry{{"plain", noBackend{}}, {"speechless", speechless{}}}.backendInfos()
	if got[0].Name != "plain" || got[0].Version != "" || !strings.Contains(got[1].Details["fault"], "at a loss") {
		t.Errorf("%+v", got)
	}
}
