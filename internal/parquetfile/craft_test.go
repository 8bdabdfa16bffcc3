package parquetfile

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	lz4lib "github.com/pierrec/lz4/v4"
)

// thrift writes structures in the compact protocol, as far as crafted files need it.
type thrift struct{ bytes.Buffer }

// structure writes fields: a number as an integer, a text as a name, a function as a structure, functions as a list.
func structure(fields map[int]any) func(*thrift) {
	return func(to *thrift) {
		last := 0
		for id := range 32 {
			value, ok := fields[id]
			if !ok {
				continue
			}
			head := byte(id-last) << 4
			last = id
			switch value := value.(type) {
			case int:
				to.WriteByte(head | 6)
				to.Write(binary.AppendVarint(nil, int64(value)))
			case bool:
				kind := byte(thriftFalse)
				if value {
					kind = thriftTrue
				}
				to.WriteByte(head | kind)
			case string:
				to.WriteByte(head | thriftBinary)
				to.Write(binary.AppendUvarint(nil, uint64(len(value))))
				to.WriteString(value)
			case func(*thrift):
				to.WriteByte(head | thriftStruct)
				value(to)
			case []func(*thrift):
				to.WriteByte(head | thriftList)
				to.WriteByte(byte(len(value))<<4 | thriftStruct)
				for _, one := range value {
					one(to)
				}
			}
		}
		to.WriteByte(0)
	}
}

func written(s func(*thrift)) []byte {
	var to thrift
	s(&to)
	return to.Bytes()
}

// crafted is a file with one column and one group of rows. A test sets its properties.
type crafted struct {
	kind   PhysicalType
	level  int // 0: required, 1: optional, 2: repeated
	length int
	codec  PageCodec
	rows   int
	values int
	pages  []craftedPage
}

type craftedPage struct {
	header map[int]any
	data   []byte
}

// v1 returns a page of version 1.
func v1(how pageEncoding, values, unpacked int, packed []byte) craftedPage {
	return craftedPage{map[int]any{1: pageV1, 2: unpacked, 3: len(packed),
		5: structure(map[int]any{1: values, 2: int(how), 3: 3, 4: 3})}, packed}
}

// words returns a dictionary.
func words(values, unpacked int, packed []byte) craftedPage {
	return craftedPage{map[int]any{1: pageDictionary, 2: unpacked, 3: len(packed),
		7: structure(map[int]any{1: values, 2: 0})}, packed}
}

// v2 returns a page of version 2, whose levels precede the compressed values.
func v2(how pageEncoding, values, repetitions, definitions, unpacked int, data []byte) craftedPage {
	return craftedPage{map[int]any{1: pageV2, 2: unpacked, 3: len(data),
		8: structure(map[int]any{1: values, 2: 0, 3: values, 4: int(how), 5: definitions, 6: repetitions})}, data}
}

func (c *crafted) bytes() []byte {
	data := []byte("PAR1")
	for _, p := range c.pages {
		data = append(append(data, written(structure(p.header))...), p.data...)
	}
	column := map[int]any{1: int(c.kind), 4: "c", 3: c.level}
	if c.length > 0 {
		column[2] = c.length
	}
	footer := written(structure(map[int]any{
		1: 2, 2: []func(*thrift){structure(map[int]any{4: "root", 5: 1}), structure(column)}, 3: c.rows,
		4: []func(*thrift){structure(map[int]any{3: c.rows, 1: []func(*thrift){structure(map[int]any{2: 4,
			3: structure(map[int]any{1: int(c.kind), 4: int(c.codec), 5: c.values, 6: 0, 7: len(data) - 4, 9: 4})})}})},
	}))
	data = append(data, footer...)
	return append(binary.LittleEndian.AppendUint32(data, uint32(len(footer))), "PAR1"...)
}

// pack compresses a page.
func pack(t testing.TB, codec PageCodec, data []byte) []byte {
	t.Helper()
	var to bytes.Buffer
	var w io.WriteCloser
	switch codec {
	case Uncompressed:
		return data
	case Snappy:
		return s2.EncodeSnappyBest(nil, data)
	case LZ4Raw:
		to := make([]byte, lz4lib.CompressBlockBound(len(data)))
		n, err := new(lz4lib.Compressor).CompressBlock(data, to)
		if err != nil {
			t.Fatal(err)
		}
		return to[:n]
	case Gzip:
		w = gzip.NewWriter(&to)
	case Brotli:
		w = brotli.NewWriter(&to)
	case Zstd:
		z, err := zstd.NewWriter(&to)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	}
	_, err := w.Write(data)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return to.Bytes()
}
