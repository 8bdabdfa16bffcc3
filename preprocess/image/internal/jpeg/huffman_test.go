package jpeg

import (
	"encoding/hex"
	"errors"
	"testing"
)

func typicalSpec(tb testing.TB, class, table int) []byte {
	tb.Helper()
	spec, err := hex.DecodeString(typicalTables[class][table])
	if err != nil {
		tb.Fatal(err)
	}
	return spec
}

// TestEveryCode looks up every code of the typical tables, whatever follows it.
func TestEveryCode(t *testing.T) {
	for class := range 2 {
		for table := range 2 {
			spec := typicalSpec(t, class, table)
			var h huffmanTable
			if err := h.define(spec); err != nil {
				t.Fatal(err)
			}
			next, index := uint64(0), maxCodeLen
			for l := uint(1); l <= maxCodeLen; l++ {
				for range spec[l-1] {
					checkCode(t, &h, next<<(64-l), l, spec[index])
					next, index = next+1, index+1
				}
				next <<= 1
			}
		}
	}
}

func checkCode(t *testing.T, h *huffmanTable, bits uint64, l uint, symbol uint8) {
	t.Helper()
	size := uint(symbol & 15)
	for _, tail := range []uint64{0, 1<<64 - 1, 0xaaaaaaaaaaaaaaaa} {
		acc := bits | tail>>l
		want := 0
		if size > 0 {
			want = signExtend(int(acc<<l>>(64-size)), size)
		}
		c, v, n := h.decodeCode(acc)
		if c == 0 || c.run() != int(symbol>>4) || v != want || n != l+size {
			t.Fatalf("symbol %#x: run %d, value %d, %d bits, want %d, %d, %d", symbol, c.run(), v, n, symbol>>4, want, l+size)
		}
	}
}

// TestPairsAreTwoCodes shows that a look-up of two coefficients is two of one.
func TestPairsAreTwoCodes(t *testing.T) {
	var h huffmanTable
	if err := h.define(typicalSpec(t, 1, 0)); err != nil {
		t.Fatal(err)
	}
	doubles := 0
	for i, p := range h.pairs {
		acc := uint64(i) << (64 - lookupBits)
		first, v1, n1 := h.decodeCode(acc)
		switch {
		case p == 0:
			continue
		case p.bits() == n1:
			if p.value1() != int64(v1) || p.value2() != 0 {
				t.Fatalf("%#x: values %d, %d, want %d", i, p.value1(), p.value2(), v1)
			}
			continue
		}
		doubles++
		second, v2, n2 := h.decodeCode(acc << n1)
		at := uint(first.run()) + 1
		if p.bits() != n1+n2 || p.value1() != int64(v1) || p.value2() != int64(v2) || p.first() != uint(first.run()) {
			t.Fatalf("%#x: %d bits, %d and %d, want %d, %d and %d", i, p.bits(), p.value1(), p.value2(), n1+n2, v1, v2)
		}
		if end := second.isBlockEnd(); end && p.advance() != at+blockEnd ||
			!end && p.advance() != at+uint(second.run())+1 {
			t.Fatalf("%#x: advances by %d", i, p.advance())
		}
	}
	if doubles == 0 {
		t.Error("no look-up brings two coefficients")
	}
}

func TestBadTables(t *testing.T) {
	counts := func(n ...byte) []byte { return append(n, make([]byte, maxCodeLen-len(n))...) }
	tests := []struct {
		name string
		body []byte
	}{
		{"no counts", []byte{0}},
		{"class 2", append([]byte{0x20}, counts()...)},
		{"number 4", append([]byte{4}, counts()...)},
		{"symbols missing", append(append([]byte{0}, counts(1, 1)...), 5)},
		{"too many symbols", append(append([]byte{0}, counts(0, 0, 0, 0, 0, 0, 0, 0, 255, 2)...), make([]byte, 257)...)},
		{"three codes of one bit", append(append([]byte{0}, counts(3)...), 1, 2, 3)},
		{"more codes than there are", append(append([]byte{0}, counts(1, 3)...), 1, 2, 3, 4)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if err := new(Decoder).readHuffman(test.body); !errors.Is(err, ErrDamaged) {
				t.Errorf("%v, want ErrDamaged", err)
			}
		})
	}
}
