package products

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	drawn "github.com/plumbline-ml/plumbline/internal/synthetic/products"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// harnessRow is a row as the endpoints harness writes it.
type harnessRow struct {
	Title       string `parquet:"product_title" json:"product_title"`
	Description string `parquet:"product_description" json:"product_description"`
	Picture     string `parquet:"product_image_base64,plain" json:"product_image_base64"`
	Format      string `parquet:"product_image_format" json:"product_image_format"`
	Offered     string `parquet:"potential_product_categories" json:"potential_product_categories"`
	Category    string `parquet:"ground_truth_category" json:"ground_truth_category"`
	Brand       string `parquet:"ground_truth_brand" json:"ground_truth_brand"`
	SecondHand  string `parquet:"ground_truth_is_secondhand" json:"ground_truth_is_secondhand"`
}

func write[T any](t *testing.T, name string, rows []T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := parquet.WriteFile(path, rows); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string, count int) (*ProductSet, []ProductRow, error) {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		return nil, nil, err
	}
	var rows []ProductRow
	err = s.Each(t.Context(), count, func(i int, row *ProductRow) error {
		if i != len(rows) {
			t.Errorf("row %d comes as number %d", i, len(rows))
		}
		kept := *row
		kept.Picture = slices.Clone(row.Picture)
		rows = append(rows, kept)
		return nil
	})
	return s, rows, err
}

// TestGoldenBooleans reads what pyarrow 26.0.1 wrote with data_page_version="2.0" and compression="lz4": 20 products
// that are second-hand, and 12 that are not, as runs.
func TestGoldenBooleans(t *testing.T) {
	s, rows, err := read(t, filepath.Join("testdata", "booleans-v2.parquet"), 0)
	if err != nil || len(rows) != 32 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	truths, err := s.Truths(0)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows {
		if want := i < 20; row.SecondHand != want || truths[i].SecondHand != want {
			t.Errorf("row %d is %v, its truth %v, want %v", i, row.SecondHand, truths[i].SecondHand, want)
		}
		if row.Title != fmt.Sprintf("t%d", i) || !slices.Equal(row.Offered, []string{"a", "b"}) {
			t.Errorf("row %d: %+v", i, row)
		}
	}
}

