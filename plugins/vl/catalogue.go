package vl

import (
	"context"

	"github.com/plumbline-ml/plumbline/datasets/products"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	drawn "github.com/plumbline-ml/plumbline/internal/synthetic/products"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// productSet is a data set: *products.ProductSet, or generated products.
type productSet interface {
	Len() int
	Truths(count int) ([]products.ProductTruth, error)
	// Row returns product i with its picture.
	Row(ctx context.Context, i int) (*products.ProductRow, error)
}

// openCatalogue opens the data set of a request.
func openCatalogue(r *manifest.Request) productSet {
	if r.Dataset == "" {
		return generatedCatalogue{drawn.Eval()}
	}
	set, err := products.Open(r.Dataset)
	if err != nil {
		r.AddFault(sdk.Data(err))
		return generatedCatalogue{drawn.Eval()}
	}
	return set
}

// describePictures describes the pictures that are sent.
func describePictures(c productSet) string {
	set, isFile := c.(*products.ProductSet)
	switch {
	case !isFile:
		return "drawn"
	case set.Form == products.Endpoints:
		return "official: encoded again by the endpoints harness"
	}
	return "original: the catalogue's own bytes, which the official programs encode again"
}

// generatedCatalogue contains generated products.
type generatedCatalogue struct{ drawn.Set }

// productRow returns product i without its picture.
func (c generatedCatalogue) productRow(i int) *products.ProductRow {
	p := c.Product(i)
	list := make([]any, len(p.Offered))
	for i, text := range p.Offered {
		list[i] = text
	}
	return &products.ProductRow{
		Title: p.Title, Description: p.Description, OfferedText: pyvalue.JSON(list), Format: "JPEG",
		ProductTruth: products.ProductTruth{Category: p.Category, Brand: p.Brand, SecondHand: p.SecondHand,
			Offered: p.Offered},
	}
}

// Row generates product i.
func (c generatedCatalogue) Row(_ context.Context, i int) (*products.ProductRow, error) {
	row := c.productRow(i)
	row.Picture = c.Picture(i)
	return row, nil
}

// Truths returns the ground truth of the first count products.
func (c generatedCatalogue) Truths(count int) ([]products.ProductTruth, error) {
	if count == 0 {
		count = c.Len()
	}
	truths := make([]products.ProductTruth, count)
	for i := range truths {
		truths[i] = c.productRow(i).ProductTruth
	}
	return truths, nil
}
