package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// choosing is the doubler on one of the devices acme:0 and acme:1.
type choosing struct{ doubler }

func (choosing) CheckDevices(devices []string, _ map[string]string) error {
	for _, d := range devices {
		if d != "acme:0" && d != "acme:1" {
			return fmt.Errorf("%w: device %s, want acme:0 or acme:1", backend.ErrOption, d)
		}
	}
	return nil
}

func (c choosing) Open(ctx context.Context, m backend.Model, config backend.Config) (backend.Session, error) {
	s, err := c.doubler.Open(ctx, m, config)
	if err != nil {
		return nil, err
	}
	return chosen{s.(doublerSession), config.Device}, nil
}

type chosen struct {
	doublerSession
	device string
}

func (c chosen) Describe() backend.Info {
	return backend.Info{Version: "doubler 1", Devices: []string{c.device}}
}

// openOn opens the doubler in a process on a device.
func openOn(t *testing.T, fault, device string) (backend.Session, error) {
	t.Helper()
	return Backend{Output: io.Discard}.Open(t.Context(), doublerModel(), backend.Config{
		Device: device, Options: map[string]string{"command": command(t, fault)},
	})
}

func TestTheProcessRunsOnItsDevice(t *testing.T) {
	for _, device := range []string{"acme:1", ""} {
		s, err := openOn(t, "devices", device)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.(backend.Describer).Describe().Devices, " "); got != device {
			t.Errorf("it runs on %q, want %q", got, device)
		}
		checkBatch(t, s, 3)
		if got := s.Limits().Concurrency; got != 1 {
			t.Errorf("%d runs at a time, want 1 where neither side says", got)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestDevicesThatTheProcessDoesNotKnow(t *testing.T) {
	for fault, want := range map[string]string{
		"devices": "device acme:7, want acme:0 or acme:1",
		"none":    `device acme:7: the backend process knows no devices (its answer to Open lacks the capability "device")`,
	} {
		_, err := openOn(t, fault, "acme:7")
		if !errors.Is(err, backend.ErrOption) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", fault, err, want)
		}
	}
}