// TestHub reads what is exported in the hub's columns, whole and in part, from one file and from several.
func TestHub(t *testing.T) {
	dir := t.TempDir()
	if err := export.Products(t.Context(), dir, drawn.Eval(), 0, 300); err != nil {
		t.Fatal(err)
	}
	for _, count := range []int{0, 290} {
		s, rows, err := read(t, dir, count)
		if err != nil || s.Form != Hub || s.Len() != 300 || len(rows) != 300-10*min(count, 1) {
			t.Fatalf("%+v, %d rows, %v", s, len(rows), err)
		}
		truths, err := s.Truths(count)
		if err != nil || len(truths) != len(rows) {
			t.Fatalf("%d truths, %v", len(truths), err)
		}
		for i, row := range rows {
			want := drawn.Eval().Product(i)
			wantTruth := ProductTruth{want.Category, want.Brand, want.SecondHand, want.Offered}
			if row.Title != want.Title || row.Description != want.Description || row.Format != "JPEG" ||
				!reflect.DeepEqual(row.ProductTruth, wantTruth) || !row.OffersTruth() {
				t.Fatalf("row %d: %+v, want %+v", i, row, want)
			}
			if !reflect.DeepEqual(truths[i], wantTruth) {
				t.Fatalf("truth %d: %+v, want %+v", i, truths[i], wantTruth)
			}
		}
		for _, i := range []int{0, 255, 256, 289} {
			row, err := s.Row(t.Context(), i)
			if err != nil || row.Title != drawn.Eval().Product(i).Title || len(row.Picture) == 0 {
				t.Errorf("row %d alone: %+v, %v", i, row, err)
			}
		}
		if _, err := s.Row(t.Context(), 300); !errors.Is(err, ErrDataset) {
			t.Errorf("%v of a row that is not there", err)
		}
		if file, err := rows[7].PictureFile(); err != nil || string(file) != string(drawn.Eval().Picture(7)) {
			t.Errorf("picture 7 is another one: %v", err)
		}
	}
	data := filepath.Join(dir, "data")
	if err := os.Rename(filepath.Join(dir, filepath.FromSlash(export.ProductFile)),
		filepath.Join(data, "test-0.parquet")); err != nil {
		t.Fatal(err)
	}
	second := t.TempDir()
	if err := export.Products(t.Context(), second, drawn.Eval(), 300, 310); err != nil {
		t.Fatal(err)
	}
	err := os.Rename(filepath.Join(second, filepath.FromSlash(export.ProductFile)), filepath.Join(data, "train-9.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	_, rows, err := read(t, dir, 12)
	if err != nil || len(rows) != 12 || rows[0].Title != drawn.Eval().Product(300).Title ||
		rows[11].Title != drawn.Eval().Product(1).Title {
		t.Errorf("train comes before test: %d rows, %v", len(rows), err)
	}
}

// TestGoldenRows reads rows that the endpoints harness wrote.
func TestGoldenRows(t *testing.T) {
	golden.Each(t, "agentic/vl/requests.jsonl", func(t *testing.T, path string) {
		type c struct {
			Row     harnessRow `json:"row_v61"`
			Product struct {
				Offered []string `json:"potential_product_categories"`
			}
		}
		var rows []harnessRow
		cases := golden.ReadLines[c](t, path)
		for _, c := range cases {
			rows = append(rows, c.Row)
		}
		s, got, err := read(t, write(t, "shopify_product_catalogue_train+test.parquet", rows), 0)
		if err != nil || s.Form != Endpoints || len(got) != len(rows) {
			t.Fatalf("%d rows, %v", len(got), err)
		}
		truths, err := s.Truths(0)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range got {
			want := rows[i]
			if row.Title != want.Title || row.Description != want.Description || string(row.Picture) != want.Picture ||
				row.Format != want.Format || row.OfferedText != want.Offered || row.Category != want.Category ||
				row.Brand != want.Brand || row.SecondHand != (want.SecondHand == "true") ||
				!slices.Equal(row.Offered, cases[i].Product.Offered) || pythonJSON(row.Offered) != want.Offered {
				t.Errorf("row %d: %+v, want %+v", i, row, want)
			}
			if !slices.Equal(truths[i].Offered, row.Offered) || truths[i].Category != row.Category {
				t.Errorf("truth %d: %+v", i, truths[i])
			}
		}
	})
}

// TestFaults: each says its row, all of them come at once.
func TestFaults(t *testing.T) {
	whole := drawn.Eval().Picture(0)
	jpeg := base64.StdEncoding.EncodeToString(whole)
	good := harnessRow{"a", "b", jpeg, "JPEG", `["x"]`, "x", "y", "true"}
	rows := []harnessRow{good, good, good, good, good, good, good}
	rows[1].Picture, rows[2].Picture, rows[2].Format = "", "####", "JPEG"
	rows[3].Format, rows[4].Offered, rows[5].SecondHand = "PNG", "['x']", "maybe"
	rows[6].Picture = base64.StdEncoding.EncodeToString(whole[:len(whole)-2])
	_, got, err := read(t, write(t, "shopify_product_catalogue_train.parquet", rows), 0)
	for _, want := range []string{
		"row 1: product_image_base64: there is no picture", "row 2: product_image_base64: it is no base 64",
		`row 3: product_image_format: it says "PNG", and the picture is JPEG`,
		"row 4: potential_product_categories: found \"['x']\", want a JSON list of texts",
		`row 5: ground_truth_is_secondhand: found "maybe", want true or false`,
		fmt.Sprintf("row 6: product_image_base64: the picture of %d bytes is broken: it is cut short", len(whole)-2),
	} {
		if !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if len(got) != 1 {
		t.Errorf("%d rows were handed over, of which 1 is right", len(got))
	}
}

func TestHubFaults(t *testing.T) {
	type picture struct {
		Bytes []byte `parquet:"bytes,optional"`
		Path  string `parquet:"path,optional"`
	}
	type row struct {
		Image       picture  `parquet:"product_image"`
		Title       string   `parquet:"product_title"`
		Description string   `parquet:"product_description"`
		Offered     []string `parquet:"potential_product_categories,list"`
		Category    string   `parquet:"ground_truth_category"`
		Brand       string   `parquet:"ground_truth_brand"`
		SecondHand  bool     `parquet:"ground_truth_is_secondhand"`
	}
	half := drawn.Eval().Picture(0)[:500]
	path := write(t, "x.parquet", []row{
		{Image: picture{Path: "a.jpg"}}, {}, {Image: picture{Bytes: []byte("text")}}, {Image: picture{Bytes: half}},
	})
	_, _, err := read(t, path, 0)
	for _, want := range []string{
		`row 0: product_image: it has a path alone, "a.jpg"`, "row 1: product_image: there is no picture",
		`row 2: product_image: its first bytes are "text"`,
		"row 3: product_image: the picture of 500 bytes is broken: it is cut short",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	path = write(t, "y.parquet", []struct {
		Title string `parquet:"product_title"`
	}{{"a"}})
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "its columns are product_title") ||
		!strings.Contains(err.Error(), "no column product_description") {
		t.Errorf("%v", err)
	}
	for _, path := range []string{"none", t.TempDir()} {
		if _, err := Open(path); !errors.Is(err, ErrDataset) || !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestStore(t *testing.T) {
	dir := t.TempDir()
	s, err := NewStore(dir)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"a", "", "bcd"}
	for _, text := range texts {
		if err := s.AddText([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.EndWriting(); err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		if string(s.Text(i)) != text {
			t.Errorf("text %d is %q, want %q", i, s.Text(i), text)
		}
	}
	if s.Len() != 3 || s.Size() != 4 {
		t.Errorf("%d texts of %d bytes", s.Len(), s.Size())
	}
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
	unsealed, err := NewStore(dir)
	if err == nil {
		err = unsealed.Close()
	}
	if left, _ := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left are %v, %v", left, err)
	}
}

func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	if err := export.Products(t.Context(), dir, drawn.Eval(), 0, 3); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Each(ctx, 0, func(int, *ProductRow) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// FuzzOpen cuts a file, and changes a byte of it: what is read is never a panic.
func FuzzOpen(f *testing.F) {
	dir := f.TempDir()
	path := filepath.Join(dir, "x.parquet")
	rows := []harnessRow{{"a", "b", "/9j/", "JPEG", `["x"]`, "x", "y", "true"}}
	if err := parquet.WriteFile(path, rows); err != nil {
		f.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(len(file), 0, byte(0))
	f.Add(len(file)/2, 40, byte(1))
	f.Add(len(file), len(file)-30, byte(255))
	f.Fuzz(func(t *testing.T, size, at int, change byte) {
		data := slices.Clone(file[:min(max(size, 0), len(file))])
		if at >= 0 && at < len(data) {
			data[at] ^= change
		}
		path := filepath.Join(t.TempDir(), "x.parquet")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path)
		if err != nil {
			return
		}
		_ = s.Each(context.Background(), 0, func(_ int, row *ProductRow) error {
			_, err := row.PictureFile()
			return err
		})
		_, _ = s.Truths(0)
	})
}

// TestOtherPages reads rows whose pictures lie in pages that are read whole: these have headers with the least and the
// greatest of their values.
func TestOtherPages(t *testing.T) {
	rows := large(5, 200<<10)
	_, got, err := read(t, write(t, "shopify_product_catalogue_train.parquet", rows), 4)
	if err != nil || len(got) != 4 {
		t.Fatalf("%d rows, %v", len(got), err)
	}
	for i, row := range got {
		if string(row.Picture) != rows[i].Picture {
			t.Errorf("row %d has another picture", i)
		}
	}
}

// large are rows of the endpoints harness whose pictures have size bytes, which no packing makes smaller.
func large(n, size int) []harnessRow {
	r := rand.New(rand.NewPCG(1, 2))
	rows := make([]harnessRow, n)
	for i := range rows {
		picture := make([]byte, size)
		for k := range picture {
			picture[k] = byte(r.IntN(255)) // no markers
		}
		copy(picture, "\xff\xd8\xff\xc0\x00\x02\xff\xda\x00\x02")
		copy(picture[size-2:], "\xff\xd9")
		rows[i] = harnessRow{"a title", "a description", base64.StdEncoding.EncodeToString(picture), "JPEG", `["x > y", "z"]`,
			"x > y", "b", "true"}
	}
	return rows
}

// BenchmarkEach reads rows of the endpoints harness whose pictures have 100 kB, as pyarrow writes them, and keeps their
// base 64: what is done of each before a run.
func BenchmarkEach(b *testing.B) {
	const n, size = 256, 100 << 10
	rows := large(n, size)
	path := filepath.Join(b.TempDir(), "x.parquet")
	f, err := os.Create(path)
	if err == nil {
		w := parquet.NewGenericWriter[harnessRow](f, parquet.Compression(&parquet.Snappy), parquet.DataPageStatistics(false))
		_, err = w.Write(rows)
		err = errors.Join(err, w.Close(), f.Close())
	}
	if err != nil {
		b.Fatal(err)
	}
	s, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetBytes(int64(n * len(rows[0].Picture)))
	for b.Loop() {
		store, err := NewStore(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		err = s.Each(b.Context(), 0, func(_ int, row *ProductRow) error { return store.AddText(row.Picture) })
		if err := errors.Join(err, store.EndWriting(), store.Close()); err != nil {
			b.Fatal(err)
		}
	}
}
