package kitti3d

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
)

// drive returns a log with the size of the official data set: frames with several objects and boxes. 25 boxes of each
// frame are near an object.
func drive(frames, objects, boxes int) (truth []Frame, payload func(i int) []byte) {
	sizes := [][3]float32{{0.9, 1.7, 0.85}, {1.8, 1.75, 0.85}, {4.7, 1.8, 2.1}}
	random := rand.New(rand.NewPCG(1, 2))
	box := func(class int) Box {
		return Box{
			Location:   [3]float32{150*random.Float32() - 75, 2, 150*random.Float32() - 75},
			Dimensions: sizes[class], RotationY: 6 * random.Float32(),
		}
	}
	truth = make([]Frame, frames)
	for i := range truth {
		truth[i].Image = i
		for k := range objects {
			truth[i].Objects = append(truth[i].Objects, TrueObject{Name: Classes()[k%3], Box: box(k % 3)})
		}
	}
	var row []byte
	return truth, func(i int) []byte {
		row = row[:0]
		for k := range boxes {
			class := k % 3
			b := box(class)
			if k < 25 && k < objects {
				b = truth[i].Objects[k].Box
				b.Location[0] += 0.1 * random.Float32()
			}
			d, l := b.Dimensions, b.Location
			for _, v := range []float32{d[0], d[1], d[2], l[0], l[1], l[2], b.RotationY, 1, 1, 50, 90, float32(class),
				0.1 + 0.9*random.Float32(), float32(i)} {
				row = binary.LittleEndian.AppendUint32(row, math.Float32bits(v))
			}
		}
		return row
	}
}

func BenchmarkScore(b *testing.B) {
	truth, payload := drive(39_987, 40, 100)
	b.ReportAllocs()
	for b.Loop() {
		s := New(truth)
		for i := range truth {
			if err := s.Add(i, payload(i)); err != nil {
				b.Fatal(err)
			}
		}
		r, err := s.Result()
		if err != nil || r.Total < 10 {
			b.Fatal(r, err)
		}
		b.ReportMetric(r.Total, "mAP")
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/1e6, "MB-system")
}
