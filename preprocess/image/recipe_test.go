package image

import (
	"slices"
	"sync"
	"testing"
)

func apply(t *testing.T, r Recipe, img *RGB) []float32 {
	t.Helper()
	dst := make([]float32, r.Len())
	if err := r.Apply(dst, img); err != nil {
		t.Fatal(err)
	}
	return dst
}

func fromBytes(t *testing.T, r Recipe, data []byte) []float32 {
	t.Helper()
	dst := make([]float32, r.Len())
	if err := r.FromBytes(dst, data, DecodeOptions{}); err != nil {
		t.Fatal(err)
	}
	return dst
}

// TestFromBytesIsDecodeAndApply shows that decoding only a part of a picture changes nothing.
func TestFromBytesIsDecodeAndApply(t *testing.T) {
	z := readZoo(t)
	for name, data := range z.files {
		comparePaths(t, name, data, Vgg(40, NCHW), Mobilenet(31, NHWC), ImagenetPytorch(50, NCHW), OpenCLIP(40, NCHW))
	}
	photo := readPhoto(t)
	comparePaths(t, "photo.jpg", photo, Vgg(224, NCHW), Vgg(64, NHWC), Mobilenet(224, NHWC), TFLiteTPU(),
		ImagenetPytorch(224, NCHW), OpenCLIP(224, NCHW))
}

