package bytearrays

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/format"
)

// value is what row i of the files of these tests has.
func value(i int) (text string, there bool) {
	return fmt.Sprintf("%d:", i) + strings.Repeat(string(rune('a'+i%26)), i), i%7 != 3
}

// open opens column value of a Parquet file.
func open(t testing.TB, data []byte) (*parquet.File, *parquet.Column) {
	t.Helper()
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return file, file.Root().Column("value")
}

// readAll reads all values of a file, but for those that are skipped; null is "-".
func readAll(data []byte, file *parquet.File, column *parquet.Column, skip int) (all []string, err error) {
	for group := range file.RowGroups() {
		r, err := Open(bytes.NewReader(data), file, group, column)
		if err != nil {
			return all, err
		}
		err = r.Skip(skip)
		for err == nil {
			var b []byte
			if b, err = r.Next([]byte("=")); err == nil {
				all = append(all, string(b))
			}
		}
		if err = errors.Join(err, r.Close()); !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return all, err
		}
	}
	return all, nil
}

func check(t *testing.T, data []byte, groups [][2]int) {
	t.Helper()
	file, column := open(t, data)
	for _, skip := range []int{0, 1, 45} {
		all, err := readAll(data, file, column, skip)
		if err != nil {
			t.Fatalf("%d skipped: %v", skip, err)
		}
		for _, g := range groups {
			for i := g[0] + skip; i < g[1]; i++ {
				want, there := value(i)
				if !there {
					want = ""
				}
				if len(all) == 0 || all[0] != "="+want {
					t.Fatalf("%d skipped, row %d: %.40q, want %.40q", skip, i, all, want)
				}
				all = all[1:]
			}
		}
		if len(all) > 0 {
			t.Errorf("%d skipped: %d values too many", skip, len(all))
		}
	}
}

// TestPyarrow reads what testdata/make.py wrote: a dictionary and plain pages, in two row groups.
func TestPyarrow(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "pyarrow.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	check(t, data, [][2]int{{0, 150}, {150, 200}})
	file, column := open(t, data)
	chunk := file.Metadata().RowGroups[0].Columns[0].MetaData
	end := int(chunk.DictionaryPageOffset + chunk.TotalCompressedSize)
	for at := end - 100; at < end; at++ { // of the last page, which has a CRC
		data[at] ^= 1
		if _, err := readAll(data, file, column, 0); err == nil {
			t.Errorf("byte %d was changed, and nothing is found", at)
		}
		data[at] ^= 1
	}
}

type optional struct {
	Value []byte `parquet:"value,optional,plain"`
}

type dictionaryOf struct {
	Value []byte `parquet:"value,optional,dict"`
}

type required struct {
	Value []byte `parquet:"value,plain"`
}

func write[T any](t testing.TB, rows []T, options ...parquet.WriterOption) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestForms reads pages of both versions, plain and by dictionaries, in every packing that is read.
func TestForms(t *testing.T) {
	const n = 300
	with, without, words := make([]optional, n), make([]required, n), make([]dictionaryOf, n)
	for i := range n {
		text, there := value(i)
		if there {
			with[i].Value, words[i].Value = []byte(text), []byte(text)
		}
		without[i].Value = []byte(text)
	}
	for name, codec := range map[string]compress.Codec{
		"uncompressed": &parquet.Uncompressed, "snappy": &parquet.Snappy, "gzip": &parquet.Gzip, "zstd": &parquet.Zstd,
	} {
		for version := 1; version <= 2; version++ {
			t.Run(fmt.Sprintf("%s, version %d", name, version), func(t *testing.T) {
				options := []parquet.WriterOption{
					parquet.Compression(codec), parquet.DataPageVersion(version), parquet.PageBufferSize(2000),
					parquet.MaxRowsPerRowGroup(200),
				}
				groups := [][2]int{{0, 200}, {200, n}}
				check(t, write(t, with, options...), groups)
				check(t, write(t, words, options...), groups)
				data := write(t, without, options...)
				file, column := open(t, data)
				all, err := readAll(data, file, column, 0)
				if err != nil || len(all) != n {
					t.Fatalf("%d values, %v", len(all), err)
				}
				for i, got := range all {
					if want, _ := value(i); got != "="+want {
						t.Errorf("row %d: %.40q, want %.40q", i, got, want)
					}
				}
			})
		}
	}
	for name, data := range map[string][]byte{
		"another packing":  write(t, with, parquet.Compression(&parquet.Lz4Raw)),
		"another encoding": write(t, []deltas{{[]byte("a")}}),
		"lists":            write(t, []lists{{[]string{"a"}}}),
		"numbers":          write(t, []numbers{{1}}),
	} {
		file, column := open(t, data)
		if _, err := readAll(data, file, column, 0); !errors.Is(err, ErrForm) {
			t.Errorf("%s: %v, want ErrForm", name, err)
		}
	}
}

type deltas struct {
	Value []byte `parquet:"value,delta"`
}

type lists struct {
	Value []string `parquet:"value"`
}

type numbers struct {
	Value int64 `parquet:"value"`
}

