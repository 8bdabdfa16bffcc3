package frames

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/plugins/wan/internal/videos"
)

func TestAt(t *testing.T) {
	for _, c := range []struct {
		n, all int
		want   []int
	}{{4, 81, []int{0, 26, 53, 80}}, {4, 3, []int{0, 1, 2}}, {2, 2, []int{0, 1}}, {4, 1, []int{0}}, {4, 0, nil}} {
		if got := frameNumbers(c.n, c.all); !slices.Equal(got, c.want) {
			t.Errorf("%d of %d: %v, want %v", c.n, c.all, got, c.want)
		}
	}
}

// avi is a file of pictures of one colour each, from 0 on in steps of 40.
func avi(t testing.TB, pictures int) []byte {
	t.Helper()
	chunk := func(id string, body []byte) []byte {
		b := binary.LittleEndian.AppendUint32([]byte(id), uint32(len(body)))
		b = append(b, body...)
		return append(b, make([]byte, len(body)%2)...)
	}
	movi := []byte("movi")
	for i := range pictures {
		p := image.NewGray(image.Rect(0, 0, 16, 8))
		for k := range p.Pix {
			p.Pix[k] = uint8(40 * i)
		}
		var b bytes.Buffer
		if err := jpeg.Encode(&b, p, nil); err != nil {
			t.Fatal(err)
		}
		movi = append(movi, chunk("00dc", b.Bytes())...)
		movi = append(movi, chunk("01wb", []byte("sound"))...)
	}
	body := append([]byte("AVI "), chunk("LIST", append([]byte("hdrl"), chunk("avih", make([]byte, 56))...))...)
	return chunk("RIFF", append(body, chunk("LIST", movi)...))
}

func TestAVI(t *testing.T) {
	all, err := DecodeFrames(t.Context(), avi(t, 6), 3)
	if err != nil || len(all) != 3 {
		t.Fatalf("%d frames, %v", len(all), err)
	}
	for i, want := range []uint8{0, 80, 200} {
		got := color.GrayModel.Convert(all[i].At(3, 3)).(color.Gray).Y
		if got < want-min(want, 3) || got > want+3 {
			t.Errorf("frame %d is of grey %d, want %d", i, got, want)
		}
	}
	if _, err := DecodeFrames(t.Context(), avi(t, 6)[:900], 3); err == nil {
		t.Error("a file that is cut off is read")
	}
	if _, err := DecodeFrames(t.Context(), avi(t, 0), 3); err == nil {
		t.Error("a file without pictures is read")
	}
}

func TestGIF(t *testing.T) {
	file, err := videos.DrawVideo("a red fox")
	if err != nil {
		t.Fatal(err)
	}
	all, err := DecodeFrames(t.Context(), file, 4)
	if err != nil || len(all) != 4 || all[0].Bounds() != image.Rect(0, 0, 64, 36) {
		t.Fatalf("%d frames, %v", len(all), err)
	}
	same := true
	for i := range 64 * 36 {
		same = same && all[0].At(i%64, i/64) == all[3].At(i%64, i/64)
	}
	if same {
		t.Error("the first frame is as the last one")
	}
}

// TestWithoutFFmpeg: a format that nothing here reads is said to be such.
func TestWithoutFFmpeg(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := DecodeFrames(t.Context(), []byte("....ftypmp42"), 4); !errors.Is(err, ErrFormat) {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(avi(f, 2))
	f.Add([]byte("GIF89a"))
	f.Fuzz(func(t *testing.T, file []byte) {
		t.Setenv("PATH", "/nowhere")
		all, err := DecodeFrames(context.Background(), file, 3)
		if err == nil && (len(all) == 0 || len(all) > 3) && !bytes.HasPrefix(file, []byte("GIF")) {
			t.Errorf("%d frames", len(all))
		}
	})
}
