package runs_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"

	"github.com/plumbline-ml/plumbline/bench/record"
)

func TestRunOnDevices(t *testing.T) {
	s := clitest.New(t)
	s.Fakes["resnet50"].Info.Shares = []backend.WorkShare{{Name: "cuda:0", Batches: 3, Samples: 24},
		{Name: "cuda:1", Batches: 1, Samples: 8}}
	s.Want(0, s.Run("run", "resnet50", "--scenario", "Offline", "--mode", "performance",
		"--device", "cuda:0,cuda:1", "--out", s.Out()),
		"devices   cuda:0, cuda:1", "    of the samples: cuda:0 75.0 %, cuda:1 25.0 %\n")
	devices := []string{"cuda:0", "cuda:1"}
	if got := s.Fakes["resnet50"].Opened()[0].Devices; !slices.Equal(got, devices) {
		t.Errorf("the plugin was asked for %q, want %q", got, devices)
	}
	run := s.Result().Runs[0]
	want := []record.Share{{Name: "cuda:0", Batches: 3, Samples: 24, Fraction: 0.75},
		{Name: "cuda:1", Batches: 1, Samples: 8, Fraction: 0.25}}
	if !reflect.DeepEqual(run.Workload.Shares, want) || !slices.Equal(run.Options.Devices, devices) {
		t.Errorf("result.json says devices %q, shares %+v", run.Options.Devices, run.Workload.Shares)
	}
}

func TestDeviceFlagMayBeRepeated(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--dry-run", "--device", "cpu:0-3,cpu:8+9", "--device", "cuda:0"),
		"devices   cpu:0-3, cpu:8+9, cuda:0")
	s.Want(2, s.Run("run", "resnet50", "--device", "cpu,,cuda", "--out", s.Out()),
		`--device "cpu,,cuda": a device without a name`)
}

func TestADeviceThatTheBackendRefuses(t *testing.T) {
	s := clitest.New(t)
	s.Fakes["resnet50"].OpenErr = sdk.Usage(errors.New("backend ort: device npu: want one of cpu, cuda"))
	s.Want(2, s.Run("run", "resnet50", "--device", "npu", "--out", s.Out()), "device npu: want one of cpu, cuda")
}

func TestWhereDevicesAreListed(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("list", "--devices"), "PLUGIN    BACKEND  DEVICES                  VERSION",
		"resnet50  ort      cpu:0-7, cuda:0, cuda:1  ONNX Runtime 1.28.2")
	s.Want(0, s.Run("doctor"), "name cpu:0-7, cuda:0, cuda:1")
	s.Want(0, s.Run("list"))
	if strings.Contains(s.Stdout.String(), "cuda:1") {
		t.Error("list starts plugins that it need not start")
	}
}

// A backend that wants to be told where its servers are is no fault of the machine.
func TestDoctorOpensWhatItCan(t *testing.T) {
	s := clitest.New(t)
	s.Fakes["resnet50"].OpenErr = sdk.Usage(errors.New("option url is missing"))
	s.Want(0, s.Run("doctor"), "needs options to be tried on")
}