// random are values of size bytes that no packing makes smaller.
func random(n, size int) []optional {
	rows := make([]optional, n)
	r := rand.NewChaCha8([32]byte{})
	for i := range rows {
		rows[i].Value = make([]byte, size)
		_, _ = r.Read(rows[i].Value) // never an error
	}
	return rows
}

// TestMemory reads one page of 16 MiB with less than 2 MiB.
func TestMemory(t *testing.T) {
	data := write(t, random(512, 32<<10), parquet.Compression(&parquet.Snappy), parquet.PageBufferSize(64<<20))
	file, column := open(t, data)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := Open(bytes.NewReader(data), file, 0, column)
	if err != nil {
		t.Fatal(err)
	}
	var b []byte
	n := 0
	for err == nil {
		if b, err = r.Next(b[:0]); err == nil {
			n += len(b)
		}
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 2<<20 || n != 16<<20 {
		t.Errorf("%d bytes of memory for %d, %v", taken, n, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// TestSnappy: copies from within a block, long and short, overlapping and not; one from too far back is of another
// form.
func TestSnappy(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var text []byte
		for len(text) < r.IntN(1<<18) {
			if len(text) > 0 && r.IntN(3) > 0 {
				back := 1 + r.IntN(min(len(text), 1<<r.IntN(17)))
				for range r.IntN(200) {
					text = append(text, text[len(text)-back])
				}
			}
			for range r.IntN(100) {
				text = append(text, byte(r.Uint32()))
			}
		}
		packed := s2.EncodeSnappyBest(nil, text)
		var u unpacker
		from, err := u.open(format.Snappy, bytes.NewReader(packed))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(from); err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%d bytes, want %d: %v", len(got), len(text), err)
		}
	}
	far := append([]byte{0x88, 0x80, 0x10, 63 << 2, 3, 0, 4, 0}, make([]byte, 1<<18+4)...) // a literal of 1 << 18 + 4
	far = append(far, 3<<2|3, 0, 0, 4, 0)                                                  // and 4 bytes from 1 << 18 back
	if _, err := unpack(far); !errors.Is(err, ErrForm) {
		t.Errorf("a copy from far back: %v", err)
	}
}

func unpack(packed []byte) ([]byte, error) {
	var u unpacker
	from, err := u.open(format.Snappy, bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(from)
}

// FuzzSnappy: what the library unpacks is the same here, and what it refuses is an error.
func FuzzSnappy(f *testing.F) {
	f.Add(s2.EncodeSnappy(nil, []byte("a text, a text, a text")))
	f.Add([]byte{4, 0, 'a', 9, 1})
	f.Add([]byte{70, 0, 'a', 254, 1, 0, 10, 1, 0})
	f.Fuzz(func(t *testing.T, packed []byte) {
		if n, err := s2.DecodedLen(packed); err != nil || n > 1<<24 {
			return
		}
		want, wantErr := s2.Decode(nil, packed)
		got, err := unpack(packed)
		switch {
		case wantErr != nil || errors.Is(err, ErrForm):
		case err != nil && strings.Contains(err.Error(), "from itself"): // s2 has a meaning for it, which Snappy has not
		case err != nil || !bytes.Equal(got, want):
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	})
}

// FuzzReader: a damaged file is an error, or has the values that are left.
func FuzzReader(f *testing.F) {
	rows := random(40, 50)
	seeds := [][]byte{
		write(f, rows, parquet.Compression(&parquet.Snappy)), write(f, rows, parquet.DataPageVersion(1)),
		write(f, []dictionaryOf{{[]byte("a")}, {[]byte("b")}, {}, {[]byte("a")}}),
	}
	for i := range seeds {
		f.Add(i, 0, byte(0))
		f.Add(i, 20, byte(1))
		f.Add(i, 4, byte(255))
	}
	f.Fuzz(func(_ *testing.T, which, at int, change byte) {
		data := bytes.Clone(seeds[uint(which)%uint(len(seeds))])
		data[uint(at)%uint(len(data))] ^= change
		file, err := openDamaged(data)
		if err != nil {
			return
		}
		column := file.Root().Column("value")
		if column == nil || !column.Leaf() {
			return
		}
		_, _ = readAll(data, file, column, 0)
	})
}

// openDamaged opens a file; the library panics on some that are damaged.
func openDamaged(data []byte) (file *parquet.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipPageIndex(true))
}

// BenchmarkNext reads values of 50 kB from a page of 25 MB, packed by Snappy.
func BenchmarkNext(b *testing.B) {
	const n, size = 512, 50 << 10
	data := write(b, random(n, size), parquet.Compression(&parquet.Snappy), parquet.PageBufferSize(64<<20))
	file, column := open(b, data)
	b.ReportAllocs()
	b.SetBytes(n * size)
	var value []byte
	for b.Loop() {
		r, err := Open(bytes.NewReader(data), file, 0, column)
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			value, err = r.Next(value[:0])
		}
		if err = errors.Join(err, r.Close()); !errors.Is(err, io.EOF) {
			b.Fatal(err)
		}
	}
}
