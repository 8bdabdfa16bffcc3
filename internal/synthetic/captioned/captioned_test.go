package captioned

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

var update = flag.Bool("update", false, "rewrite testdata/pictures.sha256")

// TestPicturesNeverChange holds captions, pictures and noise against those of the embedded model's training: a change
// here means that the model must be trained again.
func TestPicturesNeverChange(t *testing.T) {
	var b strings.Builder
	for _, s := range []struct {
		name string
		set  Set
	}{{"train", Train()}, {"reference", Reference()}, {"eval", Eval()}} {
		for i := 0; i < s.set.Len(); i += s.set.Len() / 10 {
			fmt.Fprintf(&b, "%s %d %x %s\n", s.name, i, sha256.Sum256(s.set.PNG(i)), s.set.Caption(i))
		}
	}
	latent, err := binary.Append(nil, binary.LittleEndian, Latent())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "latent %x\n", sha256.Sum256(latent))
	path := filepath.Join("testdata", "pictures.sha256")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the pictures are not those of %s:\n%s", path, b.String())
	}
}

func TestPictureDependsOnSeedAndIndexAlone(t *testing.T) {
	small, large := Set{draw.NewSampleSet(9, 50)}, Set{draw.NewSampleSet(9, 5000)}
	if small.Caption(7) != large.Caption(7) || !bytes.Equal(small.PNG(7), large.PNG(7)) {
		t.Error("picture 7 of 50 and of 5000 differ")
	}
	if other := (Set{draw.NewSampleSet(10, 50)}); bytes.Equal(small.PNG(7), other.PNG(7)) || bytes.Equal(small.PNG(7),
		small.PNG(8)) {
		t.Error("pictures of another seed or index are equal")
	}
	if n := small.Name(7); n != "captioned_00000007.png" {
		t.Errorf("name %q", n)
	}
}

// TestCaptionsNameWhatIsSeen looks for the colours of a caption in its picture.
func TestCaptionsNameWhatIsSeen(t *testing.T) {
	for i := range 300 {
		s := Train().scene(i)
		img, err := png.Decode(bytes.NewReader(Train().PNG(i)))
		if err != nil || img.Bounds() != image.Rect(0, 0, Side, Side) {
			t.Fatalf("picture %d: %v, %v", i, img.Bounds(), err)
		}
		text, found := Train().Caption(i), shares(img)
		for _, f := range s.figures {
			if name := colors[f.color].name; !strings.Contains(text, name+" "+f.shape.String()) || found[f.color] < 20 {
				t.Errorf("picture %d, %q: %d pixels of %s", i, text, found[f.color], name)
			}
		}
		if found[s.background] < Side*Side/4 || !strings.Contains(text, colors[s.background].name) {
			t.Errorf("picture %d, %q: %d pixels of the ground", i, text, found[s.background])
		}
	}
}

// shares counts the pixels of a picture by the colour that is nearest.
func shares(img image.Image) (counts [len(colors)]int) {
	for y := range Side {
		for x := range Side {
			r, g, b, _ := img.At(x, y).RGBA()
			best, least := 0, math.MaxInt
			for i, c := range colors {
				dr, dg, db := int(r>>8)-c.color.R, int(g>>8)-c.color.G, int(b>>8)-c.color.B
				if d := dr*dr + dg*dg + db*db; d < least {
					best, least = i, d
				}
			}
			counts[best]++
		}
	}
	return counts
}

// TestCaptionsAreVaried: all words occur, and every caption is one line of ASCII.
func TestCaptionsAreVaried(t *testing.T) {
	words := map[string]int{}
	for i := range Eval().Len() {
		text := Eval().Caption(i)
		if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) || !strings.HasSuffix(text, ".") {
			t.Errorf("%q", text)
		}
		for _, w := range strings.Fields(strings.NewReplacer(",", " ", ".", " ").Replace(strings.ToLower(text))) {
			words[w]++
		}
	}
	for _, c := range colors {
		words[c.name]--
	}
	for s := range shape(shapes) {
		words[s.String()]--
	}
	for w := range strings.FieldsSeq("small big left right above below top bottom middle there an") {
		words[w]--
	}
	for w, n := range words {
		if n < 0 {
			t.Errorf("no %q", w)
		}
	}
}

func TestLatentIsNormal(t *testing.T) {
	values := Latent()
	sum, squares := 0.0, 0.0
	for _, v := range values {
		sum += float64(v)
		squares += float64(v * v)
	}
	n := float64(len(values))
	if len(values) != 256 || math.Abs(sum/n) > 0.2 || math.Abs(squares/n-1) > 0.25 {
		t.Errorf("%d numbers of mean %v and mean square %v", len(values), sum/n, squares/n)
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
