package coco

import (
	"math/rand/v2"
	"testing"
)

// The size of the OpenImages benchmark.
const (
	benchImages     = 24781
	benchCategories = 264
	benchTruths     = 10  // of each image
	benchDetections = 100 // of each image
)

// benchScene generates ground truth with about the density and size of OpenImages.
func benchScene(random *rand.Rand) GroundTruth {
	g := GroundTruth{}
	for c := range benchCategories {
		g.Categories = append(g.Categories, Category{ID: int64(c)})
	}
	for i := range benchImages {
		g.Images = append(g.Images, Image{int64(i + 1), 1024, 768})
		for range benchTruths {
			w, h := 8+random.Float64()*400, 8+random.Float64()*300
			box := [4]float64{random.Float64() * (1024 - w), random.Float64() * (768 - h), w, h}
			g.Annotations = append(g.Annotations, Annotation{int64(len(g.Annotations) + 1), int64(i + 1),
				int64(random.IntN(benchCategories)), box, w * h, random.IntN(10) == 0})
		}
	}
	return g
}

// benchPayload generates detections of image i. Half of them are near true boxes, most with the correct category.
func benchPayload(random *rand.Rand, g GroundTruth, i int) []byte {
	truths := g.Annotations[i*benchTruths : (i+1)*benchTruths]
	rs := make([]payloadRow, benchDetections)
	for j := range rs {
		a := truths[random.IntN(benchTruths)]
		x, y, w, h := a.Box[0], a.Box[1], a.Box[2], a.Box[3]
		category := a.Category
		if j%2 == 1 {
			x, y = random.Float64()*900, random.Float64()*700
		}
		if random.IntN(4) == 0 {
			category = int64(random.IntN(benchCategories))
		}
		x, y = x+random.NormFloat64()*w/8, y+random.NormFloat64()*h/8
		rs[j] = payloadRow{float32(i), float32(y / 768), float32(x / 1024), float32((y + h) / 768), float32((x + w) / 1024),
			random.Float32(), float32(category)}
	}
	return records(rs...)
}

// BenchmarkMAP scores a log with the size of OpenImages, from annotations to Result. It does not measure the generation
// of payloads.
func BenchmarkMAP(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	g := benchScene(random)
	payloads := make([][]byte, benchImages)
	for i := range payloads {
		payloads[i] = benchPayload(random, g, i)
	}
	b.ReportAllocs()
	for b.Loop() {
		s, err := New(g, EvalOptions{})
		if err != nil {
			b.Fatal(err)
		}
		for i, p := range payloads {
			if err := s.Add(uint64(i), p); err != nil {
				b.Fatal(err)
			}
		}
		r, err := s.Result()
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(r.MAP(), "mAP")
	}
}
