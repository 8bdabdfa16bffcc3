package image

import (
	"os"
	"testing"
)

func readPhoto(tb testing.TB) []byte {
	tb.Helper()
	data, err := os.ReadFile("testdata/photo.jpg")
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func BenchmarkDecode(b *testing.B) {
	data := readPhoto(b)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(data, DecodeOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkApply(b *testing.B) {
	img, err := Decode(readPhoto(b), DecodeOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range []Recipe{Vgg(224, NCHW), Mobilenet(224, NCHW), ImagenetPytorch(224, NCHW), OpenCLIP(224, NCHW)} {
		b.Run(r.Name(), func(b *testing.B) {
			dst := make([]float32, r.Len())
			b.SetBytes(int64(len(img.Pix)))
			b.ReportAllocs()
			for b.Loop() {
				if err := r.Apply(dst, img); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkResize(b *testing.B) {
	img, err := Decode(readPhoto(b), DecodeOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for _, f := range []Filter{Area, Linear, PillowBilinear, PillowBicubic} {
		b.Run(f.String(), func(b *testing.B) {
			var r pictureResizer
			win := cropWindow{fullW: 341, fullH: 256, w: 341, h: 256}
			var out RGB
			out.setSize(win.w, win.h)
			b.SetBytes(int64(len(img.Pix)))
			b.ReportAllocs()
			for b.Loop() {
				r.resizeWindow(&out, img, win, f)
			}
		})
	}
}

func BenchmarkFromBytes(b *testing.B) {
	data := readPhoto(b)
	r := Vgg(224, NCHW)
	b.Run("one", func(b *testing.B) {
		dst := make([]float32, r.Len())
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if err := r.FromBytes(dst, data, DecodeOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			dst := make([]float32, r.Len())
			for pb.Next() {
				if err := r.FromBytes(dst, data, DecodeOptions{}); err != nil {
					b.Error(err)
					return
				}
			}
		})
	})
}

// BenchmarkJudgedPicture makes the inputs of the two networks that judge a generated picture.
func BenchmarkJudgedPicture(b *testing.B) {
	img := drawFormula(b, "hash", 1024, 1024)
	clip, inception := OpenCLIP(224, NCHW), Inception(299, NCHW)
	b.Run(clip.Name(), func(b *testing.B) {
		dst := make([]float32, clip.Len())
		b.ReportAllocs()
		for b.Loop() {
			if err := clip.Apply(dst, img); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run(inception.Name(), func(b *testing.B) {
		dst := make([]float32, inception.Len())
		b.ReportAllocs()
		for b.Loop() {
			if err := inception.Apply(dst, img); err != nil {
				b.Fatal(err)
			}
		}
	})
}
