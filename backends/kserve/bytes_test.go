package kserve

import (
	"bytes"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// TestTextsComeBack sends rows to a server that returns them. Short rows end in zeros, which are not sent.
func TestTextsComeBack(t *testing.T) {
	const row = 5
	data := []byte("plumbup\x00\x00\x00\x00\x00\x00\x00\x00a\x00b\x00\x00")
	in := []backend.Tensor{{Name: "x", DType: backend.Uint8, Shape: []int64{4, row}, Data: data}}
	for _, typed := range []bool{false, true} {
		for _, shape := range [][]int64{{-1}, {-1, 1}} { // the second is the form of servers with a batch dimension
			for _, width := range []int64{-1, row} {
				out := echoed(t, &server{typed: typed, model: echoModel(bytesDatatype, shape...)}, backend.Uint8, []int64{-1,
					width}, in)
				if backend.ShapeString(out.Shape) != "[4,5]" || !bytes.Equal(out.Data, data) {
					t.Errorf("typed %v, shape %v, width %d: %q of shape %v, want %q", typed, shape, width, out.Data, out.Shape, data)
				}
			}
		}
	}
}

func TestTextsAreFilledWithZeros(t *testing.T) {
	raw := rawTexts([][]byte{[]byte("ab"), nil, []byte("abc")})
	for _, c := range []struct {
		want  []int64
		shape string
		data  string
	}{
		{[]int64{-1, -1}, "[3,3]", "ab\x00\x00\x00\x00abc"},
		{[]int64{3, 4}, "[3,4]", "ab\x00\x00\x00\x00\x00\x00abc\x00"},
		{nil, "[3,1,3]", "ab\x00\x00\x00\x00abc"},
	} {
		shape, data, err := unpackTexts([]int64{3, 1}, raw, c.want)
		if err != nil || backend.ShapeString(shape) != c.shape || string(data) != c.data {
			t.Errorf("as %v: %q of shape %v, error %v, want %q of shape %s", c.want, data, shape, err, c.data, c.shape)
		}
	}
}

func TestTextsRefuse(t *testing.T) {
	ab := rawTexts([][]byte{[]byte("ab")})
	many := rawTexts([][]byte{make([]byte, 1<<16)})
	for range 1 << 15 {
		many = append(many, 0, 0, 0, 0)
	}
	for _, c := range []struct {
		raw  []byte
		n    int64
		want []int64
		text string
	}{
		{ab[:5], 1, nil, "element 0 has a length of 2 bytes, and 1 are left"},
		{append(ab[:6:6], 1, 0), 2, nil, "2 bytes behind element 1"},
		{ab, 2, nil, "1 elements, want 2"},
		{ab, 1, []int64{-1, 1}, "an element has 2 bytes, want 1 at most"},
		{[]byte{255, 255, 255, 255}, 1, nil, "4294967295 bytes"},
		{many, 1<<15 + 1, nil, "when all are as long"},
	} {
		_, _, err := unpackTexts([]int64{c.n}, c.raw, c.want)
		wantAll(t, err, c.text)
	}
}
