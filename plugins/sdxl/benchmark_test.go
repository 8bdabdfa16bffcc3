package sdxl

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

func TestBenchmark(t *testing.T) { manifesttest.Run(t, New(), "config=embedded", "latents=embedded") }

// TestSamplesAreSmall: LoadGen loads 5,000 captions at once, which are to take less than 10 MB.
func TestSamplesAreSmall(t *testing.T) {
	w, err := New().Open(t.Context(), sdk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const captions = 5000
	samples := make([]sdk.Sample, captions)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range samples {
		if samples[i], err = w.Load(t.Context(), i%w.Len()); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if took := int64(after.HeapAlloc) - int64(before.HeapAlloc); took > 10e6 {
		t.Errorf("%d bytes", took)
	}
	runtime.KeepAlive(samples)
}

func TestInform(t *testing.T) {
	w := newFake().workload(t)
	w.captions = append(w.captions, "caf\u00e9")
	var info sdk.WorkloadInfo
	w.AddInfo(&info)
	if text := strings.Join(info.OpenReasons, "; "); !strings.Contains(text, "20 denoising steps") ||
		!strings.Contains(text, "negative prompt") || strings.Contains(text, "guidance") {
		t.Errorf("open because: %s", text)
	}
	if text := info.BackendInfo["captions_outside_ascii"]; !strings.HasPrefix(text, "1:") {
		t.Errorf("captions outside ASCII: %q", text)
	}
	w.generateSettings = generateSettings{Steps: 20, Guidance: 8, Negative: officialNegative}
	info = sdk.WorkloadInfo{}
	if w.AddInfo(&info); len(info.OpenReasons) > 0 {
		t.Errorf("open because: %q", info.OpenReasons)
	}
}

// TestLoad pads both texts to 77 ids.
func TestLoad(t *testing.T) {
	w := newFake().workload(t)
	s, err := w.Load(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, ids := range s.ids {
		if len(ids) != 77 || !slices.Equal(ids[:4], []int32{1, 3, 3, 2}) {
			t.Errorf("%v", ids)
		}
	}
}
