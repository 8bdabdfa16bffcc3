package products

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// Sizes of the sets. All are multiples of [Categories].
const (
	TrainCount       = 14400
	CalibrationCount = 360
	EvalCount        = 720
)

// Side is the height and width of a picture in pixels, and Offered the number of categories that are offered for a
// product.
const (
	Side    = 96
	Offered = 8
)

// Streams of random numbers of one set.
const (
	categoryStream = iota
	textStream
	pictureStream
)

// Set is a set of products. Each block of [Categories] products, counted from 0, contains every category once.
type Set struct{ draw.SampleSet }

// Train returns the set that the embedded model is trained on.
func Train() Set { return Set{draw.NewSampleSet(0x706c756d_00000701, TrainCount)} }

// Calibration returns the set for quantising the embedded model.
func Calibration() Set { return Set{draw.NewSampleSet(0x706c756d_00000702, CalibrationCount)} }

// Eval returns the set that accuracy is measured on.
func Eval() Set { return Set{draw.NewSampleSet(0x706c756d_00000703, EvalCount)} }

// Product contains the texts of a product and its true properties.
type Product struct {
	Title       string
	Description string
	Offered     []string // categories, including the true one
	Category    string   // levels joined by " > "
	Brand       string
	SecondHand  bool
}

// pictureQuality is the JPEG quality of the pictures.
const pictureQuality = 90

// Name returns the file name of product i's picture: "product_00000017.jpg".
func (s Set) Name(i int) string { return fmt.Sprintf("product_%08d.jpg", i) }

func (s Set) category(i int) int {
	block := draw.NewRandom(s.Seed, categoryStream, uint64(i/Categories))
	return block.Shuffled(Categories)[i%Categories]
}

// Product generates product i.
func (s Set) Product(i int) Product {
	category := s.category(i)
	r := draw.NewRandom(s.Seed, textStream, uint64(i))
	p := Product{Category: CategoryName(category), SecondHand: r.Chance(40)}
	p.Brand = drawBrand(r)
	p.Title = drawTitle(r, p.Brand, p.SecondHand)
	p.Description = drawDescription(r)
	p.Offered = drawOffered(r, category)
	return p
}

// Picture draws product i as a JPEG file.
func (s Set) Picture(i int) []byte {
	category := s.category(i)
	r := draw.NewRandom(s.Seed, pictureStream, uint64(i))
	return paint(r, thing(category/patterns), pattern(category%patterns)).JPEG(pictureQuality)
}

// drawOffered draws categories and adds the true one.
func drawOffered(r *draw.Random, category int) []string {
	chosen := []int{category}
	for _, c := range r.Shuffled(Categories) {
		if c != category && len(chosen) < Offered {
			chosen = append(chosen, c)
		}
	}
	names := []string{}
	for _, category := range draw.Shuffle(r, chosen) {
		names = append(names, CategoryName(category))
	}
	return names
}
