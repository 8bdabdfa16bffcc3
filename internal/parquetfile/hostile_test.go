package parquetfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
)

var codecs = []PageCodec{Uncompressed, Snappy, Gzip, Brotli, Zstd, LZ4Raw}

// readAll reads the values of all leaves of a file, up to a limit, and counts their bytes.
func readAll(data []byte, most int) (values int, bytesOf int64, err error) {
	f, err := New(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return 0, 0, err
	}
	for group := range f.RowGroups() {
		for _, leaf := range f.leaves {
			r, err := f.OpenColumn(group, leaf)
			if err != nil {
				return values, bytesOf, err
			}
			for values < most {
				var v *LeafValue
				if v, err = r.Next(); err != nil {
					break
				}
				values++
				bytesOf += int64(len(v.Bytes))
			}
			atEnd := errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF)
			if err = errors.Join(err, r.Close()); err != nil && !atEnd {
				return values, bytesOf, err
			}
		}
	}
	return values, bytesOf, nil
}

// taken returns the number of bytes that a function allocates.
func taken(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// texts returns plain values.
func texts(all ...string) (to []byte) {
	for _, text := range all {
		to = append(binary.LittleEndian.AppendUint32(to, uint32(len(text))), text...)
	}
	return to
}

func numbers(n ...uint64) (to []byte) {
	for _, v := range n {
		to = binary.AppendUvarint(to, v)
	}
	return to
}

// TestExactSize checks that a page must decompress to exactly the bytes that its header states, in every compression
// and version.
func TestExactSize(t *testing.T) {
	page := texts("a", strings.Repeat("b", 300), "", "c")
	for _, codec := range codecs {
		packed := pack(t, codec, page)
		for off := -3; off <= 3; off++ {
			for version, made := range map[string]craftedPage{
				"v1":         v1(encodingPlain, 4, len(page)+off, packed),
				"v2":         v2(encodingPlain, 4, 0, 0, len(page)+off, packed),
				"dictionary": words(4, len(page)+off, packed),
			} {
				file := crafted{kind: ByteArray, codec: codec, rows: 4, values: 4, pages: []craftedPage{made}}
				if version == "dictionary" {
					index := []byte{2, 3, 0b11100100}
					file.pages = append(file.pages, v1(encodingDictionary, 4, len(index), pack(t, codec, index)))
				}
				n, _, err := readAll(file.bytes(), math.MaxInt)
				if (err == nil) != (off == 0) || off == 0 && n != 4 {
					t.Errorf("%v, %s, %+d bytes: %d values, %v", codec, version, off, n, err)
				}
				if err != nil && strings.Contains(err.Error(), "%!") {
					t.Error(err)
				}
			}
		}
	}
}

// TestBombs reads pages whose decompressed or stated size far exceeds the other, and checks that they need little
// memory.
func TestBombs(t *testing.T) {
	const most = 24 << 20
	zeros := make([]byte, 4<<20)
	long := append(binary.LittleEndian.AppendUint32(nil, MaxValue), zeros...)
	runOfLevels := append([]byte{9, 0, 0, 0}, numbers(1<<40)...)
	lengths := append(numbers(1<<20, 1, 1<<31-1, 0, 0, 0), make([]byte, 20)...)[:20]
	for _, codec := range codecs {
		packed, packedLong := zeros, long
		if codec != Uncompressed {
			packed, packedLong = pack(t, codec, zeros), pack(t, codec, long)
		}
		for name, file := range map[string]crafted{
			"more than the page": {kind: ByteArray, rows: 1, values: 1, pages: []craftedPage{
				v1(encodingPlain, 1, 4, packed)}},
			"less than the page": {kind: FixedByteArray, length: 1 << 20, rows: 1, values: 1,
				pages: []craftedPage{v1(encodingPlain, 1, math.MaxInt32, pack(t, codec, []byte("a")))}},
			"a value beyond the page": {kind: ByteArray, rows: 1, values: 1, pages: []craftedPage{
				v1(encodingPlain, 1, 8, pack(t, codec, []byte{255, 255, 255, 127, 1, 2, 3, 4}))}},
			"levels": {kind: ByteArray, level: 1, rows: 1, values: 1, pages: []craftedPage{
				v1(encodingPlain, 1, 8, pack(t, codec, []byte{255, 255, 255, 3, 1, 2, 3, 4}))}},
			"a run of levels": {kind: Int64, level: 1, rows: 1, values: 1, pages: []craftedPage{
				v1(encodingPlain, math.MaxInt32, len(runOfLevels), pack(t, codec, runOfLevels))}},
			"a dictionary": {kind: ByteArray, rows: 1, values: 1, pages: []craftedPage{
				words(math.MaxInt32, len(packed), packed)}},
			"differences": {kind: Int64, rows: 1, values: 1, pages: []craftedPage{
				v1(encodingDelta, 1, 20, pack(t, codec, append(numbers(1<<40, 1, 1<<40, 2), make([]byte, 20)...)[:20]))}},
			"lengths": {kind: ByteArray, rows: 1, values: 1, pages: []craftedPage{
				v1(encodingDeltaLength, 1, 20, pack(t, codec, lengths))}},
			"another number of values": {kind: ByteArray, rows: 1, values: 1, pages: []craftedPage{
				v1(encodingPlain, math.MaxInt32, len(zeros), packed)}},
		} {
			file.codec = codec
			data := file.bytes()
			var err error
			memory := taken(func() { _, _, err = readAll(data, 1<<20) })
			if err == nil || memory > most {
				t.Errorf("%v, %s: %v with %d bytes of memory, want an error with at most %d", codec, name, err, memory, most)
			}
		}
		file := crafted{kind: ByteArray, codec: codec, rows: 1, values: 1, pages: []craftedPage{
			v1(encodingPlain, 1, len(long), packedLong)}}
		if _, _, err := readAll(file.bytes(), 1); err == nil {
			t.Errorf("%v: a value that is cut short is read", codec)
		}
		runtime.GC()
	}
}

// TestDamaged changes each byte of files of each compression, encoding and version. The reader must return values or an
// error, with little memory.
func TestDamaged(t *testing.T) {
	text := texts("abcdefgh", "abcdefghabcdefgh", "", "abc")
	deltas := append(numbers(128, 4, 4, 2), 3<<1, 2, 0, 0, 0)
	deltas = append(deltas, make([]byte, 8)...)
	shared := append(numbers(128, 4, 4, 0), 0, 0, 0, 0, 0)
	for _, codec := range codecs {
		for name, page := range map[string]struct {
			kind PhysicalType
			how  pageEncoding
			data []byte
		}{
			"plain": {ByteArray, encodingPlain, text}, "lengths": {ByteArray, encodingDeltaLength, append(deltas, text...)},
			"shared": {ByteArray, encodingDeltaBytes, append(append(shared, deltas...), text...)},
			"deltas": {Int64, encodingDelta, deltas}, "split": {Double, encodingSplit, make([]byte, 32)},
			"booleans": {Boolean, encodingRLE, []byte{2, 0, 0, 0, 8, 1}},
		} {
			packed := pack(t, codec, page.data)
			for version, made := range []craftedPage{v1(page.how, 4, len(page.data), packed),
				v2(page.how, 4, 0, 0, len(page.data), packed)} {
				file := crafted{kind: page.kind, codec: codec, rows: 4, values: 4, pages: []craftedPage{made}}
				data := file.bytes()
				if n, _, err := readAll(data, 100); n != 4 || err != nil {
					t.Errorf("%v, %s, version %d: %d values, %v", codec, name, version+1, n, err)
				}
				memory := taken(func() { damageEach(data) })
				if each := memory / uint64(len(data)); each > 2<<20 {
					t.Errorf("%v, %s, version %d: %d bytes of memory for each file", codec, name, version+1, each)
				}
			}
		}
	}
}

// damageEach changes each byte of a file in several ways.
func damageEach(data []byte) {
	changes := []byte{1, 0x55, 0x80, 0xff}
	for at := range data {
		change := changes[at%len(changes)]
		data[at] ^= change
		_, _, _ = readAll(data, 1000)
		data[at] ^= change
	}
}

// TestRefused checks that unsupported features are refused with their names.
func TestRefused(t *testing.T) {
	page := v1(encodingPlain, 1, 5, texts("a"))
	old := craftedPage{map[int]any{1: pageV1, 2: 5, 3: 5, 5: structure(map[int]any{1: 1, 2: 0, 3: 4, 4: 4})}, texts("a")}
	good := (&crafted{kind: ByteArray, rows: 1, values: 1, pages: []craftedPage{page}}).bytes()
	encrypted := append(bytes.Clone(good[:len(good)-4]), "PARE"...)
	of := func(page craftedPage) []byte {
		return (&crafted{kind: ByteArray, rows: 1, values: 1, pages: []craftedPage{page}}).bytes()
	}
	for want, data := range map[string][]byte{
		"packed by LZO":                   (&crafted{kind: ByteArray, codec: LZO, rows: 1, values: 1}).bytes(),
		"LZ4 in Hadoop's frames":          (&crafted{kind: ByteArray, codec: LZ4, rows: 1, values: 1}).bytes(),
		"packed by codec 9":               (&crafted{kind: ByteArray, codec: 9, rows: 1, values: 1}).bytes(),
		"a type of number 11":             (&crafted{kind: 11, rows: 1, values: 1}).bytes(),
		"it is encrypted":                 encrypted,
		"BYTE_ARRAY as BYTE_STREAM_SPLIT": of(v1(encodingSplit, 1, 5, texts("a"))),
		"BYTE_ARRAY as encoding 10":       of(v1(10, 1, 5, texts("a"))),
		"levels as BIT_PACKED": (&crafted{kind: ByteArray, level: 1, rows: 1, values: 1,
			pages: []craftedPage{old}}).bytes(),
	} {
		if _, _, err := readAll(data, 10); !errors.Is(err, ErrForm) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for text, want := range map[string]string{
		"PAR1ab\x03\x00\x00\x00PAR1": "its footer of 3 bytes is larger than the file of 14",
		"PAR1ab\x02\x00\x00\x00PAR":  "one ends in PAR1",
		"PAR1":                       "one ends in PAR1",
		"":                           "one ends in PAR1",
	} {
		if _, _, err := readAll([]byte(text), 10); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestSums checks that a page with a wrong CRC in its header counts as damaged.
func TestSums(t *testing.T) {
	data := bytes.Clone(goldenFiles(t)["pyarrow-none-v1-plain.plain.parquet"])
	f, err := New(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	of := f.footer.groups[0].chunks[f.FindColumn("huge").Index]
	// values; any of them could be right
	for at := of.dataOffset + of.compressedBytes - 100; at < of.dataOffset+of.compressedBytes; at++ {
		data[at] ^= 1
		if _, _, err := readAll(data, math.MaxInt); err == nil || !strings.Contains(err.Error(), "CRC") {
			t.Fatalf("byte %d was changed: %v", at, err)
		}
		data[at] ^= 1
	}
}

// TestMemory reads a page of 16 MiB of large values, in each compression, with little memory.
func TestMemory(t *testing.T) {
	one := strings.Repeat("0123456789abcdef", 4<<10)
	const values = 1 << 8
	page := bytes.Repeat(texts(one), values)
	for _, codec := range codecs {
		file := crafted{kind: ByteArray, codec: codec, rows: values, values: values, pages: []craftedPage{
			v1(encodingPlain, values, len(page), pack(t, codec, page))}}
		data := file.bytes()
		var n int64
		var err error
		memory := taken(func() { _, n, err = readAll(data, math.MaxInt) })
		if err != nil || n != 16<<20 || memory > 10<<20 {
			t.Errorf("%v: %d bytes, %v, with %d bytes of memory", codec, n, err, memory)
		}
	}
}

// FuzzReader changes bytes of valid files. The reader must return values or an error, in limited memory.
func FuzzReader(f *testing.F) {
	files := goldenFiles(f)
	for _, name := range []string{"pyarrow-lz4-v2-plain.nulls", "pyarrow-zstd-v1-DELTA_BYTE_ARRAY.nulls",
		"duckdb-snappy-v2.nulls", "polars-brotli.nulls", "pyarrow-gzip-v2-BYTE_STREAM_SPLIT.plain", "pyarrow-old.nulls"} {
		data := files[name+".parquet"]
		f.Add(data, uint32(len(data)-9), uint32(0))
		f.Add(data, uint32(4), uint32(0x01010101))
		f.Add(data, uint32(len(data)/2), uint32(0xffffffff))
	}
	f.Fuzz(func(t *testing.T, data []byte, at, change uint32) {
		data = bytes.Clone(data)
		if n := len(data) - 4; n >= 0 {
			at := int(at) % (n + 1)
			binary.LittleEndian.PutUint32(data[at:], binary.LittleEndian.Uint32(data[at:])^change)
		}
		const most = 1 << 30 // of all columns and groups together
		memory := taken(func() {
			_, _, _ = readAll(data, 10_000)
			file, err := New(bytes.NewReader(data), int64(len(data)))
			if err != nil {
				return
			}
			rows := 0
			for _, err := range file.RowObjects(func(string) bool { return true }) {
				if rows++; err != nil || rows == 100 {
					break
				}
			}
		})
		if memory > most {
			t.Errorf("%d bytes of memory for a file of %d", memory, len(data))
		}
	})
}

func ExampleParquetFile_RowObjects() {
	file := crafted{kind: ByteArray, rows: 2, values: 2, pages: []craftedPage{
		v1(encodingPlain, 2, 10, texts("a", "b"))}}
	data := file.bytes()
	f, err := New(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		fmt.Println(err)
		return
	}
	for row, err := range f.RowObjects(func(column string) bool { return column == "c" }) {
		fmt.Println(string(row), err)
	}
	// Output:
	// {"c":"a"} <nil>
	// {"c":"b"} <nil>
}

// BenchmarkNumbers reads 100,000 numbers of 15 bits, by a dictionary's indices and in plain form.
func BenchmarkNumbers(b *testing.B) {
	const n = 100_000
	index := append([]byte{15}, binary.AppendUvarint(nil, n/8<<1|1)...)
	index = append(index, make([]byte, n*15/8)...)
	for name, file := range map[string]crafted{
		"dictionary": {kind: Int32, codec: Snappy, rows: n, values: n, pages: []craftedPage{
			words(1, 4, pack(b, Snappy, make([]byte, 4))), v1(encodingDictionary, n, len(index), pack(b, Snappy, index))}},
		"plain": {kind: Int32, codec: Snappy, rows: n, values: n, pages: []craftedPage{
			v1(encodingPlain, n, 4*n, pack(b, Snappy, make([]byte, 4*n)))}},
	} {
		data := file.bytes()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(4 * n)
			for b.Loop() {
				if read, _, err := readAll(data, n); read != n || err != nil {
					b.Fatal(read, err)
				}
			}
		})
	}
}
