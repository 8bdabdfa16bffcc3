package image

import "testing"

// BenchmarkStretch scales a picture of 640 x 480 pixels, once decoded, to RetinaNet's input of 800 x 800.
func BenchmarkStretch(b *testing.B) {
	img := &RGB{W: 640, H: 480, Pix: make([]uint8, channels*640*480)}
	for i := range img.Pix {
		img.Pix[i] = uint8(i * 7)
	}
	for _, s := range []Stretch{Retinanet(800, NCHW), CocoResnet34TF(800, NHWC)} {
		b.Run(s.Name(), func(b *testing.B) {
			dst := make([]float32, s.Len())
			b.SetBytes(int64(4 * len(dst)))
			b.ReportAllocs()
			for b.Loop() {
				if err := s.Apply(dst, img); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("coco_mobilenet", func(b *testing.B) {
		s := CocoMobilenet(300)
		dst := make([]uint8, s.Len())
		b.ReportAllocs()
		for b.Loop() {
			if err := s.ApplyUint8(dst, img); err != nil {
				b.Fatal(err)
			}
		}
	})
}
