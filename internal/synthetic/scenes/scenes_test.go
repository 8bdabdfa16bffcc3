package scenes

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

var update = flag.Bool("update", false, "rewrite testdata/scenes.sha256")

const goldenScenes = 12

// goldenText has the bytes and boxes that testdata/scenes.sha256 fixes.
func goldenText() string {
	var b strings.Builder
	for _, s := range []struct {
		name string
		set  Set
	}{{"train", Train()}, {"calibration", Calibration()}, {"eval", Eval()}} {
		for i := range goldenScenes {
			p := s.set.Picture(i)
			fmt.Fprintf(&b, "%s %d %dx%d %d %x %x\n", s.name, i, p.Width, p.Height, len(p.Objects),
				sha256.Sum256(fmt.Append(nil, p.Objects)), sha256.Sum256(s.set.PNG(i)))
		}
	}
	return b.String()
}

// TestScenesNeverChange holds pictures and boxes against those of the embedded model's training: a change here means
// that the model must be trained again.
func TestScenesNeverChange(t *testing.T) {
	path := filepath.Join("testdata", "scenes.sha256")
	got := goldenText()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n"); !slices.Equal(g, w) {
		for i, line := range g {
			if i >= len(w) || line != w[i] {
				t.Errorf("scene %q is not that of %s line %d", line, path, i+1)
			}
		}
	}
}

func TestSceneDependsOnSeedAndIndexAlone(t *testing.T) {
	small, large := Set{draw.NewSampleSet(9, 50)}, Set{draw.NewSampleSet(9, 5000)}
	if !reflect.DeepEqual(small.Picture(7), large.Picture(7)) || !bytes.Equal(small.PNG(7), large.PNG(7)) {
		t.Error("scene 7 of 50 and of 5000 differ")
	}
	other := Set{draw.NewSampleSet(10, 50)}
	if bytes.Equal(small.PNG(7), other.PNG(7)) || bytes.Equal(small.PNG(7), small.PNG(8)) {
		t.Error("scenes of another seed or index are equal")
	}
}

func TestPicturesAreWhatTheAnnotationsSay(t *testing.T) {
	set := Eval()
	for i := range 20 {
		p := set.Picture(i)
		img, err := png.Decode(bytes.NewReader(set.PNG(i)))
		if err != nil {
			t.Fatal(err)
		}
		if img.Bounds() != image.Rect(0, 0, p.Width, p.Height) {
			t.Errorf("scene %d: %v, want %d x %d", i, img.Bounds(), p.Width, p.Height)
		}
		short, long := min(p.Width, p.Height), max(p.Width, p.Height)
		if short < 200 || short > 360 || long > short*3/2 {
			t.Errorf("scene %d: %d x %d", i, p.Width, p.Height)
		}
	}
}

func TestBoxesLieWithinTheirPictures(t *testing.T) {
	set := Train()
	for i := range 500 {
		p := set.Picture(i)
		for _, o := range p.Objects {
			x, y, w, h := o.Box[0], o.Box[1], o.Box[2], o.Box[3]
			inside := x >= 0 && y >= 0 && w >= 1 && h >= 1 && x+w <= float64(p.Width) && y+h <= float64(p.Height)
			if !inside || !(o.Area > 0 && o.Area <= w*h) || o.Class < 0 || o.Class >= Classes {
				t.Errorf("scene %d of %d x %d: %+v", i, p.Width, p.Height, o)
			}
		}
	}
}

// TestScenesAreVaried counts what detection benchmarks need: every class, small, medium and large objects, overlaps,
// crowds, and scenes of one object and of many.
func TestScenesAreVaried(t *testing.T) {
	set := Eval()
	classes, counts := map[int]int{}, map[int]int{}
	var small, medium, large, crowds, overlapping int
	for i := range set.Len() {
		p := set.Picture(i)
		counts[len(p.Objects)]++
		for j, o := range p.Objects {
			classes[o.Class]++
			switch {
			case o.Crowd:
				crowds++
			case o.Area <= 32*32:
				small++
			case o.Area <= 96*96:
				medium++
			default:
				large++
			}
			if slices.ContainsFunc(p.Objects[:j], func(q Object) bool { return overlap(o.Box, q.Box) }) {
				overlapping++
			}
		}
	}
	all := small + medium + large
	if len(classes) != Classes || counts[0] > 0 || counts[1] == 0 || counts[8] == 0 {
		t.Errorf("objects by class %v, scenes by objects %v", classes, counts)
	}
	if small < all/5 || medium < all/3 || large < all/20 || overlapping < all/5 || crowds < set.Len()/10 ||
		crowds > set.Len()/5 {
		t.Errorf("%d small, %d medium, %d large, %d overlap an earlier one, %d crowds", small, medium, large,
			overlapping, crowds)
	}
}

func overlap(a, b [4]float64) bool {
	return a[0] < b[0]+b[2] && b[0] < a[0]+a[2] && a[1] < b[1]+b[3] && b[1] < a[1]+a[3]
}

func TestClassNames(t *testing.T) {
	seen := map[string]bool{}
	for c := range Classes {
		seen[ClassName(c)] = true
	}
	if len(seen) != Classes {
		t.Errorf("%d names of %d classes", len(seen), Classes)
	}
}

func TestSetNames(t *testing.T) {
	if n := Eval().Name(17); n != "scene_00000017.png" {
		t.Errorf("name %q", n)
	}
	if Train().Len() != TrainCount || Calibration().Len() != CalibrationCount || Eval().Len() != EvalCount {
		t.Error("the sizes of the sets are not those of the constants")
	}
}

func BenchmarkPNG(b *testing.B) {
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		Train().PNG(i % TrainCount)
		i++
	}
}
