package audio

import (
	"errors"
	"math"
	"testing"
)

// TestFeaturesOfOtherToolkits compares values with those of kaldi-native-fbank 1.x and of torch's STFT with librosa's
// filters.
func TestFeaturesOfOtherToolkits(t *testing.T) {
	samples := made(20001, 3)
	for name, c := range map[string]struct {
		append func(dst, samples []float32) ([]float32, error)
		frames int
		at     [5][2]int // frame, filter
		want   [5]float64
	}{
		"kaldi": {
			NewKaldi(80).Append, 125, [5][2]int{{0, 0}, {0, 40}, {62, 79}, {124, 10}, {124, 79}},
			[5]float64{-15.9424, -15.9424, 3.56548, -3.52265, 4.91208},
		},
		"nemo": {
			NewNeMo(80).Append, 126, [5][2]int{{0, 0}, {0, 40}, {62, 79}, {125, 10}, {125, 79}},
			[5]float64{-1.59781, -1.93973, 0.523689, 0.63884, 0.841504},
		},
	} {
		got, err := c.append(nil, samples)
		if err != nil || len(got) != c.frames*80 {
			t.Fatalf("%s: %d values, %v; want %d frames", name, len(got), err, c.frames)
		}
		for i, at := range c.at {
			if v := float64(got[at[0]*80+at[1]]); math.Abs(v-c.want[i]) > 1e-3 {
				t.Errorf("%s: filter %d of frame %d is %v, want %v", name, at[1], at[0], v, c.want[i])
			}
		}
		if _, err := c.append(nil, make([]float32, 79)); !errors.Is(err, ErrShort) {
			t.Errorf("%s: 79 samples: %v, want ErrShort", name, err)
		}
		if again, err := c.append(nil, samples); err != nil || sum(again) != sum(got) {
			t.Errorf("%s: other features the second time: %v", name, err)
		}
	}
	if got, err := NewKaldi(80).Append(nil, make([]float32, 80)); err != nil || len(got) != 80 {
		t.Errorf("a clip of half a frame: %d values, %v", len(got), err)
	}
}
