package main

import "github.com/plumbline-ml/plumbline/internal/synthetic/citations"

// repeatedFeatures is a graph whose features are repeated up to a given width.
type repeatedFeatures struct {
	*citations.Set
	width int
}

func newRepeatedFeatures(scale, width int) repeatedFeatures {
	return repeatedFeatures{citations.New(citations.Seed, scale), width}
}

func (w repeatedFeatures) Width() int { return w.width }

func (w repeatedFeatures) Features(dst []float32, nodeType, first int) {
	drawn := make([]float32, len(dst)/w.width*citations.Width)
	w.Set.Features(drawn, nodeType, first)
	for i := range dst {
		node, column := i/w.width, i%w.width
		dst[i] = drawn[node*citations.Width+column%citations.Width]
	}
}
