package sdxl

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/plugins/sdxl/internal/score"
)

// TestAlbum hands in the first pictures of two of three samples, in the order of the rules.
func TestAlbum(t *testing.T) {
	a := newPictureAlbum([]uint64{2, 0, 9}, score.ScoreOptions{Captions: []string{"a  car", "x", "two"}, Width: 2,
		Height: 1})
	for _, e := range []struct {
		sample uint64
		levels []byte
	}{{1, nil}, {0, []byte{1, 2, 3, 4, 5, 6}}, {2, []byte{9, 9, 9, 9, 9, 9}}, {0, []byte{7, 7, 7, 7, 7, 7}}} {
		if err := a.addPicture(e.sample, e.levels); err != nil {
			t.Fatal(err)
		}
	}
	files := a.albumFiles()
	if len(files) != 3 || files[0].Name != "images/2.png" || files[1].Name != "images/0.png" ||
		files[2].Name != "images/captions.txt" {
		t.Fatalf("%+v", files)
	}
	if got := string(files[2].Data); got != "2  two\n0  a  car\n" {
		t.Errorf("captions.txt: %q", got)
	}
	picture, err := png.Decode(bytes.NewReader(files[1].Data))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := picture.At(1, 0).RGBA(); r>>8 != 4 || g>>8 != 5 || b>>8 != 6 {
		t.Errorf("the second pixel is %d, %d, %d", r>>8, g>>8, b>>8)
	}
	if notes := strings.Join(a.missingNotes(), " "); !strings.Contains(notes, "1 of the 3 pictures") {
		t.Errorf("notes %q", notes)
	}
	if files := newPictureAlbum([]uint64{7}, score.ScoreOptions{}).albumFiles(); files != nil {
		t.Errorf("files of no picture: %+v", files)
	}
}
