package imagenet

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

func encodePNG(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func encodeJPEG(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// folder writes files into a new folder.
func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOpen(t *testing.T) {
	photo := encodeJPEG(t, 30, 20)
	dir := folder(t, map[string][]byte{
		"val_map.txt":  []byte("a.JPEG 3\nsub/b.JPEG 0\nc.png 999\n"),
		"a.JPEG":       photo,
		"sub/b.JPEG":   encodePNG(t, 4, 5), // as in ImageNet: the name is wrong, the picture is good
		"c.png":        encodePNG(t, 1, 1),
		"unlisted.txt": nil,
	})
	s, err := Open(dir, PictureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Len() != 3 || s.Name(1) != "sub/b.JPEG" || s.Label(2) != 999 || s.Path(0) != filepath.Join(dir, "a.JPEG") {
		t.Errorf("set %+v", s)
	}
	if data, err := s.Read(0); err != nil || !bytes.Equal(data, photo) {
		t.Errorf("Read(0): %d bytes, %v", len(data), err)
	}
}

func TestOpenCountChecksOnlyThose(t *testing.T) {
	dir := folder(t, map[string][]byte{"val_map.txt": []byte("a.png 3\nabsent.png 0\n"), "a.png": encodePNG(t, 1, 1)})
	if s, err := Open(dir, PictureOptions{Count: 1}); err != nil || s.Len() != 1 {
		t.Errorf("Open of the first picture: %v, %v", s, err)
	}
	if _, err := Open(dir, PictureOptions{}); !errors.Is(err, ErrDataset) {
		t.Errorf("Open of both: %v, want ErrDataset", err)
	}
}

func TestOpenOfLabelsOnly(t *testing.T) {
	dir := folder(t, map[string][]byte{"val_map.txt": []byte("absent.png 3\n")})
	if s, err := Open(dir, PictureOptions{LabelsOnly: true}); err != nil || s.Label(0) != 3 {
		t.Errorf("Open: %v, %v", s, err)
	}
}

func TestOpenReportsEveryFault(t *testing.T) {
	dir := folder(t, map[string][]byte{
		"val_map.txt": []byte("good.png 1\nabsent.png 2\nempty.png 3\ntext.jpg 4\ngood.png 5\ncut.jpg 6\nfolder 7\n" +
			"label.png 25\nwide.png 8\nnolabel\nwide.png x\n"),
		"good.png": encodePNG(t, 2, 2), "empty.png": nil, "text.jpg": []byte("<html>not found</html>"),
		"cut.jpg": encodeJPEG(t, 20, 20)[:40], "folder/x": nil, "label.png": encodePNG(t, 2, 2),
		"wide.png": encodePNG(t, 300, 2),
	})
	_, err := Open(dir, PictureOptions{Classes: 25, MaxPixels: 500})
	var faults *FaultError
	if !errors.As(err, &faults) || !errors.Is(err, ErrDataset) {
		t.Fatalf("error %v, want a FaultError", err)
	}
	want := []struct {
		line    int
		problem string
	}{
		{2, "no such file"}, {3, "empty"}, {4, "want a JPEG, PNG or BMP"}, {5, "in line 1 already"}, {6, "truncated"},
		{7, "not a file"}, {8, "label 25, want 0 to 24"}, {9, "300 x 2"}, {10, "1 fields"}, {11, `label "x"`},
	}
	if len(faults.Faults) != len(want) {
		t.Fatalf("%d faults, want %d: %v", len(faults.Faults), len(want), err)
	}
	for i, f := range faults.Faults {
		if f.Line != want[i].line || !strings.Contains(f.Problem, want[i].problem) {
			t.Errorf("fault %v, want line %d with %q", f, want[i].line, want[i].problem)
		}
		if !strings.Contains(err.Error(), f.String()) {
			t.Errorf("the error does not show fault %v", f)
		}
	}
}

func TestFaultsBeyondTwentyAreCounted(t *testing.T) {
	var list strings.Builder
	for i := range 23 {
		list.WriteString("p" + strconv.Itoa(i) + ".png 1\n")
	}
	_, err := Open(folder(t, map[string][]byte{"val_map.txt": []byte(list.String())}), PictureOptions{})
	if err == nil || !strings.Contains(err.Error(), "23 faults") || !strings.HasSuffix(err.Error(), "and 3 more") {
		t.Errorf("error %v, want 23 faults, 20 shown and 3 more", err)
	}
}

func TestOpenWithoutMap(t *testing.T) {
	dir := folder(t, map[string][]byte{"a.png": encodePNG(t, 1, 1)})
	for name, path := range map[string]string{"no map": dir, "no folder": filepath.Join(dir, "x")} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(path, PictureOptions{})
			if !errors.Is(err, ErrDataset) || !errors.Is(err, fs.ErrNotExist) ||
				!strings.Contains(err.Error(), `val_map.txt with lines "name label"`) {
				t.Errorf("error %v, want the layout", err)
			}
		})
	}
}

func TestReadOfAFileThatVanished(t *testing.T) {
	dir := folder(t, map[string][]byte{"val_map.txt": []byte("a.png 1\n"), "a.png": encodePNG(t, 1, 1)})
	s, err := Open(dir, PictureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(s.Path(0)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(0); !errors.Is(err, ErrDataset) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read: %v", err)
	}
}

// TestPhotosGolden opens the real photographs, where the checkout has them.
func TestPhotosGolden(t *testing.T) {
	dir := filepath.Join(golden.Root(t), "..", "data", "photos")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no photographs at %s", dir)
	}
	s, err := Open(dir, PictureOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if s.Len() != 300 {
		t.Errorf("%d photographs, want 300", s.Len())
	}
}
