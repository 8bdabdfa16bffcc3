package checksum

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "abc", "abc")
	sum, size, err := File(filepath.Join(dir, "abc")) // the example of FIPS 180-4
	if sum != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" || size != 3 || err != nil {
		t.Errorf("got %s, %d, %v", sum, size, err)
	}
	if _, _, err := File(filepath.Join(dir, "no")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

func TestDataset(t *testing.T) {
	sum := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			write(t, dir, name, text)
		}
		s, err := Dataset(dir)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	base := sum(map[string]string{"val_map.txt": "a 1\n", "a.jpg": "xx", "sub/b.jpg": "y"})
	cases := []struct {
		name  string
		files map[string]string
		same  bool
	}{
		{"the same files", map[string]string{"val_map.txt": "a 1\n", "a.jpg": "xx", "sub/b.jpg": "y"}, true},
		{"another label", map[string]string{"val_map.txt": "a 2\n", "a.jpg": "xx", "sub/b.jpg": "y"}, false},
		{"another size", map[string]string{"val_map.txt": "a 1\n", "a.jpg": "xxx", "sub/b.jpg": "y"}, false},
		{"another name", map[string]string{"val_map.txt": "a 1\n", "c.jpg": "xx", "sub/b.jpg": "y"}, false},
		{"another folder", map[string]string{"val_map.txt": "a 1\n", "a.jpg": "xx", "b.jpg": "y"}, false},
		{"pictures are known by name and size", map[string]string{
			"val_map.txt": "a 1\n", "a.jpg": "zz", "sub/b.jpg": "y",
		}, true},
	}
	for _, c := range cases {
		if got := sum(c.files); (got == base) != c.same {
			t.Errorf("%s: sum %s, first %s", c.name, got, base)
		}
	}
	dir := t.TempDir()
	write(t, dir, "val_map.txt", "a 1\n")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skipf("no links here: %v", err)
	}
	straight, err1 := Dataset(dir)
	linked, err2 := Dataset(link)
	if straight != linked || err1 != nil || err2 != nil {
		t.Errorf("through a link: %s, %v; straight: %s, %v", linked, err2, straight, err1)
	}
	file, err := Dataset(filepath.Join(dir, "val_map.txt"))
	if file != straight || err != nil {
		t.Errorf("the sum of the file is %s, %v; that of its folder %s", file, err, straight)
	}
	if err := os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "dangling.txt")); err != nil {
		t.Fatal(err)
	}
	if dangling, err := Dataset(dir); err != nil || dangling == straight {
		t.Errorf("with a link to nothing: %s, %v", dangling, err)
	}
	if _, err := Dataset(filepath.Join(t.TempDir(), "no")); err == nil {
		t.Error("a missing folder has a sum")
	}
}
