package index

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func database(t testing.TB, n int) *Database {
	t.Helper()
	d := &Database{Graph: build(t, cloud(7, n, 4), GraphParams{M: 3, EFConstruction: 20, EFSearch: 10}), Embedder: "ab"}
	for i := range n {
		d.Passages = append(d.Passages, Passage{fmt.Sprintf("<p> %d\u2028\n", i), "a.html", i, "https://x/?a&b"})
	}
	return d
}

func written(t testing.TB, d *Database) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFile(t *testing.T) {
	d := database(t, 600)
	path := filepath.Join(t.TempDir(), "a.db")
	if err := os.WriteFile(path, written(t, d), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Open(path)
	if err != nil || !slices.Equal(got.Passages, d.Passages) || !reflect.DeepEqual(got.links, d.links) ||
		!slices.Equal(got.vectors, d.vectors) || got.Embedder != "ab" || got.GraphParams != d.GraphParams {
		t.Fatal(err)
	}
	query := cloud(8, 1, 4)[0]
	if a, b := d.Search(query, 10), got.Search(query, 10); !slices.Equal(a, b) || len(a) != 10 {
		t.Errorf("%v, want %v", b, a)
	}
	sum, err1 := d.MD5()
	file, err2 := FileMD5(path)
	if err := errors.Join(err1, err2); err != nil || sum != file || len(sum) != 32 {
		t.Errorf("%s, %s, %v", sum, file, err)
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, ErrDatabase) {
		t.Error(err)
	}
	d.Passages = d.Passages[1:]
	if err := d.Write(&bytes.Buffer{}); !errors.Is(err, ErrDatabase) {
		t.Errorf("%v of a vector without a passage", err)
	}
}

func TestBrokenFile(t *testing.T) {
	text := written(t, database(t, 20))
	for _, c := range []struct {
		text []byte
		want string
	}{
		{nil, "does not begin"}, {[]byte("\x80\x04\x95 a pickle"), "FAISS"}, {text[:len(text)-1], "cut short"},
		{append(slices.Clone(text), 0), "more bytes"}, {text[:len(text)/2], ""},
		{bytes.Replace(text, []byte(`"dim":4`), []byte(`"dim":5`), 1), ""},
		{bytes.Replace(text, []byte(`<p> 3`), []byte(`<p> 4`), 1), "it was changed"},
	} {
		_, err := Read(bytes.NewReader(c.text), int64(len(c.text)))
		if !errors.Is(err, ErrDatabase) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.30q: %v, want %q", c.text, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(written(f, database(f, 3)))
	f.Add(written(f, database(f, 0)))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Read(bytes.NewReader(text), int64(len(text)))
		if err == nil {
			d.Search(make([]float32, d.Dim()), 3)
			if !bytes.Equal(written(t, d), text) {
				t.Skip("a varint that is longer than needed")
			}
		}
	})
}
