package vl

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"

	accuracy "github.com/plumbline-ml/plumbline/accuracy/products"
	"github.com/plumbline-ml/plumbline/datasets/products"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/exhibit"
)

// productGallery shows products with their pictures, titles and answers, worst answers first.
type productGallery struct {
	catalogue productSet
	truths    []products.ProductTruth
}

// shownSide is the longer side of a shown picture in pixels.
const shownSide = 192

// rateAnswer rates an answer by the share of it that is wrong.
func (g productGallery) rateAnswer(e mllog.AccuracyEntry) (badness float64, show exhibit.ShowFunc) {
	if e.QSLIndex >= uint64(len(g.truths)) {
		return 0, nil
	}
	if badness = wrongShare(g.truths[e.QSLIndex], string(e.Data)); badness == 0 {
		return 0, nil
	}
	return badness, func() (sdk.Exhibit, error) { return g.showProduct(e) }
}

// wrongShare returns the share of an answer that is wrong. An unreadable answer is completely wrong.
func wrongShare(truth products.ProductTruth, text string) (wrong float64) {
	answer, err := accuracy.Parse(text)
	if err != nil {
		return 1
	}
	if answer.Category != truth.Category {
		wrong += 0.5
	}
	if answer.Brand != truth.Brand {
		wrong += 0.25
	}
	if answer.SecondHand != truth.SecondHand {
		wrong += 0.125
	}
	return wrong
}

func (g productGallery) showProduct(e mllog.AccuracyEntry) (sdk.Exhibit, error) {
	i := int(e.QSLIndex)
	row, err := g.catalogue.Row(context.Background(), i)
	if err != nil {
		return sdk.Exhibit{}, err
	}
	return sdk.Exhibit{
		Caption: fmt.Sprintf("product %d: %s", i, row.Category),
		Text: exhibit.Paragraphs("TITLE", row.Title,
			"TRUE", fmt.Sprintf("%s; %s; second-hand %v", row.Category, row.Brand, row.SecondHand), "ANSWER", string(e.Data)),
		PNG: drawThumbnail(row),
	}, nil
}

// drawThumbnail draws a small picture. It returns nil if the format is not supported.
func drawThumbnail(row *products.ProductRow) []byte {
	file, err := row.PictureFile()
	if err != nil {
		return nil
	}
	img, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return nil
	}
	png, err := exhibit.PNG(exhibit.Thumbnail(img, shownSide))
	if err != nil {
		return nil
	}
	return png
}
