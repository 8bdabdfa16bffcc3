package host_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/host"
	"github.com/plumbline-ml/plumbline/sdk/sdktest/null"
)

// racks is the null backend on the devices rack:0 to rack:4. A run on rack:3 fails, and closing rack:4 fails.
type racks struct{ null.Backend }

var rackNames = []string{"rack:0", "rack:1", "rack:2", "rack:3", "rack:4"}

func (racks) CheckDevices(devices []string, _ map[string]string) error {
	for _, d := range devices {
		if !slices.Contains(rackNames, d) {
			return fmt.Errorf("%w: device %s, want one of %s", backend.ErrOption, d, strings.Join(rackNames, ", "))
		}
	}
	return nil
}

func (racks) Describe() backend.Info {
	return backend.Info{Version: "racks 1", Devices: rackNames,
		Options: []backend.Option{{Name: "depth", Default: "1", Help: "how deep"}}}
}

func (r racks) Open(ctx context.Context, m backend.Model, c backend.Config) (backend.Session, error) {
	if c.Concurrency == 0 {
		c.Concurrency = 2
	}
	s, err := r.Backend.Open(ctx, m, c)
	switch {
	case err == nil && c.Device == rackNames[3]:
		return burnt{s}, nil
	case err == nil && c.Device == rackNames[4]:
		return stuck{s}, nil
	}
	return s, err
}

type stuck struct{ backend.Session }

func (s stuck) Close() error { return errors.Join(s.Session.Close(), errors.New("the door is stuck")) }

type burnt struct{ backend.Session }

func (burnt) Run(context.Context, []backend.Tensor, []backend.Tensor) error {
	return errors.New("it is on fire")
}

// onRacks opens the null workload on devices.
func onRacks(t *testing.T, p *host.Plugin, s loadgen.Scenario, devices ...string) (*host.Workload, error) {
	t.Helper()
	return p.Open(t.Context(), sdk.Options{Scenario: s, Count: 1000, Backend: "racks", Devices: devices})
}

// Each device processes a part of every scenario. The parts add up to the samples of the run, without the warm-up.
func TestSharesOfDevices(t *testing.T) {
	p := launch(t)
	for _, s := range loadgen.Scenarios() {
		t.Run(s.String(), func(t *testing.T) {
			w, err := onRacks(t, p, s, "rack:0", "rack:2")
			if err != nil {
				t.Fatal(err)
			}
			r, err := loadgen.StartTest(t.Context(), w.SUT(), w.QSL(), settings(s), loadgen.LogSettings{})
			if err = errors.Join(err, w.Close()); err != nil {
				t.Fatal(err)
			}
			shares := w.Info().Shares
			if len(shares) != 2 || shares[0].Name != "rack:0" || shares[1].Name != "rack:2" {
				t.Fatalf("shares %+v", shares)
			}
			if shares[0].Samples+shares[1].Samples != r.SampleCount || shares[0].Batches == 0 || shares[1].Batches == 0 {
				t.Errorf("shares %+v of %d samples", shares, r.SampleCount)
			}
			checkBatches(t, w.Info().Batching, s, r.SampleCount)
			if w.Info().BackendInfo["devices"] != "rack:0, rack:2" {
				t.Errorf("the backend says %v", w.Info().BackendInfo)
			}
		})
	}
}

// checkBatches requires that every sample of the run is in a batch, with its times, and no sample of the warm-up.
func checkBatches(t *testing.T, b sdk.BatchingReport, s loadgen.Scenario, samples uint64) {
	t.Helper()
	var n uint64
	for _, size := range b.Sizes {
		n += uint64(size.Samples) * size.Batches
	}
	timed := samples
	if s == loadgen.SingleStream { // one sample at a time
		timed = 0
	}
	told := len(b.Model.Percentiles) > 0
	if n != samples || b.Model.Count != timed || b.Waiting.Count != timed || told != (timed > 0) {
		t.Errorf("batches of %d samples, %+v, of %d", n, b, samples)
	}
}

