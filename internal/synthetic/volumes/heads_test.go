package volumes

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"
)

// headDigest returns the hash of a head's shape, channels and labels.
func headDigest(h *Head) string {
	sum := sha256.New()
	fmt.Fprint(sum, h.Shape)
	for _, values := range h.Channels {
		_ = binary.Write(sum, binary.LittleEndian, values)
	}
	sum.Write(h.Labels)
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// TestHeadsNeverChange holds the voxels to those that the embedded model was trained and evaluated on.
func TestHeadsNeverChange(t *testing.T) {
	for _, c := range []struct {
		set  HeadSet
		i    int
		want string
	}{
		{HeadEval(), 0, "8c4bf22728f2fcae0e2a419638a5f1db17b2d512885b53e6215c4b83f763036f"},
		{HeadEval(), 23, "5803d1f4da615f0e43f3ae8d579a3804863c09e659ce60c82ebd351e60c2940d"},
		{HeadTrain(), 0, "938fc0bcef97d108a84c8e33b40f5f72e45897b0a2c67c8f73fb7de522136e2d"},
		{HeadCalibration(), 11, "255dcb1d5e2a8551eeec33ab06a0bd4e220f8e1336dee0e4c4ffbc1dcb91b15b"},
	} {
		if got := headDigest(c.set.Draw(c.i)); got != c.want {
			t.Errorf("head %d of seed %x is %s, want %s", c.i, c.set.Seed, got, c.want)
		}
	}
}

// TestHeadsAreWhatTheySay: sizes, values, names, a brain that a model of 32 voxels a side takes, and a lesion within it
// whose enhancing part is missing where the name says so.
func TestHeadsAreWhatTheySay(t *testing.T) {
	hollows := 0
	for i := range HeadEvalCount {
		h := HeadEval().Draw(i)
		if n := h.Shape[0] * h.Shape[1] * h.Shape[2]; h.Shape != HeadEval().Size(i) || len(h.Labels) != n ||
			slices.Min(h.Shape[:]) < 36 || slices.Max(h.Shape[:]) > 40 {
			t.Fatalf("head %d: shape %v, Size says %v, %d labels", i, h.Shape, HeadEval().Size(i), len(h.Labels))
		}
		low, high, voxels := h.Shape, [3]int{}, map[uint8]int{}
		for at, label := range h.Labels {
			voxels[label]++
			plane := h.Shape[1] * h.Shape[2]
			seen := h.Channels[0][at] != 0
			for _, values := range h.Channels {
				if v := values[at]; v != float32(math.Trunc(float64(v))) || v < 0 || v > 3071 || (v != 0) != seen {
					t.Fatalf("head %d: voxel %d is %v, and seen in the first channel: %t", i, at, v, seen)
				}
			}
			if !seen {
				if label != 0 {
					t.Fatalf("head %d: label %d where nothing is seen", i, label)
				}
				continue
			}
			for k, place := range [3]int{at / plane, at % plane / h.Shape[2], at % h.Shape[2]} {
				low[k], high[k] = min(low[k], place), max(high[k], place)
			}
		}
		for k := range low {
			if size := high[k] - low[k] + 1; size > 32 {
				t.Errorf("head %d: a brain of %d voxels along axis %d, want at most 32", i, size, k)
			}
		}
		for row := range slices.Chunk(h.Channels[0], h.Shape[2]) {
			first := slices.IndexFunc(row, func(v float32) bool { return v != 0 })
			if first < 0 {
				continue
			}
			gap := slices.Index(row[first:], 0)
			if gap > 0 && slices.ContainsFunc(row[first+gap:], func(v float32) bool { return v != 0 }) {
				hollows++
			}
		}
		if enhancing := HeadEval().Name(i)[:3] == "HGG"; voxels[Oedema] < 500 || voxels[NonEnhancing] < 80 ||
			(voxels[Enhancing] > 0) != enhancing || len(voxels) > 4 {
			t.Errorf("head %d, %s: voxels by label %v", i, HeadEval().Name(i), voxels)
		}
	}
	if hollows == 0 {
		t.Error("no head has a hollow")
	}
}

// TestBordersShowInOtherChannels: parts of a lesion differ in the channels of their border, and in no other.
func TestBordersShowInOtherChannels(t *testing.T) {
	for _, c := range []struct {
		outer, inner shades
		differ       [HeadChannels]bool // T1, T1 with contrast agent, T2, FLAIR
	}{
		{brainShades(), oedemaShades(), [4]bool{false, false, true, true}},
		{oedemaShades(), coreShades(), [4]bool{true, false, false, false}},
		{coreShades(), enhancingShades(), [4]bool{false, true, false, false}},
	} {
		for channel := range c.differ {
			if (c.outer[channel] != c.inner[channel]) != c.differ[channel] {
				t.Errorf("%v and %v in channel %d", c.outer, c.inner, channel)
			}
		}
	}
	if a, b := HeadEval().Name(4), HeadEval().Name(5); a != "HGG__Plumbline_004" || b != "LGG__Plumbline_005" {
		t.Errorf("names %s, %s", a, b)
	}
}
