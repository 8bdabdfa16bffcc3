package products

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

var update = flag.Bool("update", false, "rewrite testdata/products.sha256")

// TestProductsNeverChange holds products against those of the embedded model's training: a change here means that the
// model must be trained again.
func TestProductsNeverChange(t *testing.T) {
	var b strings.Builder
	for _, s := range []struct {
		name string
		set  Set
	}{{"train", Train()}, {"calibration", Calibration()}, {"eval", Eval()}} {
		for i := 0; i < s.set.Len(); i += s.set.Len() / 10 {
			p := s.set.Product(i)
			fmt.Fprintf(&b, "%s %d %x %+v\n", s.name, i, sha256.Sum256(s.set.Picture(i)), p)
		}
	}
	path := filepath.Join("testdata", "products.sha256")
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
		t.Errorf("the products are not those of %s:\n%s", path, b.String())
	}
}

func TestProductDependsOnSeedAndIndexAlone(t *testing.T) {
	small, large := Set{draw.NewSampleSet(9, 50)}, Set{draw.NewSampleSet(9, 5000)}
	if !bytes.Equal(small.Picture(7), large.Picture(7)) || small.Product(7).Title != large.Product(7).Title {
		t.Error("product 7 of 50 and of 5000 differ")
	}
	if other := (Set{draw.NewSampleSet(10, 50)}); bytes.Equal(small.Picture(7), other.Picture(7)) {
		t.Error("pictures of two seeds are equal")
	}
}

// TestProducts: every category occurs equally often and is offered, titles have the brand and tell nothing of the
// category, and brands of the evaluation are not those of the training.
func TestProducts(t *testing.T) {
	counts, trained, known, misspelt := map[string]int{}, map[string]bool{}, 0, 0
	for i := range Train().Len() {
		trained[Train().Product(i).Brand] = true
	}
	eval := Eval()
	for i := range eval.Len() {
		p := eval.Product(i)
		counts[p.Category]++
		if trained[p.Brand] {
			known++
		}
		if !slices.Contains(p.Offered, p.Category) || len(p.Offered) != Offered ||
			len(slices.Compact(slices.Sorted(slices.Values(p.Offered)))) != Offered {
			t.Errorf("product %d of %s is offered %q", i, p.Category, p.Offered)
		}
		if strings.Count(p.Title, p.Brand) != 1 || len(p.Title) > 64 {
			t.Errorf("product %d: brand %q in title %q", i, p.Brand, p.Title)
		}
		for _, name := range append(thingNames[:], patternNames[:]...) {
			if slices.Contains(strings.Fields(p.Title+" "+p.Description), strings.TrimSuffix(name, "s")) {
				t.Errorf("product %d: title %q and description %q tell of %s", i, p.Title, p.Description, name)
			}
		}
		isMarked := slices.ContainsFunc(marks, func(m string) bool { return strings.Contains(strings.ToLower(p.Title), m) })
		if isMarked && !p.SecondHand {
			t.Errorf("product %d is not second-hand, title %q", i, p.Title)
		} else if p.SecondHand && !isMarked {
			misspelt++
		}
	}
	for c := range Categories {
		if n := counts[CategoryName(c)]; n != EvalCount/Categories {
			t.Errorf("%d products of %s", n, CategoryName(c))
		}
	}
	if misspelt == 0 || misspelt > EvalCount/10 {
		t.Errorf("%d titles have a misspelt mark", misspelt)
	}
	if known*50 > EvalCount {
		t.Errorf("%d of %d brands were trained on", known, EvalCount)
	}
}

func TestPictures(t *testing.T) {
	for i := range 40 {
		img, err := jpeg.Decode(bytes.NewReader(Eval().Picture(i)))
		if err != nil || img.Bounds() != image.Rect(0, 0, Side, Side) {
			t.Errorf("picture %d: %v", i, err)
		}
	}
}

func BenchmarkPicture(b *testing.B) {
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		Eval().Picture(i % EvalCount)
	}
}