// The facts known at the end are not lost if a device fails to close.
func TestFaultOfClosingCostsNoFacts(t *testing.T) {
	w, err := onRacks(t, launch(t), loadgen.Offline, "rack:0", "rack:4")
	if err != nil {
		t.Fatal(err)
	}
	r, err := loadgen.StartTest(t.Context(), w.SUT(), w.QSL(), settings(loadgen.Offline), loadgen.LogSettings{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.Close(); err == nil || !strings.Contains(err.Error(), "the door is stuck") {
			t.Errorf("error %v, want what failed", err)
		}
	}
	if shares := w.Info().Shares; len(shares) != 2 || shares[0].Samples+shares[1].Samples != r.SampleCount {
		t.Errorf("shares %+v of %d samples", shares, r.SampleCount)
	}
}

func TestOneDeviceHasNoShare(t *testing.T) {
	w, err := onRacks(t, launch(t), loadgen.Server, "rack:1")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil || len(w.Info().Shares) != 0 || w.Info().Sessions != 2 {
		t.Errorf("%+v, error %v; want two runs at a time, as the device says", w.Info(), err)
	}
}

func TestADeviceThatFailsEndsTheRunByName(t *testing.T) {
	w, err := onRacks(t, launch(t), loadgen.Offline, "rack:0", "rack:3")
	if err != nil {
		t.Fatal(err)
	}
	_, err = loadgen.StartTest(t.Context(), w.SUT(), w.QSL(), settings(loadgen.Offline), loadgen.LogSettings{})
	if err == nil || !strings.Contains(err.Error(), "device rack:3: it is on fire") {
		t.Errorf("error %v, want one of rack:3", err)
	}
}

func TestDevicesThatAreRefused(t *testing.T) {
	p := launch(t)
	for _, c := range []struct {
		options sdk.Options
		want    string
	}{
		{sdk.Options{Backend: "racks", Devices: []string{"rack:9"}},
			"backend racks: the backend's options are wrong: device rack:9, want one of rack:0, "},
		{sdk.Options{Backend: "racks", Devices: []string{"rack:1", "rack:1"}}, "device rack:1 is named twice"},
		{sdk.Options{Backend: "racks", Devices: []string{""}}, "a device without a name"},
		{sdk.Options{Backend: "racks", Devices: rackNames[:4], Sessions: 3, Scenario: loadgen.Server},
			"3 sessions for 4 devices"},
		{sdk.Options{Backend: "null", Devices: []string{"cpu"}}, "backend null does not let a run choose its device"},
	} {
		if _, err := p.Open(t.Context(), c.options); !errors.Is(err, sdk.ErrUsage) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q", c.options.Devices, err, c.want)
		}
	}
}

func TestBackendsAreDescribed(t *testing.T) {
	got, err := launch(t).Backends(t.Context())
	if err != nil || len(got) != 2 {
		t.Fatalf("%+v, error %v", got, err)
	}
	if n := got[0]; n.Name != "null" || n.Version != "null 1" || len(n.Devices) != 0 {
		t.Errorf("a backend that lets no run choose: %+v", n)
	}
	if r := got[1]; r.Name != "racks" || !slices.Equal(r.Devices, rackNames) || len(r.Options) != 1 ||
		r.Options[0].Help != "how deep" {
		t.Errorf("%+v", r)
	}
}

// A plugin that ignores the field would run on other devices than requested.
func TestAPluginThatKnowsNoDevices(t *testing.T) {
	p, err := launchFaulty(t, "none-raw")
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Open(t.Context(), sdk.Options{Devices: []string{"cuda:0"}})
	if !errors.Is(err, sdk.ErrUsage) || !strings.Contains(err.Error(), `knows no devices (capability "devices")`) {
		t.Errorf("error %v", err)
	}
	if infos, err := p.Backends(t.Context()); err != nil || len(infos) != 0 {
		t.Errorf("backends %+v, error %v", infos, err)
	}
}
