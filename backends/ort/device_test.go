package ort

import (
	"errors"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func TestParseCores(t *testing.T) {
	for list, want := range map[string]string{
		"0": "0", "0-3": "0-3", "8-9+0-1": "0-1+8-9", "1+2+3": "1-3", "5-5": "5", "0-1023": "0-1023", "007": "7",
	} {
		c, err := parseCores(list)
		if err != nil || c.String() != want {
			t.Errorf("%s: %v, error %v, want %s", list, c, err, want)
		}
	}
	for list, want := range map[string]string{
		"": "want core numbers", "0,1": "want core numbers", "a": "want core numbers", "-1": "want core numbers",
		"1-":  "want core numbers",
		"3-1": "ends before it begins", "1+1": "core 1 is listed twice", "0-4+3": "core 3 is listed twice",
		"1024":        "a number below 1024",
		"99999999999": "a number below 1024", "1++2": "want core numbers", " 1": "want core numbers",
	} {
		if _, err := parseCores(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", list, err, want)
		}
	}
}

func FuzzParseCores(f *testing.F) {
	for _, seed := range []string{"0-7+16-23", "1+3", "", "5-2", "0-1023", "99999999999999999999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, list string) {
		c, err := parseCores(list)
		if err != nil {
			return
		}
		again, err := parseCores(c.String())
		if c.count() == 0 || err != nil || again != c {
			t.Errorf("%q is %v, which is read as %v, error %v", list, c, again, err)
		}
	})
}

func TestDevicesOfAProvider(t *testing.T) {
	for name, want := range map[string]string{
		"cpu": "cpu:", "cuda": "cuda:0", "cuda:0": "cuda:0", "cuda:07": "cuda:7", "tensorrt:1": "tensorrt:1",
		"openvino": "openvino:", "openvino:GPU.1": "openvino:GPU.1",
	} {
		if d, err := parseDevice(name); err != nil || d.canonicalName() != want {
			t.Errorf("%s is %s, error %v, want %s", name, d.canonicalName(), err, want)
		}
	}
	for name, want := range map[string]string{
		"gpu": "device gpu: want one of cpu, cuda", "cuda:": "nothing follows the colon",
		"cuda:one": `"one", want the number of a device`,
		"cuda:-1":  "want the number", "coreml:1": "has no devices to choose from; name it coreml", "cpu:x": "0-7+16-23",
		"": "want one of cpu",
	} {
		if _, err := parseDevice(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
}

func TestCheckDevices(t *testing.T) {
	names := func(n ...string) []string { return n }
	for _, c := range []struct {
		devices []string
		options map[string]string
		want    []string // parts of the error; none: it is right
	}{
		{names("cuda:0", "cuda:1", "cpu"), nil, nil},
		{names("cuda:0", "tensorrt:0"), nil, nil},
		{names("cuda:1"), map[string]string{"provider": "cuda"}, nil},
		{names("cuda"), map[string]string{"provider.device_id": "3"}, nil},
		{names("cuda:0", "cuda"), nil, names("devices cuda:0 and cuda are the same")},
		{names("cuda:1", "cuda:01"), nil, names("devices cuda:1 and cuda:01 are the same")},
		{names("cpu", "cpu:"), nil, names("device cpu:: nothing follows the colon")},
		{names("npu", "cuda:x"), nil, names("device npu: want one of", "device cuda:x: ")},
		{names("cuda:1"), map[string]string{"provider": "tensorrt"},
			names("device cuda:1 and option provider=tensorrt exclude each other")},
		{names("cuda:1"), map[string]string{"provider.device_id": "1"},
			names("device cuda:1 and option provider.device_id=1 name the same thing twice")},
	} {
		err := Backend{Library: "nowhere.so"}.CheckDevices(c.devices, c.options)
		if (err == nil) != (len(c.want) == 0) || err != nil && !errors.Is(err, backend.ErrOption) {
			t.Errorf("%v, %v: error %v", c.devices, c.options, err)
		}
		for _, want := range c.want {
			if err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%v, %v: error %v, want %q", c.devices, c.options, err, want)
			}
		}
	}
}

// TestPlan checks that the cores of the device are divided and that an accelerator does not count as a core.
func TestPlan(t *testing.T) {
	four, err := parseCores("0-3")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		set                  ortSettings
		config               backend.Config
		threads, concurrency int
	}{
		{ortSettings{device: deviceName{cores: four}}, backend.Config{}, 1, 4},
		{ortSettings{device: deviceName{cores: four}}, backend.Config{Concurrency: 2}, 2, 2},
		{ortSettings{device: deviceName{cores: four}}, backend.Config{Concurrency: 1, LowLatency: true}, 4, 1},
		{ortSettings{device: deviceName{cores: four}, threads: 2}, backend.Config{}, 2, 2},
		{ortSettings{provider: "cuda"}, backend.Config{}, 1, acceleratorRuns},
		{ortSettings{provider: "cuda", threads: 3}, backend.Config{Concurrency: 5}, 3, 5},
	} {
		if c.set.provider == "" {
			c.set.provider = defaultProvider
		}
		threads, concurrency := c.set.planThreads(c.config)
		if threads != c.threads || concurrency != c.concurrency {
			t.Errorf("%+v: %d threads, %d runs, want %d and %d", c.config, threads, concurrency, c.threads, c.concurrency)
		}
	}
}
