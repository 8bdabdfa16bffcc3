package waymo

import (
	"bytes"
	"testing"
)

// BenchmarkIndex reads an index of 1,000 frames of 60 objects each.
func BenchmarkIndex(b *testing.B) {
	f := frame(1)
	for len(f.Objects) < 60 {
		f.Objects = append(f.Objects, f.Objects[len(f.Objects)%2])
	}
	frames := make([]*Frame, 1000)
	for i := range frames {
		one := *f
		one.Image = i
		frames[i] = &one
	}
	var index bytes.Buffer
	if err := WriteIndex(&index, frames); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(index.Len()))
	b.ReportAllocs()
	for b.Loop() {
		x := indexReader{addFault: func(_ int, text string) { b.Error(text) }}
		if err := x.readPickle(index.Bytes()); err != nil || len(x.frames) != len(frames) {
			b.Fatal(err)
		}
	}
}
