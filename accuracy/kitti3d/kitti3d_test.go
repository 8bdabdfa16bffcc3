package kitti3d

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// row returns a log row of a detection whose box is inside the picture.
func row(b Box, class int, score float32, image int) (data []byte) {
	d, l := b.Dimensions, b.Location
	for _, v := range []float32{
		d[0], d[1], d[2], l[0], l[1], l[2], b.RotationY, 0, 0, 10, 10, float32(class), score, float32(image),
	} {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}

var car = Box{Location: [3]float32{1, 2, 10}, Dimensions: [3]float32{4, 1.5, 2}, RotationY: 0.3}

func TestLogsThatDoNotFit(t *testing.T) {
	frames := []Frame{{Image: 7}, {Image: 8}}
	for name, payload := range map[string][]byte{
		"nothing": nil, "a part of a row": row(car, 2, 1, 7)[4:], "another class": row(car, 3, 1, 7),
		"no class": row(car, -1, 1, 7),
	} {
		if err := New(frames).Add(0, payload); !errors.Is(err, ErrLog) || !strings.Contains(err.Error(), "want") {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := New(frames)
	if err := errors.Join(s.Add(0, row(car, 2, 1, 7)), s.Add(0, nil)); err != nil {
		t.Error(err)
	}
	if _, err := s.Result(); !errors.Is(err, ErrLog) || !strings.Contains(err.Error(), "1 of 2 frames have no answer: 8") {
		t.Errorf("a frame without an answer: %v", err)
	}
	none := Box{Dimensions: [3]float32{-1, -1, -1}}
	if err := s.Add(1, row(none, -1, -1, 8)); err != nil {
		t.Errorf("a frame in which nothing was found: %v", err)
	}
	if r, err := s.Result(); err != nil || r.Duplicates != 1 || r.Total != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestOverlapOfFlatAndDistantBoxes(t *testing.T) {
	flat, away, below := car, car, car
	flat.Dimensions[0], away.Location[2], below.Location[1] = 0, 100, 10
	for name, b := range map[string]Box{"flat": flat, "away": away, "below": below} {
		if v := Overlap(car, b); v != 0 {
			t.Errorf("%s: %v", name, v)
		}
	}
	if v := Overlap(flat, flat); v != 0 {
		t.Errorf("two flat ones: %v", v)
	}
	if v := Overlap(car, car); math.Abs(float64(v)-1) > 1e-6 {
		t.Errorf("itself: %v", v)
	}
}

func FuzzAdd(f *testing.F) {
	f.Add(row(car, 2, 0.5, 1))
	f.Fuzz(func(t *testing.T, payload []byte) {
		s := New([]Frame{{Image: 1, Objects: []TrueObject{{Name: "Car", Box: car}}}})
		if err := s.Add(0, payload); err != nil && !errors.Is(err, ErrLog) {
			t.Error(err)
		}
		if r, err := s.Result(); err == nil && !(r.Total >= 0 && r.Total <= 100) {
			t.Errorf("%+v", r)
		}
	})
}

// BenchmarkResult scores a thousand frames with ten objects and fifty detections each.
func BenchmarkResult(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	some := func() Box {
		c := car
		c.Location = [3]float32{random.Float32() * 40, 2, random.Float32() * 40}
		return c
	}
	var frames []Frame
	for i := range 1000 {
		f := Frame{Image: i}
		for k := range 10 {
			f.Objects = append(f.Objects, TrueObject{Name: Classes()[k%3], Box: some()})
		}
		frames = append(frames, f)
	}
	s := New(frames)
	for i := range frames {
		var payload []byte
		for k := range 50 {
			payload = append(payload, row(some(), k%3, random.Float32(), i)...)
		}
		if err := s.Add(i, payload); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Result(); err != nil {
			b.Fatal(err)
		}
	}
}