func comparePaths(t *testing.T, name string, data []byte, recipes ...Recipe) {
	t.Helper()
	img, err := Decode(data, DecodeOptions{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, r := range recipes {
		if !slices.Equal(apply(t, r, img), fromBytes(t, r, data)) {
			t.Errorf("%s: %s of size %d: FromBytes differs from Decode and Apply", name, r.Name(), r.Size())
		}
	}
}

// TestLayouts shows that NCHW and NHWC hold the same values.
func TestLayouts(t *testing.T) {
	img := lcg(50, 70, 3)
	for _, make := range []func(int, Layout) Recipe{Vgg, Mobilenet, ImagenetPytorch, OpenCLIP} {
		const n = 32
		planes, pixels := apply(t, make(n, NCHW), img), apply(t, make(n, NHWC), img)
		for i := range n * n {
			for c := range channels {
				if planes[c*n*n+i] != pixels[channels*i+c] {
					t.Fatalf("%s: channel %d of pixel %d: %v in NCHW, %v in NHWC", make(n, NCHW).Name(), c, i, planes[c*n*n+i],
						pixels[channels*i+c])
				}
			}
		}
	}
}

// TestFlatPicture checks the normalisation formulas on a picture of one colour.
func TestFlatPicture(t *testing.T) {
	img := &RGB{W: 300, H: 280, Pix: slices.Repeat([]uint8{200, 100, 50}, 300*280)}
	tests := []struct {
		recipe Recipe
		want   [channels]float32
	}{
		{Vgg(224, NHWC), [channels]float32{200 - 123.68, 100 - 116.78, 50 - 103.94}},
		{Mobilenet(224, NHWC), [channels]float32{(200/255.0 - 0.5) * 2, (100/255.0 - 0.5) * 2, (50/255.0 - 0.5) * 2}},
		{TFLiteTPU(), [channels]float32{50 - 103.939, 100 - 116.779, 200 - 123.68}},
		{ImagenetPytorch(224, NHWC), [channels]float32{(200/255.0 - 0.485) / 0.229, (100/255.0 - 0.456) / 0.224,
			(50/255.0 - 0.406) / 0.225}},
	}
	for _, test := range tests {
		for i, v := range apply(t, test.recipe, img) {
			if d := v - test.want[i%channels]; d > 1e-5 || d < -1e-5 {
				t.Fatalf("%s: value %d is %v, want %v", test.recipe.Name(), i, v, test.want[i%channels])
			}
		}
	}
}

func TestWindow(t *testing.T) {
	tests := []struct {
		recipe Recipe
		w, h   int
		want   cropWindow
	}{
		{Vgg(224, NCHW), 500, 375, cropWindow{fullW: 341, fullH: 256, x: 58, y: 16, w: 224, h: 224}},
		{Vgg(224, NCHW), 375, 500, cropWindow{fullW: 256, fullH: 341, x: 16, y: 58, w: 224, h: 224}},
		{Vgg(224, NCHW), 100, 100, cropWindow{fullW: 256, fullH: 256, x: 16, y: 16, w: 224, h: 224}},
		{Vgg(64, NCHW), 500, 375, cropWindow{fullW: 97, fullH: 73, x: 16, y: 4, w: 64, h: 64}},
		{ImagenetPytorch(224, NCHW), 500, 375, cropWindow{fullW: 341, fullH: 256, x: 58, y: 16, w: 224, h: 224}},
		// 58.5 to even
		{ImagenetPytorch(224, NCHW), 375, 504, cropWindow{fullW: 256, fullH: 344, x: 16, y: 60, w: 224, h: 224}},
		{ImagenetPytorch(224, NCHW), 256, 343, cropWindow{fullW: 256, fullH: 343, x: 16, y: 60, w: 224, h: 224}},
		// 59.5 to even
	}
	for _, test := range tests {
		if got := test.recipe.cropWindow(test.w, test.h); got != test.want {
			t.Errorf("%s of %dx%d: %+v, want %+v", test.recipe.Name(), test.w, test.h, got, test.want)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	r := Vgg(224, NCHW)
	z := readZoo(t)
	names := []string{"33x18_420_p0_r0_q90.jpg", "17x15_444_p1_r0_q75.jpg", "exif_6.jpg", "rgb.png", "rle8.bmp"}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			dst := make([]float32, r.Len())
			for i := range 4 * len(names) {
				data := z.files[names[(g+i)%len(names)]]
				img, err := Decode(data, DecodeOptions{})
				if err != nil {
					t.Error(err)
					return
				}
				want := make([]float32, r.Len())
				if err := Vgg(224, NCHW).Apply(want, img); err != nil {
					t.Error(err)
				}
				if err := r.FromBytes(dst, data, DecodeOptions{}); err != nil || !slices.Equal(dst, want) {
					t.Errorf("%s: a different result beside other goroutines (%v)", names[(g+i)%len(names)], err)
				}
			}
		})
	}
	wg.Wait()
}

// TestReusedMemory shows that a JPEG is preprocessed without taking new memory once that of earlier ones is there.
func TestReusedMemory(t *testing.T) {
	data := readPhoto(t)
	r := Vgg(224, NCHW)
	s := r.pool.New().(*recipeScratch)
	dst := make([]float32, r.Len())
	if n := testing.AllocsPerRun(5, func() {
		if err := r.fromBytes(dst, data, DecodeOptions{}, s); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations per picture, want none", n)
	}
}

// TestOrientations turns a picture of six pixels the eight ways that EXIF knows.
func TestOrientations(t *testing.T) {
	stored := "abc" +
		"def"
	tests := []string{"", "abc/def", "cba/fed", "fed/cba", "def/abc", "ad/be/cf", "da/eb/fc", "fc/eb/da", "cf/be/ad"}
	img := &RGB{W: 3, H: 2}
	for _, c := range stored {
		img.Pix = append(img.Pix, uint8(c), uint8(c)+10, uint8(c)+20)
	}
	for o := upright; o <= maxOrientation; o++ {
		got, text := makeUpright(img, o), ""
		for i := 0; i < len(got.Pix); i += channels {
			if i > 0 && i/channels%got.W == 0 {
				text += "/"
			}
			text += string(rune(got.Pix[i]))
			if got.Pix[i+1] != got.Pix[i]+10 || got.Pix[i+2] != got.Pix[i]+20 {
				t.Errorf("orientation %d: pixel %v", o, got.Pix[i:i+channels])
			}
		}
		if text != tests[o] {
			t.Errorf("orientation %d: %s, want %s", o, text, tests[o])
		}
	}
}
