package volumes

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// digest returns the hash of a volume's sizes, values and labels.
func digest(v *Volume) string {
	h := sha256.New()
	fmt.Fprint(h, v.Shape, v.Spacing)
	for _, hu := range v.Values {
		_ = binary.Write(h, binary.LittleEndian, hu)
	}
	h.Write(v.Labels)
	return fmt.Sprintf("%x", h.Sum(nil))
}

// TestVolumesNeverChange holds the voxels to those that the embedded model was trained and evaluated on.
func TestVolumesNeverChange(t *testing.T) {
	for _, c := range []struct {
		set  Set
		i    int
		want string
	}{
		{Eval(), 0, "1e86df7423412679d26b1fb7e791d3d39b134db616ec687cef032194e35bf9ed"},
		{Eval(), 42, "977621959638619e72d92b08ec5e30f4c559d7a7c061384ffcd6d20a3b3c3c7a"},
		{Train(), 0, "f34c59c0f0d300a7921a22eb7efe8768e1fb3a4d711c79cc6b1cdee0c1967b57"},
		{Calibration(), 11, "522092962c39e6eabf551a8c64015d65ebd25f85a0fad03ff0f9aa63e42856cb"},
	} {
		if got := digest(c.set.Draw(c.i)); got != c.want {
			t.Errorf("volume %d of seed %x is %s, want %s", c.i, c.set.Seed, got, c.want)
		}
	}
}

func TestVolumesAreWhatTheySay(t *testing.T) {
	for i := range 8 {
		v := Train().Draw(i)
		shape, spacing := Train().Size(i)
		if v.Shape != shape || v.Spacing != spacing {
			t.Errorf("volume %d: %v of %v, Size says %v of %v", i, v.Shape, v.Spacing, shape, spacing)
		}
		n := shape[0] * shape[1] * shape[2]
		if len(v.Values) != n || len(v.Labels) != n {
			t.Fatalf("volume %d: %d values, %d labels for shape %v", i, len(v.Values), len(v.Labels), shape)
		}
		checkContents(t, i, v)
	}
}

// checkContents wants kidneys and a tumour of a size worth finding, and values that a scanner gives.
func checkContents(t *testing.T, i int, v *Volume) {
	t.Helper()
	var voxels [3]int
	for k, label := range v.Labels {
		if label > Tumour {
			t.Fatalf("volume %d: label %d", i, label)
		}
		voxels[label]++
		if hu := v.Values[k]; hu < -1024 || hu > 3071 || hu != float32(math.Trunc(float64(hu))) {
			t.Fatalf("volume %d: %v HU", i, hu)
		}
		if float64(float32(v.Spacing[k%3])) != v.Spacing[k%3] {
			t.Fatalf("volume %d: spacing %v is not that of a float32", i, v.Spacing)
		}
	}
	cube := v.Spacing[0] * v.Spacing[1] * v.Spacing[2] // mm3
	if kidney, tumour := float64(voxels[Kidney])*cube, float64(voxels[Tumour])*cube; kidney < 3000 || kidney > 30000 ||
		tumour < 50 || tumour > 12000 {
		t.Errorf("volume %d: kidneys of %.0f mm3, tumours of %.0f mm3", i, kidney, tumour)
	}
}

func TestVolumesDependOnSeedAndIndexAlone(t *testing.T) {
	if digest(Set{draw.NewSampleSet(Train().Seed, 1)}.Draw(5)) != digest(Train().Draw(5)) {
		t.Error("the size of the set matters")
	}
	all := []string{digest(Train().Draw(0)), digest(Train().Draw(1)), digest(Calibration().Draw(0)),
		digest(Eval().Draw(0))}
	slices.Sort(all)
	if len(slices.Compact(all)) != 4 {
		t.Error("volumes of different seeds or indices are equal")
	}
}

func TestNames(t *testing.T) {
	if name := Eval().Name(7); name != "case_00007" || Eval().Len() != EvalCount {
		t.Errorf("%q of %d", name, Eval().Len())
	}
}

func TestNoiseIsNearlyNormal(t *testing.T) {
	s := newScan(draw.NewRandom(3))
	s.noise = 100
	var sum, squares float64
	const n = 20000
	for range n {
		v := float64(s.drawNoise())
		sum, squares = sum+v, squares+v*v
	}
	if mean, deviation := sum/n, math.Sqrt(squares/n); math.Abs(mean) > 3 || math.Abs(deviation-100) > 2 {
		t.Errorf("mean %v, deviation %v, want 0 and 100", mean, deviation)
	}
}

func BenchmarkDraw(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Eval().Draw(0)
	}
}
