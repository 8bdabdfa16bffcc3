package synthetic

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

var update = flag.Bool("update", false, "rewrite testdata/pictures.sha256")

// goldenPictures returns the sets and indices whose bytes testdata/pictures.sha256 fixes.
func goldenPictures() string {
	var b strings.Builder
	for _, set := range []struct {
		name   string
		images ImageSet
	}{{"train", ImageTrain()}, {"calibration", ImageCalibration()}, {"eval", ImageEval()}} {
		for i := range ImageClasses {
			fmt.Fprintf(&b, "%s %d %d %x\n", set.name, i, set.images.Label(i), sha256.Sum256(set.images.PNG(i)))
		}
	}
	return b.String()
}

// TestPicturesNeverChange holds the bytes of pictures against those of the embedded model's training: a change here
// means that the model must be trained again.
func TestPicturesNeverChange(t *testing.T) {
	path := filepath.Join("testdata", "pictures.sha256")
	got := goldenPictures()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	wantLines := strings.Split(string(want), "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(wantLines) || line != wantLines[i] {
			t.Errorf("picture %q is not that of %s line %d", line, path, i+1)
		}
	}
}

func TestPictureDependsOnSeedAndIndexAlone(t *testing.T) {
	small, large := ImageSet{draw.NewSampleSet(9, 50)}, ImageSet{draw.NewSampleSet(9, 5000)}
	if small.Label(7) != large.Label(7) || !bytes.Equal(small.PNG(7), large.PNG(7)) {
		t.Error("picture 7 of 50 and of 5000 differ")
	}
	other := ImageSet{draw.NewSampleSet(10, 50)}
	if bytes.Equal(small.PNG(7), other.PNG(7)) || bytes.Equal(small.PNG(7), small.PNG(8)) {
		t.Error("pictures of another seed or index are equal")
	}
}

func TestSetsAreBalanced(t *testing.T) {
	for _, set := range []ImageSet{ImageTrain(), ImageCalibration(), ImageEval()} {
		count := make([]int, ImageClasses)
		for i := range set.Len() {
			count[set.Label(i)]++
		}
		for label, n := range count {
			if n != set.Len()/ImageClasses {
				t.Errorf("seed %x: %d pictures of class %d, want %d", set.Seed, n, label, set.Len()/ImageClasses)
			}
		}
	}
}

func TestLabelsHaveNoPattern(t *testing.T) {
	set := ImageEval()
	same := 0
	for i := range ImageClasses {
		if set.Label(i) == set.Label(i+ImageClasses) {
			same++
		}
	}
	if same > ImageClasses/3 {
		t.Errorf("%d of %d classes come at the same place in two runs", same, ImageClasses)
	}
}

func TestPicturesVary(t *testing.T) {
	set := ImageEval()
	portrait, sizes := 0, map[image.Point]bool{}
	for i := range 100 {
		img, err := png.Decode(bytes.NewReader(set.PNG(i)))
		if err != nil {
			t.Fatalf("picture %d: %v", i, err)
		}
		size := img.Bounds().Size()
		short, long := min(size.X, size.Y), max(size.X, size.Y)
		if short < 180 || short > 420 || long*100 > short*165 {
			t.Errorf("picture %d: %v, want a short side of 180 to 420 and a ratio up to 1.65", i, size)
		}
		if size.Y > size.X {
			portrait++
		}
		sizes[size] = true
		checkContrast(t, i, img)
	}
	if portrait < 20 || portrait > 60 || len(sizes) < 90 {
		t.Errorf("100 pictures: %d portraits, %d sizes", portrait, len(sizes))
	}
}

// checkContrast reports a picture with few colours.
func checkContrast(t *testing.T, i int, img image.Image) {
	t.Helper()
	colors := map[[3]uint32]bool{}
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y += 8 {
		for x := b.Min.X; x < b.Max.X; x += 8 {
			r, g, b, _ := img.At(x, y).RGBA()
			colors[[3]uint32{r >> 8, g >> 8, b >> 8}] = true
		}
	}
	if len(colors) < 50 {
		t.Errorf("picture %d has %d colours", i, len(colors))
	}
}

func TestPalettesSwapWithRedAndBlue(t *testing.T) {
	for i := range 2 {
		if hues[warm][i]+hues[cool][1-i] != 1024 {
			t.Errorf("warm hues %v, cool hues %v: want each other's image under h -> 1024 - h", hues[warm], hues[cool])
		}
	}
}

func TestName(t *testing.T) {
	if got := ImageEval().Name(17); got != "synthetic_00000017.png" {
		t.Errorf("Name(17) = %q", got)
	}
}
