package whisper

import "testing"

func TestDrawnClips(t *testing.T) {
	all := planPacks()
	if len(all) != drawnPackCount {
		t.Fatalf("%d clips, want %d", len(all), drawnPackCount)
	}
	for _, i := range []int{0, 7, drawnPackCount - 1} {
		samples, err := all.Sound(i)
		if err != nil || len(samples) != all[i].Samples || len(samples) > 30*16000 || len(all[i].ClipIndices) < 2 {
			t.Errorf("clip %d: %d samples of %d clips, want %d of several, and 30 s at most: %v", i, len(samples),
				len(all[i].ClipIndices), all[i].Samples, err)
		}
	}
}
