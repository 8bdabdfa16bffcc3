package streets

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"image"
	"image/png"
	"math"
	"reflect"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/waymo"
	"github.com/plumbline-ml/plumbline/internal/draw"
)

var _ waymo.FrameSource = Set{}

// digest returns the hash of all that a frame has.
func digest(t *testing.T, s Set, i int) string {
	t.Helper()
	sum := sha256.New()
	fmt.Fprint(sum, *s.Frame(i))
	points, err := s.ReadPoints(i)
	if err != nil {
		t.Fatal(err)
	}
	_ = binary.Write(sum, binary.LittleEndian, points)
	for k := range waymo.Cameras {
		sum.Write(picture(t, s, i, k))
		sum.Write(s.Classes(i, k))
	}
	return fmt.Sprintf("%x", sum.Sum(nil))[:16]
}

func picture(t *testing.T, s Set, i, camera int) []byte {
	t.Helper()
	data, err := s.ReadPicture(i, camera)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestFramesNeverChange holds frames to those that the embedded models were trained and evaluated on.
func TestFramesNeverChange(t *testing.T) {
	for _, c := range []struct {
		set  Set
		i    int
		want string
	}{
		{Eval(), 0, "fa4a62558cba3c61"},
		{Eval(), 59, "e186f294e2b2db38"},
		{Train(), 0, "ec56e513ad65cc8f"},
		{Calibration(), 39, "4163a4a9a5f9f518"},
	} {
		if got := digest(t, c.set, c.i); got != c.want {
			t.Errorf("frame %d of seed %x is %s, want %s", c.i, c.set.Seed, got, c.want)
		}
	}
}

func TestFramesDependOnSeedAndIndexAlone(t *testing.T) {
	small, large, other := Set{draw.NewSampleSet(9, 5)}, Set{draw.NewSampleSet(9, 50)}, Set{draw.NewSampleSet(10, 5)}
	if !reflect.DeepEqual(small.Frame(4), large.Frame(4)) ||
		!bytes.Equal(picture(t, small, 4, 2), picture(t, large, 4, 2)) {
		t.Error("frame 4 of 5 and of 50 differ")
	}
	if bytes.Equal(picture(t, small, 4, 2), picture(t, other, 4, 2)) ||
		bytes.Equal(picture(t, small, 4, 2), picture(t, small, 3, 2)) {
		t.Error("pictures of another seed or index are equal")
	}
}

// TestFramesAreWhatTheySay: sizes of pictures and class maps, numbers of frames that no other has, values of points.
func TestFramesAreWhatTheySay(t *testing.T) {
	images := map[int]bool{}
	for _, set := range []Set{Train(), Calibration(), Eval()} {
		for i := range set.Len() {
			if images[set.image(i)] || set.image(i) > waymo.MaxImage {
				t.Fatalf("frame %d of seed %x is image %d", i, set.Seed, set.image(i))
			}
			images[set.image(i)] = true
		}
	}
	set := Eval()
	for i := range 3 {
		f := set.Frame(i)
		for k, shape := range f.Shapes {
			img, err := png.Decode(bytes.NewReader(picture(t, set, i, k)))
			if err != nil {
				t.Fatal(err)
			}
			if n := len(set.Classes(i, k)); img.Bounds() != image.Rect(0, 0, shape.Width, shape.Height) ||
				n != shape.Width*shape.Height {
				t.Errorf("frame %d, camera %d: %v and %d classes, want %+v", i, k, img.Bounds(), n, shape)
			}
		}
		points, _ := set.ReadPoints(i)
		for ; len(points) > 0; points = points[waymo.PointValues:] {
			away := math.Hypot(float64(points[0]), float64(points[1]))
			if away < 1 || away > 25.1 || points[2] < -0.1 || points[2] > 4 || points[3] < 0 || points[3] > 1 ||
				points[4] < 0 || points[4] > 1 {
				t.Fatalf("frame %d: point %v", i, points[:waymo.PointValues])
			}
		}
	}
}

// TestEnoughOfEachClassCounts: fewer than 41 could never score 100.
func TestEnoughOfEachClassCounts(t *testing.T) {
	counts, hidden, signs := map[string]int{}, 0, 0
	for i := range EvalCount {
		for _, o := range Eval().Frame(i).Objects {
			switch {
			case o.Name == "Sign":
				signs++
			case o.Difficulty == 0:
				counts[o.Name]++
			default:
				hidden++
			}
		}
	}
	for _, name := range []string{"Pedestrian", "Cyclist", "Car"} {
		if counts[name] < 180 {
			t.Errorf("%d of class %s count, want 180", counts[name], name)
		}
	}
	if len(counts) != 3 || hidden < 20 || signs < 20 {
		t.Errorf("counting: %v, hidden: %d, signs: %d", counts, hidden, signs)
	}
}

// inside reports whether a point of camera 0's frame is in an object that was made larger by margin, above its feet.
func inside(o waymo.FrameObject, p [3]float64, margin float64) bool {
	sin, cos := math.Sincos(float64(o.RotationY))
	dx, dz := p[0]-float64(o.Location[0]), p[2]-float64(o.Location[2])
	along, across := dx*cos-dz*sin, dx*sin+dz*cos
	above := float64(o.Location[1]) - p[1]
	return math.Abs(along) < float64(o.Dimensions[0])/2+margin && math.Abs(across) < float64(o.Dimensions[2])/2+margin &&
		above > 0.3 && above < float64(o.Dimensions[1])+margin
}

// apply returns a matrix times (p, 1).
func apply(m waymo.Matrix, p [3]float64) (q [3]float64) {
	for r := range q {
		q[r] = float64(m[4*r])*p[0] + float64(m[4*r+1])*p[1] + float64(m[4*r+2])*p[2] + float64(m[4*r+3])
	}
	return q
}

// TestSensorsSeeTheSame: points in an object's box project, by the frame's calibration, to pixels of its class; so that
// boxes, points, pictures and matrices are of one geometry.
func TestSensorsSeeTheSame(t *testing.T) {
	classes := map[string][]uint8{"Pedestrian": {11}, "Cyclist": {12, 18}, "Car": {13}}
	right, all, seen := map[string]int{}, map[string]int{}, map[int]int{}
	for i := range 20 {
		f := Eval().Frame(i)
		points, _ := Eval().ReadPoints(i)
		for k := range waymo.Cameras {
			pixels := Eval().Classes(i, k)
			for at := 0; at < len(points); at += waymo.PointValues {
				p := [3]float64{float64(points[at]), float64(points[at+1]), float64(points[at+2])}
				u, v, ok := project(f, k, p)
				if !ok {
					continue
				}
				seen[k]++
				for _, o := range f.Objects {
					if o.Difficulty == 0 && inside(o, apply(f.Calibration.Tr[0], p), 0.05) {
						all[o.Name]++
						if bytes.IndexByte(classes[o.Name], pixels[v*f.Shapes[k].Width+u]) >= 0 {
							right[o.Name]++
						}
					}
				}
			}
		}
	}
	for name := range classes {
		if all[name] < 500 || right[name] < all[name]*80/100 {
			t.Errorf("%s: %d of %d points at pixels of the class", name, right[name], all[name])
		}
	}
	if len(seen) != waymo.Cameras {
		t.Errorf("points seen by camera: %v", seen)
	}
}

// project returns the pixel of a camera at which a point lies.
func project(f *waymo.Frame, camera int, p [3]float64) (u, v int, ok bool) {
	c := apply(f.Calibration.Tr[camera], p)
	q := apply(f.Calibration.P[camera], apply(f.Calibration.R0, c))
	u, v = int(math.Floor(q[0]/q[2])), int(math.Floor(q[1]/q[2]))
	shape := f.Shapes[camera]
	return u, v, c[2] > 0 && u >= 0 && u < shape.Width && v >= 0 && v < shape.Height
}

// TestPicturesAloneTellCyclists: the shapes of cyclists and pedestrians and the echo of their surfaces are drawn alike,
// so that their mean sizes and the material's echo agree.
func TestPicturesAloneTellCyclists(t *testing.T) {
	sum, count := map[string][3]float64{}, map[string]float64{}
	for i := range 200 {
		for _, o := range Train().world(i).objects {
			s := sum[o.name]
			for k, v := range [...]int{o.length, o.width, o.height} {
				s[k] += float64(v) / metre
			}
			sum[o.name] = s
			count[o.name]++
		}
	}
	for k := range 3 {
		a, b := sum["Pedestrian"][k]/count["Pedestrian"], sum["Cyclist"][k]/count["Cyclist"]
		if math.Abs(a-b) > 0.03*a {
			t.Errorf("size %d: pedestrians have %.3f m, cyclists %.3f", k, a, b)
		}
	}
	want, elongation := cloth.echo()
	for _, m := range []material{riding, bicycle} {
		if a, b := m.echo(); a != want || b != elongation {
			t.Errorf("echo %d, %d of material %d, want %d, %d", a, b, m, want, elongation)
		}
	}
}

func BenchmarkFrame(b *testing.B) {
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		Eval().Frame(i % EvalCount)
		i++
	}
}

func BenchmarkSample(b *testing.B) {
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		_, _ = Eval().ReadPoints(i % EvalCount)
		for k := range waymo.Cameras {
			_, _ = Eval().ReadPicture(i%EvalCount, k)
		}
		i++
	}
}
